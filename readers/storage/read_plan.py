"""Plans which reads fetch a set of byte ranges. The functions are pure: they read nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.arrays import Int64s


class ReadPlan(NamedTuple):
    """Runs of bytes to read end to end into one block of memory.

    Attributes:
        offsets, lengths: of each run in the storage, in ascending order, without overlap.
        block_offsets: offset of each run in the block.
        starts: offset of each requested range in the block, in the order of the request.
        size: size of the block, in bytes.
    """

    offsets: Int64s
    lengths: Int64s
    block_offsets: Int64s
    starts: Int64s
    size: int


def plan_reads(offsets: Int64s, lengths: Int64s, gap: int, part: int | None = None) -> ReadPlan:
    """Plan to read the ranges, joining those that lie at most `gap` bytes apart.

    Ranges may come in any order, overlap, repeat and be empty; bytes that several ranges share are
    read once. The block is at most `gap` bytes a range larger than the ranges. With `part`, a new
    run starts at the first range behind each multiple of `part` bytes, if the ranges span as much.

        storage   ..AAAA.BBBB......................CCC....      A and B lie closer than `gap`
        runs        |-------|                      |-|
        block       AAAA.BBBBCCC                            one `start` for each of A, B and C

    >>> plan = plan_reads(np.array([90, 0, 12]), np.array([5, 10, 8]), gap=4)
    >>> plan.offsets.tolist(), plan.lengths.tolist(), plan.starts.tolist()
    ([0, 90], [20, 5], [20, 0, 12])
    """
    count = len(offsets)
    if not count:
        nothing = np.empty(0, np.int64)
        return ReadPlan(nothing, nothing, nothing, nothing, 0)
    order = offsets.argsort(kind="stable")
    ascending = offsets[order]
    reached = np.maximum.accumulate(ascending + lengths[order])
    following = ascending[1:]
    # A range begins a run if no range before reaches so far: ranges may lie inside of others.
    begins_run = np.empty(count, bool)
    begins_run[0] = True
    np.greater(following, reached[:-1] + gap, out=begins_run[1:])
    if part is not None and ascending[-1] - ascending[0] >= part:
        parts = ascending // part
        begins_run[1:] |= (following >= reached[:-1]) & (parts[1:] > parts[:-1])
    firsts = np.empty(np.count_nonzero(begins_run) + 1, np.intp)
    firsts[:-1] = begins_run.nonzero()[0]
    firsts[-1] = count
    run_offsets = ascending[firsts[:-1]]
    run_lengths = reached[firsts[1:] - 1] - run_offsets
    ends = np.add.accumulate(run_lengths)
    block_offsets = ends - run_lengths
    run = np.add.accumulate(begins_run, dtype=np.intp) - 1
    starts = np.empty(count, np.int64)
    starts[order] = ascending + (block_offsets - run_offsets)[run]
    return ReadPlan(run_offsets, run_lengths, block_offsets, starts, int(ends[-1]))
