"""Columns whose samples have different numbers of elements."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array, Int64s


def range_indices(starts: Int64s, counts: Int64s) -> Int64s:
    """Return the numbers of several ranges, one range after another.

    >>> range_indices(np.array([7, 2]), np.array([2, 3]))
    array([7, 8, 2, 3, 4])
    """
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def bounds_of(counts: NDArray[np.integer | np.bool_]) -> Int64s:
    """Return where each of some ranges starts, if they lie end to end, and where the last one ends.

    >>> bounds_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    bounds = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=bounds[1:])
    return bounds


def take_ranges(bounds: Int64s, rows: Int64s) -> tuple[Int64s, Int64s]:
    """Return which elements the rows `rows` of a ragged column have, and the bounds of these rows.

    >>> elements, bounds = take_ranges(np.array([0, 2, 5]), np.array([1, 0]))
    >>> elements, bounds
    (array([2, 3, 4, 0, 1]), array([0, 3, 5]))
    """
    starts = bounds[rows]
    counts = bounds[rows + 1] - starts
    return range_indices(starts, counts), bounds_of(counts)


def rows_between(values: Array, bounds: Int64s) -> list[Array]:
    """Return the values of each sample, given the bounds of the samples among all values."""
    edges = bounds.tolist()
    return [values[start:end] for start, end in pairwise(edges)]
