"""A source whose samples processes read, some before they are asked for."""

import os
import signal

import numpy as np
import pytest

from penstock.engine.order.sampler import Sampler
from penstock.engine.work.batch import Batch
from penstock.readers.process import process_source
from penstock.readers.process.process_source import ProcessSource
from penstock.tests.readers.squares import Squares, lengths

from ..processes import assert_soon, children, settled_children

SIZE = 60


class Reading:
    """Batches that processes read, checked one by one."""

    def __init__(self, pool, source=None):
        self.pool = pool
        self.sampler = Sampler(1000, SIZE, shuffle=True)
        self.source = ProcessSource(source or Squares(), pool.arena, {})
        self.asked = []

    def read(self, number, following=None):
        """Read a batch, and assert that it is right."""
        batch = Batch(number, SIZE, self.pool, seed=0)
        indices = self.sampler.select(number).index

        def follow():
            self.asked.append(number + 1 if following is None else following)
            return self.sampler.select(self.asked[-1])

        rows, numbers = self.source.read(batch, indices, follow)
        np.testing.assert_array_equal(numbers, indices)
        for index, row in zip(indices.tolist(), rows, strict=True):
            assert row.tobytes() == bytes([index % 256]) * index**2
        assert batch.taken_bytes >= (indices**2).sum()
        return batch


@pytest.fixture(params=[1, 3])
def reading(pool, request, monkeypatch):
    monkeypatch.setattr(process_source, "processes_of_cores", lambda least: request.param)
    reading = Reading(pool)
    reading.read(0)
    assert not reading.asked  # no process is there
    before = set(settled_children())
    assert_soon(lambda: reading.source._reads.count(1.0, 1000, 1) or reading.source.path_used)
    reading.pids = sorted(set(children()) - before)
    assert len(reading.pids) == request.param
    yield reading
    reading.source.close()


def test_processes_read_the_next_samples_before_they_are_asked_for(reading):
    for number in range(1, 12):
        reading.read(number)
    assert reading.asked == list(range(2, 13))


def test_rows_come_with_their_metadata(pool):
    source = ProcessSource(Squares(), pool.arena, {"lengths": lengths})
    assert_soon(lambda: source._reads.count(1.0, 90_000, 1) or source.path_used)
    batch = Batch(0, 2, pool, seed=0)
    rows, _ = source.read(batch, np.array([300, 1]), lambda: Sampler(9, 2).select(0))
    assert rows.metadata["lengths"].tolist() == [90_000, 1]
    source.close()


def test_other_samples_than_expected(reading):
    for number, following in [(1, 2), (2, 7), (3, 3), (3, 4), (9, 10), (10, 11)]:
        reading.read(number, following)
    for number in range(100, 140):  # no connection is lost
        reading.read(number, 5)
    assert reading.asked == [2, 7, 3, 4, 10, 11, *[5] * 40]
    assert "of its own" in reading.source.path_used


def test_nothing_is_read_ahead_without_room(reading):
    reading.pool.budget = 0
    for number in range(1, 5):
        reading.read(number)
    assert reading.asked == []


def test_an_error_on_the_way_loses_no_connection(reading):
    def follow():
        raise MemoryError

    for number in range(1, 20):
        batch = Batch(number, SIZE, reading.pool, seed=0)
        with pytest.raises(MemoryError):
            reading.source.read(batch, reading.sampler.select(number).index, follow)
    reading.read(20)
    assert "of its own" in reading.source.path_used


def test_memory_comes_back(reading):
    for number in range(1, 5):
        reading.read(number)
    reading.source.close()
    reading.read(5)
    assert reading.pool.lent_bytes == 0


@pytest.mark.parametrize("number", [0, -1])
def test_if_a_process_dies_this_one_reads(reading, number):
    reading.read(1)
    os.kill(reading.pids[number], signal.SIGKILL)
    for each in range(2, 6):
        reading.read(each)
    assert "was ended by the signal SIGKILL" in reading.source.path_used


def test_this_process_raises_what_processes_cannot_read(pool):
    sampler = Sampler(1000, 50)
    source = ProcessSource(Squares(bad=[60]), pool.arena, {})
    assert_soon(lambda: source._reads.count(1.0, 1000, 1) or source.path_used)
    for number in (0, 1, 2, 1, 3):
        batch = Batch(number, 50, pool, seed=0)

        def read(batch=batch, number=number):
            following = sampler.select(number + 1)
            return source.read(batch, sampler.select(number).index, lambda: following)

        if number == 1:
            with pytest.raises(OSError, match="bad"):
                read()
        else:
            assert read()[1].tolist() == list(range(50 * number, 50 * number + 50))
    source.close()


def test_a_source_that_cannot_be_pickled_is_read_here(pool):
    source = Squares()
    source.close = lambda: None
    reading = Reading(pool, source)
    assert_soon(lambda: reading.source._reads.count(1.0, 1000, 1) or reading.source.path_used)
    assert reading.source.path_used.startswith("no process reads: ")
    for number in range(3):
        reading.read(number)
    assert reading.asked == []


def test_closing_ends_the_wait(reading):
    reading.read(1)
    reading.source.close()
    assert not reading.source.path_used
    reading.read(2)
    assert not any(pid in children() for pid in reading.pids)
