"""Processes that read batches, some before they are asked for."""

import os
import signal

import numpy as np
import pytest

from penstock.engine.order.sampler import Sampler
from penstock.engine.tensors.memory import SMALL
from penstock.engine.work.batch import Batch
from penstock.readers.interrupt import Interrupt
from penstock.readers.reading import processes
from penstock.readers.reading.carriers import CountedMemory
from penstock.readers.reading.processes import (
    MAX_PROCESSES,
    MAX_READS_AHEAD,
    Processes,
    processes_of_cores,
)
from penstock.readers.reading.window import ReadWindow
from penstock.tests.readers.squares import Squares, lengths

from ..processes import assert_soon, children, settled_children

SIZE = 60


def start(carrier, nbytes=1000, samples=1):
    """Have the processes start, and tell them how large samples are."""
    carrier._learn(nbytes, samples)
    assert_soon(lambda: carrier._process.count(1.0) or carrier.path_used)


class Reading:
    """Batches that processes read, checked one by one."""

    def __init__(self, pool, source=None, depth=0, functions=None):
        self.pool = pool
        self.sampler = Sampler(1000, SIZE, shuffle=True)
        source = source or Squares()
        self.interrupt = Interrupt()
        self.carrier = Processes(source, pool.arena, functions or {}, depth, self.interrupt)
        self.window = ReadWindow(self.sampler, self.carrier)

    def read(self, number):
        """Read a batch, and assert that it is right."""
        batch = Batch(number, SIZE, self.pool, seed=0)
        selection = self.window.select(number)
        rows, numbers = self.window.take(batch, selection)
        indices = self.sampler.select(number).index
        np.testing.assert_array_equal(numbers, indices)
        for index, row in zip(indices.tolist(), rows, strict=True):
            assert row.tobytes() == bytes([index % 256]) * index**2
        assert batch.memory.taken_bytes >= (indices**2).sum()
        return batch

    def ahead(self):
        """Return the batches that are being read before their turn."""
        return [read.numbers.start for read in self.window._reads if read.pending is not None]


@pytest.fixture(params=[1, 3])
def reading(pool, request, monkeypatch):
    monkeypatch.setattr(processes, "processes_of_cores", lambda: request.param)
    before = set(settled_children())
    reading = Reading(pool)
    reading.read(0)
    start(reading.carrier)
    reading.pids = sorted(set(children()) - before)
    assert len(reading.pids) == request.param
    yield reading
    reading.window.close()


def test_processes_read_the_next_samples_before_they_are_asked_for(reading):
    for number in range(1, 12):
        reading.read(number)
        assert reading.ahead() == [number + 1]


@pytest.mark.parametrize(("depth", "ahead"), [(2, 2), (9, MAX_READS_AHEAD)])
def test_several_batches_ahead(pool, depth, ahead):
    reading = Reading(pool, depth=depth)
    reading.read(0)
    start(reading.carrier)
    for number in [*range(1, 12), 40, 41]:
        reading.read(number)
        assert reading.ahead() == list(range(number + 1, number + 1 + ahead))
    reading.window.close()


def test_rows_come_with_their_metadata(pool):
    reading = Reading(pool, functions={"lengths": lengths})
    start(reading.carrier, 90_000)
    rows, _ = reading.carrier.start(
        selected([300, 1]), CountedMemory(pool.empty)
    ).result()  # fmt: skip
    assert rows.metadata["lengths"].tolist() == [90_000, 1]
    reading.window.close()


def selected(indices):
    """Return a selection of these samples."""
    selection = Sampler(1000, len(indices)).select(0)
    selection.index[:] = indices
    return selection


@pytest.mark.slow
def test_any_number_at_any_time(reading):
    for number in [1, 7, 3, 4, 10, 11, 2, 2, *range(100, 140, 3)]:  # no connection is lost
        reading.read(number)
    assert "of its own" in reading.carrier.path_used


def test_batches_that_are_given_up(reading):
    for number in range(1, 20):
        reading.read(number)
        reading.window.forget()
        with reading.carrier.start(selected(range(40)), CountedMemory(reading.pool.empty)):
            pass  # nobody takes the result
    reading.read(20)
    assert "of its own" in reading.carrier.path_used


def test_nothing_is_read_ahead_without_room(reading):
    reading.pool.budget = 0
    for number in range(1, 5):
        reading.read(number)
        assert not reading.ahead()


def test_an_error_on_the_way_loses_no_connection(reading, monkeypatch):
    for number in range(1, 20):
        monkeypatch.setattr(reading.window, "_start_following", _fail)
        with pytest.raises(MemoryError):
            reading.read(number)
    monkeypatch.undo()
    reading.read(20)
    assert "of its own" in reading.carrier.path_used


def _fail(batch):
    raise MemoryError


def test_memory_comes_back(reading):
    for number in range(1, 5):
        reading.read(number)
    reading.window.close()
    reading.read(5)
    assert reading.pool.lent_bytes == 0


@pytest.mark.parametrize("number", [0, -1])
def test_if_a_process_dies_this_one_reads(reading, number):
    reading.read(1)
    os.kill(reading.pids[number], signal.SIGKILL)
    for each in range(2, 6):
        reading.read(each)
    assert "was ended by the signal SIGKILL" in reading.carrier.path_used


def test_this_process_raises_what_processes_cannot_read(pool):
    reading = Reading(pool, Squares(bad=[60]))
    start(reading.carrier)
    bad = next(n for n in range(20) if 60 in reading.sampler.select(n).index)
    for number in (bad + 1, bad, bad + 2, bad, bad + 3):
        if number == bad:
            with pytest.raises(OSError, match="bad"):
                reading.read(number)
        else:
            reading.read(number)
    reading.window.close()


def test_a_source_that_cannot_be_pickled_is_read_here(pool):
    source = Squares()
    source.close = lambda: None
    reading = Reading(pool, source)
    start(reading.carrier)
    assert reading.carrier.path_used.startswith("no process reads: ")
    for number in range(3):
        reading.read(number)
        assert not reading.ahead()


def test_closing_ends_the_wait(reading):
    reading.read(1)
    reading.interrupt.set()
    assert not reading.carrier.path_used
    reading.read(2)
    assert not any(pid in children() for pid in reading.pids)


class Sizes:
    """Notes the sizes of what it allocates."""

    def __init__(self, pool):
        self.pool, self.sizes = pool, []

    def empty(self, shape, dtype):
        self.sizes.append(shape[0])
        return self.pool.empty(shape, dtype)


@pytest.mark.parametrize("samples", [1, 40, 100])
def test_each_process_reads_a_part(reading, pool, samples):
    read = reading.carrier.start(selected(range(samples)), CountedMemory(pool.empty))
    parts = {1: 1, 40: 2, 100: 3}[samples] if len(reading.pids) == 3 else 1
    assert len(read._parts) == parts
    rows, numbers = read.result()
    assert numbers.tolist() == list(range(samples))
    for number, row in enumerate(rows):
        assert row.tobytes() == bytes([number]) * number**2


def test_samples_that_have_no_room_are_asked_for_again(pool):
    carrier = Reading(pool).carrier
    start(carrier, SMALL)
    sizes = Sizes(pool)
    memory = CountedMemory(sizes.empty)
    rows, _ = carrier.start(selected([900, 2]), memory).result()
    assert (len(sizes.sizes), memory.nbytes, len(rows[0])) == (2, sizes.sizes[1], 810_000)
    assert sizes.sizes[0] < 810_004 <= sizes.sizes[1] < 1_620_000
    carrier.start(selected([900, 2]), CountedMemory(sizes.empty)).result()
    assert len(sizes.sizes) == 3  # it has learned their size
    carrier.close()


def test_large_samples_are_forgotten(pool):
    carrier = Reading(pool).carrier
    start(carrier)
    sizes = Sizes(pool)
    carrier.start(selected([900, *range(20)]), CountedMemory(sizes.empty)).result()
    del sizes.sizes[:]
    for _ in range(60):
        carrier.start(selected(range(20, 41)), CountedMemory(sizes.empty)).result()
    assert len(sizes.sizes) == 60
    mean = sum(i**2 for i in range(20, 41)) + 64
    assert sizes.sizes[0] > sizes.sizes[-1] < 4 * mean
    carrier.close()


def test_memory_elsewhere_is_left_alone(reading):
    rows, numbers = reading.carrier.start(selected([3, 2]), CountedMemory(np.empty)).result()
    assert numbers.tolist() == [3, 2]
    assert [len(row) for row in rows] == [9, 4]


def test_the_number_of_processes_follows_from_the_cores(monkeypatch):
    found = []
    for cores in (1, 2, 3, 4, 8, 12, 16, 96):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        found.append(processes_of_cores())
    assert found == [1, 1, 1, 2, 2, 3, 4, 4]
    assert MAX_PROCESSES == 4
