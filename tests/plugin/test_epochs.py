"""Batches and rows of an epoch, from sizes alone."""

from __future__ import annotations

from itertools import product

import pytest

from penstock import ArgumentError
from penstock.plugin.epochs import Epochs, LastBatchPolicy, Shards

FILL, DROP, PARTIAL = LastBatchPolicy.FILL, LastBatchPolicy.DROP, LastBatchPolicy.PARTIAL
CASES = list(product((5, 6, 7, 12), (1, 2, 3, 5), (1, 2, 4), (False, True), (False, True)))


def steps(epochs, count):
    """Return the number of batches of each of the next `count` epochs."""
    result = []
    for _ in range(count):
        result.append(epochs.steps)
        epochs.advance()
    return result


@pytest.mark.parametrize(
    ("policy", "padded", "expected"),
    [
        (FILL, False, [4, 3, 4, 3]),
        (FILL, True, [4, 4, 4, 4]),
        (PARTIAL, False, [4, 4, 4, 4]),
        (PARTIAL, True, [4, 4, 4, 4]),
        (DROP, False, [3, 3, 3, 3]),
        (DROP, True, [3, 3, 3, 3]),
    ],
)
def test_seven_samples_in_twos(policy, padded, expected):
    epochs = Epochs(Shards(7, 1, padded, stick=False), [0], 2, policy)
    assert steps(epochs, 4) == expected


def test_shards_are_the_whole_set_in_every_epoch():
    for samples, count, _, padded, stick in CASES:
        shards = Shards(samples, count, padded, stick)
        for epoch in range(7):
            sizes = shards.sizes(epoch)
            assert sum(sizes) == samples
            assert max(sizes) - min(sizes) <= 1
        moved = shards.sizes(0) if stick else shards.sizes(0)[1:] + shards.sizes(0)[:1]
        assert shards.sizes(1) == moved


def test_partial_has_every_sample_once():
    for samples, count, batch_size, padded, stick in CASES:
        epochs = Epochs(Shards(samples, count, padded, stick), range(count), batch_size, PARTIAL)
        for _ in range(4):
            rows = [epochs.rows(i, step) for i in range(count) for step in range(epochs.steps)]
            assert sum(rows) == samples
            assert max(rows) <= batch_size
            assert epochs.dropped == 0
            epochs.advance()


def test_fill_takes_each_sample_as_soon_as_due_and_not_sooner():
    for samples, count, batch_size, padded, stick in CASES:
        shards = Shards(samples, count, padded, stick)
        epochs = Epochs(shards, range(count), batch_size, FILL)
        batches, due = 0, [0] * count
        for epoch in range(9):
            before, batches = batches, batches + epochs.steps
            due = [d + size for d, size in zip(due, shards.sizes(epoch), strict=True)]
            if padded:
                assert epochs.steps * batch_size >= max(shards.sizes(epoch))
                assert (epochs.steps - 1) * batch_size < max(shards.sizes(epoch))
            else:
                assert batches * batch_size >= max(due)
                assert (batches - 1) * batch_size < max(due) or batches == before + 1
            epochs.advance()


def test_drop_hands_out_full_batches_only():
    for samples, count, batch_size, padded, stick in CASES:
        shards = Shards(samples, count, padded, stick)
        if samples // count < batch_size:
            with pytest.raises(ArgumentError, match="DROP would leave no batch"):
                Epochs(shards, range(count), batch_size, DROP)
            continue
        epochs = Epochs(shards, range(count), batch_size, DROP)
        for epoch in range(4):
            assert 0 < epochs.steps * batch_size <= min(shards.sizes(epoch))
            assert (epochs.steps + 1) * batch_size > min(shards.sizes(epoch))
            if padded:
                in_the_reader = -(-max(shards.sizes(epoch)) // batch_size)
                assert epochs.steps + epochs.dropped == in_the_reader
            epochs.advance()


def test_what_is_left_of_a_begun_epoch():
    shards = Shards(10, 2, padded=True, stick=False, first_epoch=3, left=((1, 3),))
    epochs = Epochs(shards, [0, 1], 2, PARTIAL)
    assert epochs.steps == 2
    assert [[epochs.rows(i, step) for i in (0, 1)] for step in (0, 1)] == [[1, 2], [0, 1]]
    epochs.advance()
    assert epochs.steps == 3


def test_a_begun_run_has_as_many_steps_as_an_unbroken_one():
    for samples, count, batch_size, padded, stick in CASES:
        whole = Shards(samples, count, padded, stick)
        unbroken = Epochs(whole, range(count), batch_size, FILL)
        taken = unbroken.steps - 1
        left = tuple(max(0, size - taken * batch_size) for size in whole.sizes(0))
        begun = Epochs(
            Shards(samples, count, padded, stick, left=(left,)), range(count), batch_size, FILL
        )
        assert steps(begun, 1) == [1]
        if padded or count == 1:
            unbroken.advance()
            assert steps(begun, 6) == steps(unbroken, 6)


def test_restart_forgets_what_was_carried_over():
    epochs = Epochs(Shards(7, 1, padded=False, stick=False), [0], 2, FILL)
    epochs.advance()
    assert epochs.steps == 3
    epochs.restart()
    assert epochs.steps == 4
