"""Images as OpenCV's functions take them: types, numbers of channels, borders and masks."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.graph.operator import Array
from ..elementwise.promotion import exact_type
from ..elementwise.saturation import saturate

OPENCV_DTYPES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4", "f8")))
_CHANNELS = 128
_MERGED_CHANNELS = 4  # of images whose masks `cv2.merge` repeats

BORDERS = MappingProxyType(
    {
        "constant": cv2.BORDER_CONSTANT,
        "replicate": cv2.BORDER_REPLICATE,
        "reflect": cv2.BORDER_REFLECT,
        "reflect_101": cv2.BORDER_REFLECT_101,
        "wrap": cv2.BORDER_WRAP,
    }
)
"""OpenCV's borders by their names; in upper case these are the values of the macro BORDER."""

FILTER_BORDERS = MappingProxyType(
    {
        "reflect_101": "reflect_101",
        "reflect_1001": "reflect",
        "wrap": "wrap",
        "clamp": "replicate",
        "constant": "constant",
        "reflect": "reflect",
        "edge": "replicate",
        "pad": "constant",
        "101": "reflect_101",
        "1001": "reflect",
    }
)
"""The same borders by their names in DALI's filters; those behind "constant" are other names."""


def by_channels(
    source: Array, out: Array, compute: Callable[[Array, Array | None], Any], most: int = _CHANNELS
) -> None:
    """Write what a function of OpenCV makes of an image of any type and number of channels.

    Args:
        source: (height, width, channels).
        out: the result: (height, width, channels).
        compute: called with an image of OpenCV's types, and with memory for the result or None;
            returns the result.
        most: channels of an image that `compute` takes.
    """
    direct = source.dtype in OPENCV_DTYPES and source.dtype == out.dtype
    image = source if direct else source.astype(exact_type(source.dtype), copy=False)
    channels = image.shape[-1]
    step = max(1, min(channels, most))
    for first in range(0, channels, step):
        some = slice(first, first + step)
        target = out[..., some]
        whole = direct and step == channels and target.flags.c_contiguous
        made = compute(np.ascontiguousarray(image[..., some]), target if whole else None)
        if made is not target:
            saturate(np.reshape(made, target.shape), target)


def spread(mask: Array, channels: int) -> Array:
    """Return a mask in which each element of a line is repeated for all channels.

    Args:
        mask: (height, width) bool or uint8.
        channels: number of channels of a pixel.

    Returns:
        uint8 of shape (height, width * channels); it may be the mask itself.
    """
    plane: NDArray[np.uint8] = mask.view(np.uint8)
    if channels == 1:
        return plane
    if channels <= _MERGED_CHANNELS and plane.size:
        repeated: Array = cv2.merge([plane] * channels)
        return repeated.reshape(len(mask), -1)
    return np.repeat(plane, channels, axis=1)
