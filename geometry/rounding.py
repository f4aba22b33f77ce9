"""Rounding to the nearest integer, halves away from zero, as DALI rounds positions and sizes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST = 1 << 61
"""Largest whole number that a position or an extent may become: int64 holds the sum, and the
difference, of any two."""


def round_away(value: float) -> int:
    """Round a number that is not NaN; those beyond `MOST` become `MOST`.

    >>> [round_away(value) for value in (2.5, -2.5, 0.4, -0.5)]
    [3, -3, 0, -1]
    """
    value = min(max(value, -MOST), MOST)
    return math.floor(value + 0.5) if value >= 0 else -math.floor(0.5 - value)


def round_all_away(values: ArrayLike) -> NDArray[np.int64]:
    """Round numbers that are not NaN; those beyond `MOST` become `MOST`."""
    exact = np.asarray(values)
    if exact.dtype != np.int64:
        exact = exact.astype(np.float64)
        exact = np.copysign(np.floor(np.abs(exact) + 0.5), exact)
    return exact.clip(-MOST, MOST).astype(np.int64)
