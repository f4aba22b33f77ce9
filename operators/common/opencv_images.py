"""Images as OpenCV's functions take them: their types, and the number of channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.graph.operator import Array
from ..elementwise.saturation import saturate

OPENCV_DTYPES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4", "f8")))
_CHANNELS = 128


def exact_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the floating point type that holds the numbers of a type."""
    wide = dtype.itemsize == 8 or (dtype.kind in "iu" and dtype.itemsize == 4)
    return np.dtype(np.float64 if wide else np.float32)


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
