"""Correlation with windows on the CPU, with OpenCV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from ...engine.arrays import Float32s
from ...engine.graph.operator import Array
from ..common.opencv_images import BORDERS, by_channels
from ..elementwise.promotion import exact_type
from ..elementwise.saturation import saturate, saturated


class Surroundings(NamedTuple):
    """What lies around a sample.

    Attributes:
        border: one of `BORDERS`.
        fill: the constant.
    """

    border: str
    fill: float = 0.0


def correlate(
    source: Array, window: Float32s, anchor: Sequence[int], around: Surroundings, out: Array
) -> None:
    """Write the sum of a window's weights times the elements around each element.

    Args:
        source: one to three axes, and then one of channels; not empty.
        window: the weights: an array of the same axes.
        anchor: index in the window of the element that becomes the sum.
        around: what lies around the sample.
        out: the result, of the axes of `source`. It may be smaller, if later sums are not wanted.
    """
    if window.ndim == 3:
        _correlate_volume(source, window, anchor, around, out)
    elif window.ndim == 2:
        _correlate_plane(source, window, anchor, around, out)
    else:
        pair = source[np.newaxis], window[np.newaxis]
        _correlate_plane(*pair, (0, *anchor), around, out[np.newaxis])


def _correlate_plane(
    source: Array, window: Float32s, anchor: Sequence[int], around: Surroundings, out: Array
) -> None:
    height, width = out.shape[:2]

    def compute(image: Array, target: Array | None) -> object:
        point, border = (anchor[1], anchor[0]), BORDERS[around.border]
        if around.border not in ("constant", "wrap"):
            fits = target if image.shape == out.shape else None
            made = cv2.filter2D(image, -1, window, fits, point, 0, border)
            return made if made is fits else made.reshape(image.shape)[:height, :width]
        # OpenCV's filters know neither a wrapped border nor a constant other than 0.
        sides = zip(anchor, window.shape, strict=True)
        padded = padded_image(image, [(at, size - 1 - at) for at, size in sides], around)
        made = np.reshape(cv2.filter2D(padded, -1, window, None, point), padded.shape)
        return made[anchor[0] :, anchor[1] :][:height, :width]

    by_channels(source, out, compute)


def padded_image(image: Array, sides: list[tuple[int, int]], around: Surroundings) -> Array:
    """Return an image (height, width, channels) with more pixels around it.

    Args:
        image: not empty.
        sides: pixels above and below, and left and right.
        around: the constant, or the wrapped border.
    """
    wide = [*sides, (0, 0)]
    if around.border == "wrap":
        return np.pad(image, wide, "wrap")
    return np.pad(image, wide, constant_values=saturated(np.array(around.fill), image.dtype))


def _correlate_volume(
    source: Array, window: Float32s, anchor: Sequence[int], around: Surroundings, out: Array
) -> None:
    exact = exact_type(source.dtype)
    volume = source.astype(exact, copy=False)
    total, part = (np.empty(out.shape[1:], exact) for _ in range(2))
    outside = np.full(source.shape[1:], around.fill, exact)
    for i, result in enumerate(out):
        total[...] = 0
        for k, plane in enumerate(window):
            at = cv2.borderInterpolate(i + k - anchor[0], len(source), BORDERS[around.border])
            _correlate_plane(volume[at] if at >= 0 else outside, plane, anchor[1:], around, part)
            total += part
        saturate(total, result)
