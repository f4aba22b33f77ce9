"""Separable filters on the CPU, with OpenCV.

Elements beyond the border are those of the mirrored sample, without the border element twice
(OpenCV's BORDER_REFLECT_101). From bytes to bytes OpenCV rounds once, at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from ..elementwise.saturation import saturate

Weights = NDArray[np.float32]

_OPENCV_DTYPES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4", "f8")))
_OPENCV_CHANNELS = 128
_ONE = np.ones(1, np.float32)


def filter_sample(
    workspace: Workspace, source: Array, kernels: Sequence[Weights], channels: int, out: Array
) -> None:
    """Write a sample filtered along its axes.

    Args:
        workspace: the sample's workspace, for scratch memory.
        source: contiguous; the filtered axes, and then maybe one of channels.
        kernels: the weights of one to three axes.
        channels: extent of the last axis, if this is one of channels; else 1.
        out: the result: contiguous, of the shape of `source`.
    """
    *outer, last = kernels
    width = source.shape[len(kernels) - 1]
    if len(outer) == 2:
        exact = _exact_type(source.dtype)
        plain = workspace.scratch(source.shape, exact)
        for plane, result in zip(source, plain, strict=True):
            _filter_plane(plane, outer[1], last, width, channels, result)
        depth = len(source)
        _filter_plane(plain, outer[0], _ONE, prod(source.shape) // depth, 1, out)
    else:
        _filter_plane(source, outer[0] if outer else _ONE, last, width, channels, out)


def _exact_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the floating point type that holds the numbers of a type."""
    wide = dtype.itemsize == 8 or (dtype.kind in "iu" and dtype.itemsize == 4)
    return np.dtype(np.float64 if wide else np.float32)


def _filter_plane(
    source: Array, down: Weights, right: Weights, width: int, channels: int, out: Array
) -> None:
    """Filter lines and columns; the elements are (height, width, channels)."""
    shape = (-1, width, channels)
    direct = source.dtype in _OPENCV_DTYPES and source.dtype == out.dtype
    image, result = source.reshape(shape), out.reshape(shape)
    if not direct:
        image = image.astype(_exact_type(source.dtype), copy=False)
    step = max(1, min(channels, _OPENCV_CHANNELS))
    for first in range(0, channels, step):
        some = slice(first, first + step)
        given = np.ascontiguousarray(image[..., some])
        target = result[..., some]
        if direct and step == channels:
            cv2.sepFilter2D(given, -1, right, down, dst=target, borderType=cv2.BORDER_REFLECT_101)
            continue
        made = cv2.sepFilter2D(given, -1, right, down, borderType=cv2.BORDER_REFLECT_101)
        saturate(made.reshape(target.shape), target)
