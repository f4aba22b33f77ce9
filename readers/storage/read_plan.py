"""Plans which reads fetch a set of byte ranges. The functions are pure: they read nothing."""

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
        block_offsets: offset of each run in the block.
        starts: offset of each requested range in the block, in the order of the request.
        size: of the block, in bytes.
        order: the numbers of the requested ranges, sorted by their offsets in the storage.
        firsts: index in `order` of each run's first range; at the end, the number of ranges.
    """

    offsets: Int64s
    lengths: Int64s
    block_offsets: Int64s
    starts: Int64s
    size: int
    order: NDArray[np.intp]
    firsts: NDArray[np.intp]


def plan_reads(offsets: Int64s, lengths: Int64s, gap: int, part: int | None = None) -> ReadPlan:
    """Plan to read the ranges, joining those that lie at most `gap` bytes apart.

    Ranges may come in any order, overlap, repeat and be empty; bytes that several ranges share are
    read once. The block is at most `gap` bytes a range larger than the ranges. With `part`, a new
    run starts at the first range behind each multiple of `part` bytes.

    >>> plan = plan_reads(np.array([90, 0, 12]), np.array([5, 10, 8]), gap=4)
    >>> plan.offsets.tolist(), plan.lengths.tolist(), plan.starts.tolist()
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
    block_offsets = ends - run_lengths
    run = np.cumsum(begins_run) - 1
    starts = np.empty(len(order), np.int64)
    starts[order] = ascending + (block_offsets - run_offsets)[run]
    return ReadPlan(run_offsets, run_lengths, block_offsets, starts, int(ends[-1]), order, firsts)
