"""Files read into an arena, as the process that reads does it."""

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from penstock.engine.tensors.memory import SlabPool
from penstock.engine.threads import Team
from penstock.readers.process import file_reads
from penstock.readers.process.file_reads import FileReads
from penstock.testing.descriptors import open_below

SIZES = [5, 0, 100_000, *range(600)]  # more files than are open at once


def lengths(begins, sizes):
    """Find out how long rows are: a fact about each."""
    return sizes


@pytest.fixture
def paths(tmp_path):
    random = np.random.default_rng(1)
    for number, size in enumerate(SIZES):
        (tmp_path / f"{number:03}").write_bytes(random.bytes(size))
    return [os.fsencode(tmp_path / f"{number:03}") for number in range(len(SIZES))]


@pytest.fixture
def read():
    """A read with room for so many bytes: what it returns, and memory that goes beyond them."""
    pool = SlabPool(shared=True)
    memory = pool.empty((sum(SIZES) + 2000,))
    memory[:] = 7
    reads = FileReads(pool.arena, Team("reading", 2), {"lengths": lengths})

    def read(paths, room):
        return reads.read(paths, pool.arena.offset(memory), room), memory

    return read


@pytest.mark.parametrize("spare", [0, 1000])
def test_files_lie_one_behind_the_other(read, paths, spare, tmp_path):
    (total, sizes, facts), memory = read(paths, sum(SIZES) + spare)
    assert total == sum(SIZES)
    assert sizes.tolist() == facts["lengths"].tolist() == SIZES
    contents = b"".join(Path(os.fsdecode(path)).read_bytes() for path in paths)
    assert memory.tobytes() == contents + b"\7" * 2000
    assert open_below(tmp_path) == []


@pytest.mark.parametrize(("quick_seconds", "most"), [(1e9, 1), (0, 3)])
def test_several_threads_read_where_files_come_slowly(
    read, paths, tuned, quick_seconds, most, monkeypatch
):
    tuned(file_reads, QUICK_SECONDS=quick_seconds)
    threads = set()

    def seen(fd, view, offset, of=file_reads.read_cached):
        threads.add(threading.get_ident())
        time.sleep(0.0005)
        return of(fd, view, offset)

    monkeypatch.setattr(file_reads, "read_cached", seen)
    (_, sizes, _), memory = read(paths, sum(SIZES))
    assert sizes.tolist() == SIZES
    contents = b"".join(Path(os.fsdecode(path)).read_bytes() for path in paths)
    assert memory.tobytes() == contents + b"\7" * 2000
    assert 1 <= len(threads) <= most
    assert most == 1 or len(threads) > 1


@pytest.mark.parametrize("room", [0, 10, 100_010, sum(SIZES) - 1])
def test_sizes_are_told_where_there_is_no_room(read, paths, room):
    (total, sizes, facts), memory = read(paths, room)
    assert total == sum(SIZES)
    assert sizes.tolist() == SIZES
    assert not facts
    assert (memory[room:] == 7).all()


@pytest.mark.parametrize("place", [0, 600])
def test_a_missing_file_leaves_all_to_others(read, paths, place, tmp_path):
    paths[place] += b".none"
    assert read(paths, sum(SIZES))[0] is None
    assert open_below(tmp_path) == []
