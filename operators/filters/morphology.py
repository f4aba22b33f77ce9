"""`fn.experimental.dilate` and `fn.experimental.erode`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import cv2
import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import INT, INTS, STR, param
from ..common.opencv_images import BORDERS, by_channels
from .cpu_correlation import Surroundings, padded_image
from .plane_windows import PlaneWindow, PlaneWindowOperator, two_numbers

_LARGEST = 1 << 15


class _Morphology(PlaneWindowOperator):
    """Base of the operators that replace pixels by the extremes of the pixels around them."""

    anchor = param(
        INTS,
        (-1, -1),
        "Index (x, y) in the mask of the pixel that is replaced; -1 is the middle.",
        per_sample=True,
        minimum=-1,
    )
    border_mode = param(
        STR,
        "constant",
        "What lies around the image: constant (nothing that counts), replicate, reflect, "
        "reflect_101 or wrap.",
        choices=BORDERS,
    )
    iterations = param(
        INT,
        1,
        "How often to do it. Each time adds (width - 1, height - 1) to the mask.",
        minimum=0,
        maximum=_LARGEST,
    )
    mask_size = param(
        INTS,
        (3, 3),
        "(width, height) of the rectangle around a pixel, or one number for both.",
        per_sample=True,
        minimum=1,
        maximum=_LARGEST,
    )

    _opencv: ClassVar[Callable[..., Any]]
    _largest: ClassVar[bool]

    def window(self, *, anchor: Sequence[int], mask_size: Sequence[int]) -> PlaneWindow:
        sizes, points = two_numbers("mask_size", mask_size), two_numbers("anchor", anchor)
        chosen = [size // 2 if at == -1 else at for at, size in zip(points, sizes, strict=True)]
        inside = all(0 <= at < size for at, size in zip(chosen, sizes, strict=True))
        if not inside or max(sizes) > _LARGEST:
            raise ArgumentError(
                f"mask_size is {sizes[::-1]} and anchor is {points[::-1]}; give (width, height) "
                f"from 1 to {_LARGEST}, and an anchor inside of the mask"
            )
        height, width = (1 + self.iterations * (size - 1) for size in sizes)
        down, right = (self.iterations * at for at in chosen)
        return PlaneWindow((height, width), (down, right))

    def filter_image(self, image: Array, window: PlaneWindow, out: Array) -> None:
        mask, (down, right) = np.ones(window.extent, np.uint8), window.anchor
        work = type(self)._opencv

        def compute(pixels: Array, target: Array | None) -> object:
            if self.border_mode != "wrap":
                border = BORDERS[self.border_mode]
                return work(pixels, mask, target, (right, down), 1, border)
            pairs = zip(window.anchor, window.extent, strict=True)  # which OpenCV does not know
            sides = [(at, size - 1 - at) for at, size in pairs]
            padded = padded_image(pixels, sides, Surroundings("wrap"))
            made = np.reshape(work(padded, mask, None, (right, down)), padded.shape)
            return made[down:, right:][: len(pixels), : pixels.shape[1]]

        by_channels(image, out, compute)

    def kernel_of(self) -> tuple[str, dict[str, str | int]]:
        return "extremes", {"LARGEST": self._largest, "BORDER": self.border_mode.upper()}


@register
class Dilate(_Morphology):
    """Replaces each pixel by the largest of the pixels around it, channel by channel.

    OpenCV does so on the CPU. CPU and GPU agree exactly. DALI has no such operator on the CPU.

    Inputs:
        data: HW, HWC or CHW, or with F in front of them; numbers of up to 32 bits, or float64.

    Outputs:
        the dilated images: of the input's shape, type and layout.

    Raises:
        ArgumentError: the anchor is outside of the mask.
    """

    name = "experimental.dilate"
    _opencv = cv2.dilate
    _largest = True


@register
class Erode(_Morphology):
    """Replaces each pixel by the smallest of the pixels around it, channel by channel.

    OpenCV does so on the CPU. CPU and GPU agree exactly. DALI has no such operator on the CPU.

    Inputs:
        data: HW, HWC or CHW, or with F in front of them; numbers of up to 32 bits, or float64.

    Outputs:
        the eroded images: of the input's shape, type and layout.

    Raises:
        ArgumentError: the anchor is outside of the mask.
    """

    name = "experimental.erode"
    _opencv = cv2.erode
    _largest = False
