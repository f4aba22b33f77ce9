"""Affine maps of the colors of images on the CPU.

From bytes to bytes OpenCV computes with integers, whose factors have 10 bits after the point. The
result differs from the exact one by less than 1, and after rounding by at most 1. For all other
dtypes, and for numbers beyond the integers' range, the computation is in float32.
"""

from __future__ import annotations

import cv2
import numpy as np

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from ..elementwise.saturation import saturate

_FLOAT32 = np.dtype(np.float32)
_BYTE = np.dtype(np.uint8)
_MOST = 2.0**20  # of all factors and the offset: sums of their products with bytes fit 32 bits


def map_colors(workspace: Workspace, image: Array, matrix: Array, out: Array) -> None:
    """Write the colors of an image under a map.

    Args:
        image: (..., from).
        matrix: (to, from + 1).
        out: the result: contiguous, of the image's shape with `to` channels.
    """
    if not image.size:
        return
    in_bytes = image.dtype == out.dtype == _BYTE and np.abs(matrix).max() < _MOST
    exact = _BYTE if in_bytes else _FLOAT32
    source = _as_type(workspace, np.ascontiguousarray(image), exact)
    source = source.reshape(1, -1, image.shape[-1])
    result = out.reshape(1, -1, out.shape[-1])
    target = result if out.dtype == exact else workspace.scratch(result.shape, exact)
    cv2.transform(source, matrix.astype(np.float32), dst=target)
    if target is not result:
        saturate(target, result)


def _as_type(workspace: Workspace, image: Array, dtype: np.dtype[np.generic]) -> Array:
    if image.dtype == dtype:
        return image
    numbers = workspace.scratch(image.shape, dtype)
    np.copyto(numbers, image, casting="unsafe")
    return numbers
