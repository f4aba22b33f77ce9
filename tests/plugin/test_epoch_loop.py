"""The loop that `iter` of an iterator returns."""

from __future__ import annotations

import itertools

import numpy as np

from penstock import Pipeline, fn
from penstock.plugin.arrays import GenericIterator


def numbers() -> GenericIterator:
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(
            fn.external_source(source=lambda info: np.int32(info.idx_in_epoch), batch=False)
        )
    return GenericIterator(pipe, ["x"], size=8)


def epoch_of(loop) -> list[int]:
    return [int(batch[0]["x"][0]) for batch in loop]


def test_a_loop_is_its_own_iterator_and_goes_on() -> None:
    with numbers() as batches:
        loop = iter(batches)
        assert iter(loop) is loop
        first = next(loop)
        assert int(first[0]["x"][0]) == 0
        assert epoch_of(loop) == [2, 4, 6]
        assert epoch_of(loop) == []


def test_each_new_loop_is_an_epoch() -> None:
    with numbers() as batches:
        for _ in range(3):
            assert epoch_of(itertools.islice(batches, len(batches))) == [0, 2, 4, 6]
        assert epoch_of(batches) == [0, 2, 4, 6]


def test_other_attributes_are_those_of_the_iterator() -> None:
    with numbers() as batches:
        loop = iter(batches)
        assert len(loop) == len(batches) == 4
        assert loop.size == batches.size
