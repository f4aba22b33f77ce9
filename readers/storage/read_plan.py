"""Which reads fetch a set of byte ranges. Pure functions: nothing is read here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class ReadPlan:
    """Runs of bytes to read end to end into one block of memory.

    Attributes:
        offsets, lengths: of each run in the storage, in ascending order, without overlap.
        places: where each run begins in the block.
        begins: where each range that was asked for begins in the block, in the order asked.
        size: of the block.
        order: the ranges' numbers, in the order in which they lie in the storage.
        firsts: which of these each run begins with, and, last, the number of ranges.
    """

    offsets: Int64s
    lengths: Int64s
    places: Int64s
    begins: Int64s
    size: int
    order: NDArray[np.intp]
    firsts: NDArray[np.intp]


def plan_reads(offsets: Int64s, lengths: Int64s, gap: int, part: int | None = None) -> ReadPlan:
    """Plan to read the ranges, joining those that lie at most `gap` bytes apart.

    Ranges may come in any order, overlap, repeat and be empty; bytes that several ranges
    share are read once. The block is at most `gap` bytes a range larger than the ranges.
    With `part`, a run ends where the first range ends beyond a multiple of so many bytes.

    >>> plan = plan_reads(np.array([90, 0, 12]), np.array([5, 10, 8]), gap=4)
    >>> plan.offsets.tolist(), plan.lengths.tolist(), plan.begins.tolist()
    ([0, 90], [20, 5], [20, 0, 12])
    """
    if not len(offsets):
        nothing = np.empty(0, np.int64)
        return ReadPlan(nothing, nothing, nothing, nothing, 0, nothing, np.zeros(1, np.int64))
    order = np.argsort(offsets, kind="stable")
    ascending = offsets[order]
    reached = np.maximum.accumulate(ascending + lengths[order])
    begins_run = np.ones(len(order), bool)
    begins_run[1:] = ascending[1:] > reached[:-1] + gap
    if part is not None:
        apart = ascending[1:] >= reached[:-1]
        begins_run[1:] |= apart & (np.diff(ascending // part) > 0)
    heads = begins_run.nonzero()[0]
    firsts = np.append(heads, len(order))
    run_offsets = ascending[heads]
    run_lengths = reached[firsts[1:] - 1] - run_offsets
    ends = np.cumsum(run_lengths)
    places = ends - run_lengths
    run = np.cumsum(begins_run) - 1
    begins = np.empty(len(order), np.int64)
    begins[order] = ascending + (places - run_offsets)[run]
    return ReadPlan(run_offsets, run_lengths, places, begins, int(ends[-1]), order, firsts)
