"""The length of an iterator is the number of batches that its next loop gives."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import Pipeline, fn
from penstock.plugin.arrays import GenericIterator, LastBatchPolicy

MOST = 16  # `numbered_files` has as many
POLICIES = list(LastBatchPolicy)


def iterator_of(files, samples, batch_size, ranks, rank, policy, padded, stick, by_size):
    pipeline = Pipeline(batch_size, num_threads=1, seed=1)
    with pipeline:
        _, label = fn.readers.file(
            files=files[:samples],
            name="Reader",
            shard_id=rank,
            num_shards=ranks,
            pad_last_batch=padded,
            stick_to_shard=stick,
            random_shuffle=True,
        )
        pipeline.set_outputs(label)
    named = {"size": samples, "last_batch_padded": padded} if by_size else {"reader_name": "Reader"}
    return GenericIterator(pipeline, ["label"], last_batch_policy=policy, **named)


@pytest.mark.filterwarnings("ignore:last_batch_policy=:RuntimeWarning")
@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_loop_gives_as_many_batches_as_the_length_says(numbered_files, data):
    samples = data.draw(st.integers(1, MOST))
    by_size = data.draw(st.booleans())
    ranks = 1 if by_size else data.draw(st.integers(1, min(3, samples)))
    smallest = samples // ranks
    policy = data.draw(st.sampled_from(POLICIES))
    most = smallest if policy is LastBatchPolicy.DROP else samples + 2
    with iterator_of(
        numbered_files,
        samples,
        data.draw(st.integers(1, most)),
        ranks,
        data.draw(st.integers(0, ranks - 1)),
        policy,
        data.draw(st.booleans()),
        data.draw(st.booleans()),
        by_size,
    ) as iterator:
        for _ in range(5):
            length = len(iterator)
            loop = iter(iterator)
            assert len(loop) == len(iterator) == length
            taken = data.draw(st.none() | st.integers(1, length), label="batches taken")
            count = 0
            for _ in islice(loop, taken):
                assert len(iterator) == length  # also in the last batch's turn
                count += 1
            assert count == (length if taken is None else taken)
            del loop


def test_lengths_of_a_source_that_starts_over():
    def batches():
        for number in range(4):
            yield [np.array([number])] * 5

    pipeline = Pipeline(5, num_threads=1)
    with pipeline:
        pipeline.set_outputs(fn.external_source(batches, cycle="raise"))
    with GenericIterator(pipeline, ["x"], size=18) as iterator:
        for taken in (None, 2, None, 4, None):
            assert len(iterator) == 4
            assert len(list(islice(iterator, taken))) == (taken or 4)


def test_the_length_before_the_loop_is_that_of_the_epoch_that_carries_less(numbers):
    iterator = GenericIterator(numbers(7, 2), ["label"], reader_name="Reader")
    for expected in (4, 3, 4, 3):
        assert len(iterator) == expected
        assert sum(1 for _ in iterator) == expected
