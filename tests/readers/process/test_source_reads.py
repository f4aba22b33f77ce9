"""Samples of a source read into an arena, as the process that reads does it."""

import threading
import time

import numpy as np
import pytest

from penstock.readers.process.placed_columns import joined
from penstock.readers.process.source_reads import SourceReads
from penstock.tests.readers.squares import Squares, lengths

INDICES = np.array([7, 200, 0, 30])
BYTES = int((INDICES**2).sum())
NEEDED = -(-BYTES // 64) * 64 + INDICES.nbytes  # the numbers lie behind the rows


@pytest.fixture
def memory(pool):
    memory = pool.empty((NEEDED + 4096,))
    memory[:] = 99
    return memory


@pytest.fixture
def read(pool, memory):
    def read(room, bad=()):
        reads = SourceReads(pool.arena, Squares(bad), {"lengths": lengths})
        return reads.read(INDICES, pool.arena.offset(memory), room)

    return read


def test_samples_lie_in_the_arena(read, memory):
    used, (columns,) = read(NEEDED)
    assert used == NEEDED
    rows, numbers = (joined(memory, [0], [column]) for column in columns)
    assert numbers.tolist() == INDICES.tolist()
    assert [row.tobytes() for row in rows] == [bytes([n]) * n**2 for n in INDICES.tolist()]
    assert rows.metadata["lengths"].tolist() == (INDICES**2).tolist()
    assert set(memory[NEEDED:].tolist()) == {99}


@pytest.mark.parametrize("room", [0, 1000, BYTES - 1, BYTES, NEEDED - 1])
def test_without_room_the_bytes_are_told(read, memory, room):
    used, columns = read(room)
    assert (room < used <= NEEDED, columns) == (True, [])
    assert used == (BYTES if room < BYTES else NEEDED)
    assert set(memory[room:].tolist()) == {99}


def test_a_sample_that_cannot_be_read_has_no_answer(read):
    assert read(NEEDED, bad=[30]) is None


class Slow(Squares):
    """Takes a while for each read; notes the threads that read."""

    def __init__(self):
        super().__init__()
        self.threads = set()

    def read(self, indices, allocate):
        self.threads.add(threading.get_ident())
        time.sleep(0.01)
        return super().read(indices, allocate)


@pytest.mark.parametrize(
    ("quick_seconds", "min_waits", "parts"), [(1e9, 0, 1), (0, 0, 3), (0, 1e9, 1)]
)
def test_several_threads_read_where_samples_come_slowly(
    pool, limited, quick_seconds, min_waits, parts
):
    limited(SourceReads, seconds=quick_seconds, waits=min_waits)
    source, indices = Slow(), np.arange(40)
    reads = SourceReads(pool.arena, source, {"lengths": lengths}, 3)
    memory = pool.empty((1 << 20,))
    for attempt in range(2):
        source.threads.clear()
        used, placed = reads.read(indices, pool.arena.offset(memory), memory.size)
        assert (indices**2).sum() < used <= memory.size
        assert len(placed) == (parts if attempt else 1)  # the first read says how slow they are
        columns = [
            joined(memory, [0] * len(placed), column) for column in zip(*placed, strict=True)
        ]
        rows, numbers = columns
        assert numbers.tolist() == indices.tolist()
        assert [row.tobytes() for row in rows] == [bytes([n]) * n**2 for n in range(40)]
        assert rows.metadata["lengths"].tolist() == (indices**2).tolist()
    assert (len(source.threads) > 1) == (parts > 1)
    short = sum(n**2 for n in range(40)) - 1
    assert reads.read(indices, pool.arena.offset(memory), short)[1] == []
