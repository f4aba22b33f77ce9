"""Loops of frameworks that look at a batch before they train."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.plugin.arrays import GenericIterator
from penstock.plugin.framework_loops import FrameworkLoops


@pytest.fixture
def loops(numbers):
    """Makes loops over a shuffled reader of so many files, in batches of 2."""

    def make(count=6):
        pipeline = numbers(count, 2, random_shuffle=True)
        return FrameworkLoops(GenericIterator(pipeline, ["label"], reader_name="Reader"))

    return make


def labels(batch):
    return np.ravel(batch[0]["label"]).tolist()


def epoch(loops):
    return [labels(batch) for batch in loops]


def test_a_loop_of_one_batch_takes_nothing(loops):
    expected = loops()
    epochs = [epoch(expected) for _ in range(2)]
    each = loops()
    for _ in range(3):
        each.begin()
        assert labels(each.take()) == epochs[0][0]
    assert [epoch(each), epoch(each)] == epochs


def test_a_loop_of_two_batches_leaves_its_epoch(loops):
    each = loops()
    each.begin()
    first = [labels(each.take()) for _ in range(2)]
    second = epoch(each)
    assert first != second[:2]
    assert sorted(sum(second, start=[])) == list(range(6))  # noqa: RUF017


def test_a_look_is_no_step(loops):
    each = loops()
    state = each.state_dict()
    seen = labels(each.look())
    assert labels(each.look()) == seen
    assert each.state_dict() == state
    assert epoch(each)[0] == seen
    each.load_state_dict(state)
    assert epoch(each)[0] == seen


def test_an_epoch_of_one_batch(loops):
    each = loops(2)
    assert labels(each.look()) == epoch(each)[0]
    epochs = [epoch(each) for _ in range(8)]
    assert [len(one) for one in epochs] == [1] * 8
    assert len({tuple(one[0]) for one in epochs}) == 2  # each is shuffled anew


def test_a_state_in_the_middle_of_an_epoch(loops):
    each = loops()
    each.begin()
    each.take()
    saved = each.state_dict()
    rest = [labels(each.take()) for _ in range(2)]
    again = loops()
    again.begin()
    again.take()
    again.load_state_dict(saved)
    assert epoch(again) == rest


def test_a_source_of_one_run(feed):
    rows = [np.full((4, 1), k) for k in range(3)]
    each = FrameworkLoops(GenericIterator(feed(rows, rewinds=False), ["label"]))
    assert labels(each.look()) == [0] * 4
    assert epoch(each) == [[k] * 4 for k in range(3)]
