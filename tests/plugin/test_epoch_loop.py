"""The loop that `iter` of an iterator returns."""

from __future__ import annotations

import itertools

import pytest

from penstock.plugin.arrays import GenericIterator


@pytest.fixture
def batches(numbers):
    return GenericIterator(numbers(8, 2), ["x"], reader_name="Reader")


def epoch_of(loop):
    return [batch[0]["x"].ravel().tolist()[0] for batch in loop]


def test_a_loop_is_its_own_iterator_and_goes_on(batches):
    loop = iter(batches)
    assert iter(loop) is loop
    first = next(loop)
    assert first[0]["x"].ravel().tolist()[0] == 0
    assert epoch_of(loop) == [2, 4, 6]
    assert epoch_of(loop) == []


def test_each_new_loop_is_an_epoch(batches):
    for _ in range(3):
        assert epoch_of(itertools.islice(batches, len(batches))) == [0, 2, 4, 6]
    assert epoch_of(batches) == [0, 2, 4, 6]


def test_a_generator_that_delegates_to_a_loop_leaves_the_pipelines_open(batches):
    def delegating():
        yield from batches

    generator = delegating()
    next(generator)
    generator.close()
    assert epoch_of(batches) == [0, 2, 4, 6]


def test_other_attributes_are_those_of_the_iterator(batches):
    loop = iter(batches)
    assert len(loop) == len(batches) == 4
    assert loop.size == batches.size
