"""Reads that processes share out among themselves, as the process that asks sees them."""

import os

import numpy as np
import pytest

from penstock.engine.tensors.memory import SMALL
from penstock.readers.process.part_reads import MAX_PROCESSES, PartReads, processes_of_cores
from penstock.readers.process.placed_columns import joined
from penstock.readers.process.reading_process import ReadingProcess
from penstock.tests.readers.squares import Squares

from ..processes import assert_soon


@pytest.fixture(params=[1, 3])
def reads(pool, request):
    process = ReadingProcess(pool.arena, 1, {}, request.param, Squares())
    reads = PartReads(process)
    reads.processes = request.param
    yield reads
    reads.close()


def started(reads, nbytes=1000, samples=1):
    assert_soon(lambda: reads.count(1.0, nbytes, samples) or reads.path_used)


@pytest.mark.parametrize("samples", [1, 40, 100])
def test_each_process_reads_a_part(reads, pool, samples):
    started(reads, 2000 * 64)
    found = reads.begin("samples", np.arange(samples), pool.empty).wait()
    expected = {1: 1, 40: 2, 100: 3}[samples] if reads.processes == 3 else 1
    assert len(found.answers) == len(found.firsts) == expected
    columns = zip(*(placed for (placed,) in found.answers), strict=True)
    rows, numbers = (joined(found.slab, found.firsts, column) for column in columns)
    assert numbers.tolist() == list(range(samples))
    for number, row in enumerate(rows):
        assert row.tobytes() == bytes([number]) * number**2


def test_no_process_reads_nothing(reads, pool):
    assert reads.begin("samples", np.arange(3), pool.empty) is None  # they have not started
    started(reads)
    assert reads.begin("samples", np.arange(0), pool.empty) is None


def test_samples_that_have_no_room_are_asked_for_again(reads, pool):
    started(reads, SMALL)
    sizes = []

    def allocate(shape, dtype):
        sizes.append(shape[0])
        return pool.empty(shape, dtype)

    begun = reads.begin("samples", np.array([900, 2]), allocate)
    found = begun.wait()
    assert (len(sizes), begun.nbytes) == (2, found.slab.nbytes)
    assert sizes[0] < 810_004 <= sizes[1] < 1_620_000
    reads.begin("samples", np.array([900, 2]), allocate).wait()
    assert len(sizes) == 3  # it has learned their size


def test_memory_elsewhere_is_left_alone(reads, pool):
    started(reads)
    begun = reads.begin("samples", np.arange(3), np.empty)
    assert begun.wait() is None
    assert reads.begin("samples", np.arange(300), pool.empty).wait() is not None


def test_after_the_end_of_the_processes_nothing_is_read(reads, pool):
    started(reads)
    begun = reads.begin("samples", np.arange(300), pool.empty)
    reads.close()
    begun.wait()  # does not hang
    assert reads.begin("samples", np.arange(300), pool.empty) is None


def test_the_number_of_processes_follows_from_the_cores(monkeypatch):
    found = []
    for cores in (1, 2, 7, 8, 16, 96):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        found.append(processes_of_cores())
        assert processes_of_cores(least=2) == max(2, found[-1])
    assert found == [1, 1, 1, 2, 4, 4]
    assert MAX_PROCESSES == 4
