"""Epochs as the user of an iterator sees them."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import islice
from math import ceil

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, PipelineStopped, fn
from penstock.plugin.arrays import GenericIterator, LastBatchPolicy

from ..engine.toys import own_threads
from .conftest import column

FILL, DROP, PARTIAL = LastBatchPolicy.FILL, LastBatchPolicy.DROP, LastBatchPolicy.PARTIAL


def values(batch):
    """Return the numbers in a batch: a list, or a list of lists for several pipelines."""
    lists = [outputs["label"].ravel().tolist() for outputs in batch]
    return lists[0] if len(lists) == 1 else lists


def epoch(iterator):
    return [values(batch) for batch in iterator]


def by_reader(pipelines, **options):
    return GenericIterator(pipelines, ["label"], reader_name="Reader", **options)


@pytest.mark.parametrize(
    ("policy", "padded", "last", "next_first"),
    [
        (PARTIAL, True, [6], [0, 1]),
        (PARTIAL, False, [6], [1, 2]),
        (FILL, True, [6, 6], [0, 1]),
        (FILL, False, [6, 0], [1, 2]),
        (DROP, True, [4, 5], [0, 1]),
        (DROP, False, [4, 5], [1, 2]),
    ],
)
@pytest.mark.parametrize("by_size", [False, True])
def test_the_examples_of_dali_s_documentation(numbers, policy, padded, last, next_first, by_size):
    pipeline = numbers(7, 2, pad_last_batch=padded)
    if by_size:
        iterator = GenericIterator(
            pipeline, ["label"], 7, last_batch_padded=padded, last_batch_policy=policy
        )
    else:
        iterator = by_reader(pipeline, last_batch_policy=policy)
    assert len(iterator) == (3 if policy is DROP else 4)
    first = epoch(iterator)
    assert first[:3] == [[0, 1], [2, 3], [4, 5]]
    assert first[-1] == last
    loses = policy is not FILL and not padded and not by_size
    text = f"last_batch_policy='{policy.name.lower()}' left out samples of the next epoch"
    with pytest.warns(RuntimeWarning, match=text) if loses else nullcontext():
        assert epoch(iterator)[0] == next_first


def test_the_length_follows_what_was_carried_over(numbers):
    iterator = by_reader(numbers(7, 2), auto_reset=True)
    lengths = []
    for _ in range(4):
        lengths.append(len(iterator))
        assert len(epoch(iterator)) == lengths[-1]
    assert lengths == [4, 3, 4, 3]


def test_without_auto_reset_the_end_is_the_end(numbers):
    iterator = by_reader(numbers(4, 2))
    assert [values(next(iterator)), values(iterator.next())] == [[0, 1], [2, 3]]
    for _ in range(2):
        with pytest.raises(StopIteration, match=r"call reset\(\).*auto_reset=True"):
            next(iterator)
    iterator.reset()
    assert values(next(iterator)) == [0, 1]


def test_reset_when_all_batches_are_taken_needs_no_stop_iteration(numbers):
    iterator = by_reader(numbers(5, 2, pad_last_batch=True), last_batch_policy=DROP)
    for _ in range(3):
        assert [values(next(iterator)) for _ in range(len(iterator))] == [[0, 1], [2, 3]]
        iterator.reset()


def test_reset_before_the_first_batch_and_after_auto_reset_changes_nothing(numbers):
    iterator = by_reader(numbers(4, 2), auto_reset="yes")
    for _ in range(2):
        iterator.reset()
        assert epoch(iterator) == [[0, 1], [2, 3]]
    iterator.reset()
    assert len(iterator) == 2


def test_reset_in_the_middle_warns_and_changes_nothing(numbers):
    iterator = by_reader(numbers(6, 2))
    next(iterator)
    with pytest.warns(UserWarning, match=r"the epoch has not ended after 1 batch\(es\)"):
        iterator.reset()
    assert epoch(iterator) == [[2, 3], [4, 5]]


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("reset", [False, True])
def test_a_loop_after_one_that_was_broken_off_begins_anew(numbers, auto_reset, reset):
    iterator = by_reader(numbers(6, 2), auto_reset=auto_reset)
    for taken in (1, 2, 3, 1):
        assert [values(batch) for batch in islice(iterator, taken)] == WHOLE[:taken]
        if reset:
            iterator.reset()
        assert len(iterator) == 3
    assert epoch(iterator) == epoch(iterator) == WHOLE


WHOLE = [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("taken", [1, 2, 3, 4])
@pytest.mark.parametrize("policy", LastBatchPolicy)
def test_a_new_epoch_is_whole_and_has_the_next_shard(numbers, policy, taken):
    def shards():
        return [numbers(15, 2, rank, 2) for rank in (0, 1)]

    iterator = by_reader(shards(), last_batch_policy=policy)
    list(islice(iterator, taken))
    whole = {
        FILL: [[[7, 8], [0, 1]], [[9, 10], [2, 3]], [[11, 12], [4, 5]], [[13, 14], [6, 7]]],
        PARTIAL: [[[7, 8], [0, 1]], [[9, 10], [2, 3]], [[11, 12], [4, 5]], [[13, 14], [6]]],
        DROP: [[[7, 8], [0, 1]], [[9, 10], [2, 3]], [[11, 12], [4, 5]]],
    }[policy]
    assert taken >= len(whole) or epoch(iterator) == whole


def test_each_new_loop_has_another_order(numbers):
    iterator = by_reader(numbers(16, 2, random_shuffle=True))
    starts = [values(next(iter(iterator))) for _ in range(6)]
    assert len({tuple(start) for start in starts}) > 3
    assert sorted(n for batch in epoch(iterator) for n in batch) == list(range(16))


def test_a_loop_is_an_iterator_of_its_own(numbers):
    iterator = by_reader(numbers(6, 2))
    loop = iter(iterator)
    assert values(next(loop)) == [0, 1]
    assert [values(batch) for batch in loop] == [[2, 3], [4, 5]]
    assert (len(loop), loop.size) == (3, 6)
    loop.reset()
    assert values(next(loop)) == [0, 1]


def test_a_loop_after_next_has_the_rest(numbers):
    iterator = by_reader(numbers(6, 2))
    for _ in range(2):
        iter(iterator)
        assert values(next(iterator)) == [0, 1]
        assert epoch(iterator) == [[2, 3], [4, 5]]


def test_what_is_read_ahead_is_of_no_epoch_that_was_left(numbers, pipelines):
    """Readers alone read many batches at once, and more than the consumer has asked for."""
    iterator = by_reader(numbers(16, 1))
    for taken in range(1, 16):
        assert [values(b) for b in islice(iterator, taken)] == [[n] for n in range(taken)]


@pytest.mark.parametrize("size", [-1, 12, 20])
def test_sources_start_over(feed_numbers, size):
    iterator = GenericIterator(feed_numbers(lambda i: i), ["label"], size)
    for taken in (1, 3, 2, 1):
        assert [values(batch) for batch in islice(iterator, taken)] == FED[:taken]
    assert epoch(iterator) == FED
    assert epoch(iterator) == FED


FED = [[0] * 4, [1] * 4, [2] * 4]


@pytest.mark.parametrize("source", [iter([0, 1, 2]), (i for i in range(3))])
def test_a_source_that_runs_once_goes_on_and_loses_nothing(feed_numbers, source):
    iterator = GenericIterator(feed_numbers(source), ["label"])
    assert [values(batch) for batch in islice(iterator, 1)] == FED[:1]
    assert epoch(iterator) == FED[1:]
    with pytest.raises(ArgumentError, match="cannot be iterated a second time"):
        epoch(iterator)


def test_data_that_were_fed_are_not_thrown_away(pipelines):
    pipeline = Pipeline(batch_size=2, num_threads=1, prefetch_queue_depth=1)
    with pipeline:
        pipeline.set_outputs(fn.external_source(name="fed"))
    pipelines.append(pipeline)
    for i in range(4):
        pipeline.feed_input("fed", np.full((2, 1), i))
    iterator = GenericIterator(pipeline, ["label"], 8)
    seen = [values(batch)[0] for _ in range(2) for batch in islice(iterator, 2)]
    assert seen == [0, 1, 2, 3]


def test_random_numbers_go_on(pipelines):
    pipeline = Pipeline(batch_size=2, num_threads=1, seed=1)
    with pipeline:
        pipeline.set_outputs(fn.random.uniform(range=(0, 1)))
    pipelines.append(pipeline)
    iterator = GenericIterator(pipeline, ["label"], 8)
    drawn = [tuple(values(batch)) for _ in range(3) for batch in islice(iterator, 3)]
    assert len(set(drawn)) == 9
    assert len(epoch(iterator)) == 4


def test_where_the_next_batch_is(numbers, feed_numbers):
    def places(iterator):
        return [(iterator.epoch, iterator.step) for _ in iterator]

    iterator = by_reader(numbers(8, 2, random_shuffle=True))
    assert (iterator.epoch, iterator.step) == (0, 0)
    assert places(iterator) == [(0, 1), (0, 2), (0, 3), (1, 0)]
    assert (iterator.epoch, iterator.step) == (1, 0)
    first = iter(iterator)
    next(first)
    next(first)
    resumed = by_reader(numbers(8, 2, random_shuffle=True))
    resumed.load_state_dict(iterator.state_dict())
    assert (resumed.epoch, resumed.step) == (1, 2)
    assert places(resumed) == [(1, 3), (2, 0)]
    assert places(iterator) == [(2, 1), (2, 2), (2, 3), (3, 0)]  # the loop was broken off
    for options in ({}, {"size": 8}):
        counting = GenericIterator(feed_numbers(lambda i: i), ["label"], **options)
        with pytest.raises(TypeError, match="give reader_name"):
            print(counting.epoch)


def test_several_pipelines_as_shards(numbers):
    shards = [numbers(7, 2, rank, 2, pad_last_batch=True) for rank in (0, 1)]
    iterator = by_reader(shards, last_batch_policy=PARTIAL)
    assert epoch(iterator) == [[[0, 1], [3, 4]], [[2], [5, 6]]]
    assert epoch(iterator) == [[[3, 4], [0, 1]], [[5, 6], [2]]]


def test_a_shard_that_is_used_up_gives_no_rows(numbers):
    shards = [numbers(5, 2, rank, 2, pad_last_batch=True) for rank in (0, 1)]
    iterator = by_reader(shards, last_batch_policy=PARTIAL)
    assert epoch(iterator) == [[[0, 1], [2, 3]], [[], [4]]]


def test_size_is_divided_among_the_pipelines(numbers):
    shards = [numbers(10, 2, rank, 2, pad_last_batch=True) for rank in (0, 1)]
    iterator = GenericIterator(
        shards, ["label"], 10, last_batch_padded=True, last_batch_policy=PARTIAL
    )
    assert epoch(iterator)[-1] == [[4], [9]]
    assert iterator.size == 10


def test_dropping_keeps_the_epochs_of_padded_shards_apart(numbers):
    shards = [numbers(10, 3, rank, 3, pad_last_batch=True) for rank in range(3)]
    iterator = by_reader(shards, last_batch_policy=DROP, auto_reset=True)
    assert epoch(iterator) == [[[0, 1, 2], [3, 4, 5], [6, 7, 8]]]
    assert epoch(iterator) == [[[3, 4, 5], [6, 7, 8], [0, 1, 2]]]
    assert epoch(iterator) == [[[6, 7, 8], [0, 1, 2], [3, 4, 5]]]


def test_attributes(numbers):
    iterator = by_reader([numbers(7, 2, rank, 3) for rank in (0, 2)])
    assert (iterator.size, iterator.batch_size, iterator.output_map) == (5, 2, ["label"])


def test_output_map_must_name_every_output(numbers):
    iterator = GenericIterator(numbers(4, 2), ["image", "label"], reader_name="Reader")
    with pytest.raises(ArgumentError, match=r"1 output\(s\), but output_map names 2"):
        next(iterator)


@pytest.mark.parametrize("prepare", [True, False])
def test_prepare_first_batch_changes_when_work_begins_and_nothing_else(numbers, prepare):
    pipeline = numbers(4, 2)
    before = set(own_threads())
    iterator = by_reader(pipeline, prepare_first_batch=prepare)
    assert bool(set(own_threads()) - before) is prepare
    assert epoch(iterator) == [[0, 1], [2, 3]]


def test_leaving_the_block_closes_the_pipelines(numbers):
    before = set(own_threads())
    with by_reader(numbers(4, 2)) as iterator:
        next(iterator)
        assert set(own_threads()) - before
    assert set(own_threads()) <= before
    with pytest.raises(PipelineStopped):
        next(iterator)


THREE = [column(range(4)), column(range(4, 8)), column(range(8, 12))]


@pytest.mark.parametrize("auto_reset", [True, False])
def test_data_that_ends_by_itself(feed, auto_reset):
    iterator = GenericIterator(feed([*THREE, column([12])]), ["label"], auto_reset=auto_reset)
    for _ in range(3):
        assert epoch(iterator) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12]]
    assert iterator.size == -1
    with pytest.raises(TypeError, match="no length"):
        len(iterator)


@pytest.mark.parametrize(
    ("size", "last"), [(12, [8, 9, 10, 11]), (10, [8, 9]), (20, [8, 9, 10, 11])]
)
def test_data_that_ends_where_an_epoch_of_given_size_does_or_sooner(feed, size, last):
    iterator = GenericIterator(feed(THREE), ["label"], size, last_batch_policy=PARTIAL)
    for _ in range(3):
        assert epoch(iterator) == [[0, 1, 2, 3], [4, 5, 6, 7], last]


def test_nothing_is_carried_over_when_data_begins_again(feed):
    iterator = GenericIterator(feed(THREE), ["label"], 10, auto_reset=True)
    for _ in range(3):
        assert epoch(iterator) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_no_data_is_an_error_and_not_an_endless_row_of_empty_epochs(feed):
    with pytest.raises(ArgumentError, match="before the epoch's first batch"):
        next(GenericIterator(feed([]), ["label"]))
    once = GenericIterator(feed(THREE, rewinds=False), ["label"], auto_reset=True)
    assert len(epoch(once)) == 3
    with pytest.raises(ArgumentError, match="cannot be iterated a second time"):
        epoch(once)


def test_an_error_in_the_pipeline_arrives_with_its_type(feed):
    class Failing:
        def __len__(self):
            raise ZeroDivisionError

    iterator = GenericIterator(feed([THREE[0], Failing()]), ["label"])
    assert values(next(iterator)) == [0, 1, 2, 3]
    with pytest.raises(ZeroDivisionError):
        next(iterator)
    with pytest.raises(PipelineStopped, match="ZeroDivisionError"):
        next(iterator)


@pytest.mark.parametrize(
    ("policy", "padded"), [(FILL, True), (PARTIAL, True), (DROP, True), (FILL, False)]
)
@pytest.mark.parametrize("taken", range(9))
@pytest.mark.parametrize("ranks", [1, 3])
def test_resuming_goes_on_in_the_middle_of_the_epoch(numbers, policy, padded, taken, ranks):
    def start(checkpoint=None):
        shards = [
            numbers(10, 2, rank, ranks, pad_last_batch=padded, checkpoint=checkpoint)
            for rank in range(ranks)
        ]
        return by_reader(shards, last_batch_policy=policy, auto_reset=True)

    def next_epochs(iterator):
        rests = [epoch(iterator) for _ in range(5)]
        return [rest for rest in rests if rest][:4]

    unbroken = start()
    for _ in range(taken):
        take(unbroken)
    saved = unbroken.checkpoints()
    assert len(set(saved)) == 1
    resumed = start(saved[0])
    assert next_epochs(resumed) == next_epochs(unbroken)


def take(iterator):
    """Take the next batch, of this epoch or of the next."""
    try:
        next(iterator)
    except StopIteration:
        next(iterator)


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_resuming_with_other_ranks_has_each_remaining_sample_once(numbers, ranks, batch_size):
    def start(ranks, batch_size, checkpoint=None):
        shards = [
            numbers(14, batch_size, rank, ranks, pad_last_batch=True, checkpoint=checkpoint)
            for rank in range(ranks)
        ]
        return by_reader(shards, last_batch_policy=PARTIAL)

    def numbers_in(batch):
        return [int(n) for outputs in batch for n in outputs["label"].ravel()]

    first = start(3, 2)
    seen = numbers_in(next(first))
    second = start(ranks, batch_size, first.checkpoints()[0])
    assert len(second) == 1 + ceil(ceil(8 / ranks) / batch_size)
    for batch in second:
        seen += numbers_in(batch)
    assert sorted(seen) == list(range(14))
    assert sorted(n for batch in second for n in numbers_in(batch)) == list(range(14))


def test_an_iterator_on_a_pipeline_that_has_run_has_the_rest_of_the_epoch(numbers):
    pipeline = numbers(7, 2)
    pipeline.run()
    iterator = by_reader(pipeline)
    assert epoch(iterator) == [[2, 3], [4, 5], [6, 0]]
    assert epoch(iterator) == [[1, 2], [3, 4], [5, 6]]


def test_batches_that_are_kept_stay_as_they_were(numbers):
    iterator = by_reader(numbers(16, 2), auto_reset=True)
    kept = [batch for _ in range(5) for batch in iterator]
    for i, batch in enumerate(kept):
        start = 2 * i % 16
        np.testing.assert_array_equal(batch[0]["label"], column([start, start + 1]))
