"""`fn.experimental.median_blur`."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import INTS, param
from ..common.opencv_images import by_channels
from .plane_windows import PlaneWindow, PlaneWindowOperator, two_numbers

_OPENCV_DTYPES = frozenset(map(np.dtype, ("u1", "u2", "f4")))
_SMALL = (3, 5)  # sides of the windows that OpenCV has for all of its types
_LARGEST = 255

STRIP_ELEMENTS = 1 << 20
"""Elements of the windows that NumPy sorts together."""


@register
class MedianBlur(PlaneWindowOperator):
    """Replaces each pixel by the median of the pixels around it, channel by channel.

    Beyond the border lies the border pixel again. CPU and GPU agree exactly. On the CPU square
    windows are OpenCV's work: of any size for bytes, and of 3 or 5 pixels for uint16 and float32.
    Others take ten times as long. DALI has no such operator on the CPU.

    Inputs:
        data: HW, HWC or CHW, or with F in front of them; numbers of any type.

    Outputs:
        the blurred images: of the input's shape, type and layout.
    """

    name = "experimental.median_blur"
    window_size = param(
        INTS,
        (3, 3),
        f"(width, height) of the window, odd numbers up to {_LARGEST}, or one number for both.",
        per_sample=True,
        minimum=1,
        maximum=_LARGEST,
    )

    def window(self, *, window_size: Sequence[int]) -> PlaneWindow:
        height, width = two_numbers("window_size", window_size)
        if not all(1 <= extent <= _LARGEST and extent % 2 for extent in (height, width)):
            raise ArgumentError(
                f"window_size is {(width, height)}; give odd numbers from 1 to {_LARGEST}"
            )
        return PlaneWindow((height, width), (height // 2, width // 2))

    def filter_image(self, image: Array, window: PlaneWindow, out: Array) -> None:
        height, width = window.extent
        small = width in _SMALL or image.dtype == np.uint8
        if height == width > 1 and image.dtype in _OPENCV_DTYPES and small:

            def compute(pixels: Array, target: Array | None) -> object:
                return cv2.medianBlur(pixels, width, target)

            by_channels(image, out, compute, most=1 if image.shape[-1] not in (1, 3, 4) else 4)
        else:
            _medians(image, window, out)

    def kernel_of(self) -> tuple[str, dict[str, str | int]]:
        return "medians", {"BORDER": "REPLICATE"}


def _medians(image: Array, window: PlaneWindow, out: Array) -> None:
    """Write the medians of windows of any extent and type."""
    (height, width), (above, left) = window
    padded = np.pad(image, ((above, above), (left, left), (0, 0)), "edge")
    count = height * width
    lines = max(1, STRIP_ELEMENTS // (count * image.shape[1] * image.shape[2]))
    for top in range(0, len(image), lines):
        strip = padded[top : top + lines + height - 1]
        windows = np.lib.stride_tricks.sliding_window_view(strip, (height, width), (0, 1))
        flat = windows.reshape(*windows.shape[:3], count)
        out[top : top + lines] = np.partition(flat, count // 2, axis=-1)[..., count // 2]
