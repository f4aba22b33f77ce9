"""Functions of bytes as tables of their 256 results."""

from __future__ import annotations

import cv2
import numpy as np

from ...engine.graph.operator import Array

_BITS = {1: np.uint8, 2: np.int16, 4: np.int32, 8: np.float64}
"""The dtypes that OpenCV looks up, by size in bytes; other dtypes are looked up as these bits."""


def look_up(source: Array, table: Array, out: Array) -> None:
    """Write the table's result for each byte of `source`.

    Args:
        source: contiguous uint8.
        table: (256,), of the dtype of `out`.
        out: the results: contiguous, of the shape of `source`.
    """
    if not source.size:
        return
    bits = _BITS[table.dtype.itemsize]
    cv2.LUT(source.reshape(1, -1), table.view(bits), dst=out.view(bits).reshape(1, -1))
