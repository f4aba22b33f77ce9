import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penstock.readers.storage.read_plan import plan_reads

ranges = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 40)), max_size=30)


parts = st.none() | st.integers(1, 100)


def planned(pairs, gap, part=None):
    offsets, lengths = np.array(pairs, np.int64).reshape(-1, 2).T
    return plan_reads(offsets, lengths, gap, part)


@given(ranges, st.integers(0, 30), parts)
def test_every_range_is_found_in_the_block(pairs, gap, part):
    data = np.arange(240, dtype=np.uint8)
    plan = planned(pairs, gap, part)
    runs = zip(plan.offsets, plan.lengths, plan.block_offsets, strict=True)
    block = np.zeros(plan.size, np.uint8)
    for offset, length, place in runs:
        block[place : place + length] = data[offset : offset + length]
    for (offset, length), begin in zip(pairs, plan.starts, strict=True):
        assert (block[begin : begin + length] == data[offset : offset + length]).all()


@given(ranges, st.integers(0, 30))
def test_runs_lie_further_apart_than_the_gap(pairs, gap):
    plan = planned(pairs, gap)
    ends = plan.offsets + plan.lengths
    assert (plan.offsets[1:] > ends[:-1] + gap).all()
    assert plan.size == plan.lengths.sum()
    assert plan.size <= sum(length for _, length in pairs) + gap * len(pairs)


def test_a_run_ends_with_the_range_that_ends_a_part():
    plan = planned([(0, 30), (30, 30), (60, 30), (90, 60), (120, 10), (150, 5)], 0, part=50)
    assert (plan.offsets.tolist(), plan.lengths.tolist()) == ([0, 60, 150], [60, 90, 5])


def test_neighbours_become_one_read():
    plan = planned([(0, 10), (10, 10), (25, 5)], gap=5)
    assert (plan.offsets.tolist(), plan.lengths.tolist()) == ([0], [30])


def test_nothing_is_planned_for_nothing():
    plan = planned([], gap=5)
    assert (plan.size, len(plan.offsets), len(plan.starts)) == (0, 0, 0)
