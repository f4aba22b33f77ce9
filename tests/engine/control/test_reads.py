"""Reads have more batches while that pays: by numbers alone."""

import pytest

from penstock.engine.control.reads import (
    AheadLimits,
    ReadLimits,
    ReadReading,
    SlowLimits,
    ahead,
    decide,
    is_slow,
)

MIB = 1 << 20
LIMITS = ReadLimits()


@pytest.mark.parametrize(
    ("seconds", "mib", "room", "is_ahead", "batches"),
    [
        (0.001, 1, 1000, False, 8),
        (0.011, 1, 1000, False, 4),  # half of the time is used up
        (0.021, 1, 1000, False, 2),
        (0.001, 17, 1000, False, 4),
        (0.001, 33, 1000, False, 2),
        (0.001, 9, 1000, True, 2),
        (0.001, 4, 1000, True, 8),
        (0.001, 9, 64, False, 2),  # an eighth of the room
        (0.001, 1, -5, False, 2),
    ],
)
def test_reads_grow_and_shrink(seconds, mib, room, is_ahead, batches):
    reading = ReadReading(4, seconds, mib * MIB, room * MIB, is_ahead)
    assert decide(reading, 100, LIMITS) == batches


def test_reads_have_one_batch_at_least_and_no_more_than_the_most():
    assert decide(ReadReading(1, 1.0, MIB, 1 << 40, False), 8, LIMITS) == 1
    assert decide(ReadReading(6, 0.0, MIB, 1 << 40, False), 8, LIMITS) == 8


@pytest.mark.parametrize(("mib", "batches"), [(15, 0), (16, 3), (32, 3), (60, 1), (1000, 1)])
def test_large_arrays_are_read_ahead(mib, batches):
    assert ahead(mib * MIB, AheadLimits()) == batches


@pytest.mark.parametrize(
    ("seconds", "waits", "slow"), [(0.1, 64, True), (0.01, 64, False), (0.1, 63, False)]
)
def test_storage_is_slow_if_threads_wait_for_it(seconds, waits, slow):
    assert is_slow(64, seconds, waits, SlowLimits()) == slow
