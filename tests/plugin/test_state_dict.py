"""`state_dict` and `load_state_dict` of iterators, and the pipelines that they restore in place."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest

from penstock import ArgumentError, CheckpointError, Pipeline, fn
from penstock.plugin.arrays import GenericIterator
from penstock.plugin.iterator_state import IteratorState


def by_reader(pipelines, **options):
    return GenericIterator(pipelines, ["label"], reader_name="Reader", **options)


def rest(iterator):
    return [[outputs["label"].ravel().tolist() for outputs in batch] for batch in iterator]


def test_the_state_is_json_and_small(numbers):
    iterator = by_reader([numbers(16, 2, rank, 2) for rank in (0, 1)])
    next(iterator)
    state = iterator.state_dict()
    assert json.loads(json.dumps(state)) == state
    assert len(json.dumps(state)) < 2000


@pytest.mark.filterwarnings("ignore:last_batch_policy=:RuntimeWarning")
def test_a_state_of_other_ranks_and_batches_has_each_sample_that_is_left(numbers):
    first = by_reader([numbers(14, 2, rank, 3, pad_last_batch=True) for rank in range(3)])
    seen = [n for outputs in next(first) for n in outputs["label"].ravel().tolist()]
    second = by_reader(numbers(14, 3), last_batch_policy="partial")
    second.load_state_dict(first.state_dict())
    assert len(second) == 1 + 3  # the batch before, and 8 samples in threes
    assert sorted(seen + [n for (batch,) in rest(second) for n in batch]) == list(range(14))
    assert [len(batch) for (batch,) in rest(second)] == [3, 3, 3, 3, 2]


def test_a_state_may_be_loaded_again_and_again(numbers):
    iterator = by_reader(numbers(16, 3, random_shuffle=True))
    list(islice(iterator, 4))
    state = iterator.state_dict()
    expected = rest(iterator), rest(iterator)  # begins anew, as the loop was broken off
    for _ in range(3):
        iterator.load_state_dict(state)
        assert iterator.state_dict() == state
        left = rest(iterator)
        assert len(left) == 2
        iterator.load_state_dict(state)
        assert [*islice(iter(rest(iterator)), 2)] == left
    assert len(expected[0]) == len(expected[1]) + 1 == 6


def test_random_numbers_and_seeds_are_restored(pipelines):
    def start(seed):
        pipeline = Pipeline(batch_size=2, num_threads=1, seed=seed)
        with pipeline:
            pipeline.set_outputs(fn.random.uniform(range=(0, 1)))
        pipelines.append(pipeline)
        return GenericIterator(pipeline, ["label"], 16)

    first, second = start(1), start(2)
    list(islice(first, 3))
    list(islice(second, 5))
    second.load_state_dict(first.state_dict())
    assert rest(second) == [
        [outputs["label"].ravel().tolist() for outputs in next(first)] for _ in range(5)
    ]


@pytest.mark.parametrize("taken", range(7))
def test_sources_are_restored(feed_numbers, pipelines, taken):
    def functions():
        return feed_numbers(lambda i: i)

    def items():
        pipeline = Pipeline(batch_size=4, num_threads=1)
        with pipeline:
            data = [np.full((4, 1), number) for number in range(3)]
            pipeline.set_outputs(fn.external_source(source=data, cycle="raise", name="source"))
        pipelines.append(pipeline)
        return pipeline

    for make in (functions, items):
        for size in (-1, 12):
            first, second = (GenericIterator(make(), ["label"], size) for _ in range(2))
            for _ in range(taken):
                try:
                    next(first)
                except StopIteration:
                    first.reset()
                    next(first)
            list(islice(second, 2))
            second.load_state_dict(first.state_dict())
            assert [rest(second), rest(second)] == [rest(first) or rest(first), rest(first)]


class Counting:
    """A source that saves its own state."""

    def __init__(self):
        self.number = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.number += 1
        return np.full((2, 1), self.number)

    def state_dict(self):
        return {"number": self.number}

    def load_state_dict(self, state):
        self.number = state["number"]


def test_a_source_with_a_state_of_its_own(pipelines):
    def start():
        pipeline = Pipeline(batch_size=2, num_threads=1)
        with pipeline:
            pipeline.set_outputs(fn.external_source(source=Counting(), name="source"))
        pipelines.append(pipeline)
        return GenericIterator(pipeline, ["label"], 20)

    first, second = start(), start()
    list(islice(first, 7))
    next(second)
    second.load_state_dict(first.state_dict())
    assert rest(second) == [[[number] * 2] for number in (8, 9, 10)]


def test_checkpoints_of_older_releases(numbers):
    first = by_reader(numbers(16, 2, pad_last_batch=True))
    list(islice(first, 3))
    (saved,) = first.checkpoints()
    old = json.loads(saved)
    assert old.pop("iterator")["step"] == 3
    old["penstock_checkpoint"] = 1
    second = by_reader(numbers(16, 2, pad_last_batch=True))
    second.load_state_dict({"checkpoints": [json.dumps(old)]})
    assert rest(second) == [[[n, n + 1]] for n in range(6, 16, 2)]


@pytest.mark.parametrize(
    "state", [None, {}, {"checkpoints": b""}, {"checkpoints": [1]}, {"checkpoints": []}]
)
def test_what_is_no_state(numbers, state):
    with pytest.raises(CheckpointError):
        by_reader(numbers(4, 2)).load_state_dict(state)


@pytest.mark.parametrize(
    "change",
    [
        {"step": -1},
        {"step": True},
        {"epoch": 1 << 70},
        {"epoch": "0"},
        {"ahead": 3},
        {"ahead": [None]},
        {"ahead": [0, 0]},
        {"complete": 1},
        {"basis": []},
        {"more": 1},
        {"discard": 1.5},
    ],
)
def test_a_damaged_count(numbers, change):
    iterator = by_reader(numbers(4, 2))
    (saved,) = iterator.checkpoints()
    damaged = json.loads(saved)
    damaged["iterator"] |= change
    with pytest.raises(CheckpointError, match=r"state of an iterator: .*The checkpoint is damaged"):
        iterator.load_state_dict({"checkpoints": [json.dumps(damaged)]})


def test_the_count_through_json():
    state = IteratorState({"reader": "R"}, 3, 2, False, False, 1, (4, -5))
    assert IteratorState.from_json(json.loads(json.dumps(state.to_json()))) == state


def test_a_state_of_other_pipelines(numbers, feed_numbers):
    state = GenericIterator(feed_numbers(lambda i: i), ["label"]).state_dict()
    with pytest.raises(CheckpointError, match="holds the state of"):
        by_reader(numbers(4, 2)).load_state_dict(state)
    other = by_reader(numbers(6, 2)).state_dict()
    with pytest.raises(CheckpointError, match="a run with 6 samples"):
        by_reader(numbers(4, 2)).load_state_dict(other)


def test_an_iterator_object_that_is_past_the_state(pipelines):
    pipeline = Pipeline(batch_size=2, num_threads=1, prefetch_queue_depth=1)
    with pipeline:
        pipeline.set_outputs(fn.external_source(source=iter([np.zeros((2, 1))] * 9), name="s"))
    pipelines.append(pipeline)
    iterator = GenericIterator(pipeline, ["label"])
    next(iterator)
    state = iterator.state_dict()
    list(islice(iterator, 4))
    iterator.load_state_dict(state)
    with pytest.raises(CheckpointError, match="which cannot start again: pass an iterable"):
        next(iterator)


def test_a_pipeline_goes_back_and_forth(numbers):
    pipeline = numbers(16, 3, random_shuffle=True)

    def run(count):
        return [pipeline.run()[0].as_array().ravel().tolist() for _ in range(count)]

    run(2)
    saved = pipeline.checkpoint()
    expected = run(4)
    pipeline.restore(saved)
    assert pipeline.is_restored_from_checkpoint
    assert pipeline.checkpoint() == saved
    assert run(4) == expected
    assert pipeline.begin_epoch()
    flat = [n for batch in run(5) for n in batch]
    assert len(set(flat)) == 15
    pipeline.close()
    with pytest.raises(RuntimeError, match="closed"):
        pipeline.restore(saved)


def test_a_reader_that_cannot_leave_an_epoch_says_so():
    from ..engine.graph.test_inputs import Plain

    named = type("Named", (Plain,), {"name": "plain"})
    reader = named.__new__(named)
    with pytest.raises(ArgumentError, match="take all of its batches"):
        reader.next_epoch_after(1)
