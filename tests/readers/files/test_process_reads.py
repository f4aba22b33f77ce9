"""Whole local files, read by a process of their own."""

import os
import signal

import numpy as np
import pytest

from penstock.decoders.image.formats import jpeg_batch_headers
from penstock.engine.processes.helper_processes import WORTH_STARTING_SECONDS
from penstock.engine.tensors import TensorListCPU
from penstock.readers.files import process_reads
from penstock.readers.files.process_reads import ProcessReads
from penstock.readers.process.reading_process import ReadingProcess

from ..processes import alive, assert_soon, children, start
from .made import random_files

SIZES = [5, 0, 100_000, 1, 70_000, *range(30_000, 30_600)]  # more files than are open at once


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    random_files(folder, SIZES)
    return folder


@pytest.fixture
def reads(process):
    return ProcessReads(process)


def paths_in(folder, indices):
    return [os.fsencode(folder / f"{index:03}.bin") for index in indices]


@pytest.fixture
def check(reads, folder, pool):
    """Reads files and looks at what was read."""

    def check(indices):
        contents = reads.read(paths_in(folder, indices), pool.empty)
        for index, content in zip(indices, contents, strict=True):
            assert content.tobytes() == (folder / f"{index:03}.bin").read_bytes()

    return check


@pytest.fixture
def pid(process, check):
    """The process, when it has been started."""
    check(range(5, 40))
    return start(process)


@pytest.fixture
def by_process_only(pid, monkeypatch):
    """Nothing is read here."""
    monkeypatch.setattr(process_reads, "read_local", None)


def test_gives_what_is_read_without_it(reads, check, pid):
    order = np.random.default_rng(2).permutation(len(SIZES))
    for indices in (order.tolist(), range(5, 40), [2, 2, 4], [], range(len(SIZES))):
        check(indices)
    assert reads.path_used == "a process of its own reads"


@pytest.mark.usefixtures("by_process_only")
def test_the_process_does_the_work(check):
    check(range(5, 40))
    check([2, 4, *range(100, 130)])  # larger ones than before


def test_it_looks_at_headers_of_jpeg(image_zoo, pool):
    files = [os.fsencode(image.path) for image in image_zoo.values()]
    process = ReadingProcess(pool.arena, 2, {"jpeg": jpeg_batch_headers.headers})
    reads = ProcessReads(process)
    try:
        reads.read(files[:9], pool.empty)
        start(process)
        rows = reads.read(files * 20, pool.empty)  # more than are open at once
        headers = jpeg_batch_headers.read_headers(TensorListCPU(rows))
        again = jpeg_batch_headers.read_headers(TensorListCPU([np.array(row) for row in rows]))
        assert 0 < again.is_plain.sum() < len(again.is_plain)
        for name in ("is_plain", "sizes", "orientation", "lengths"):
            assert (getattr(headers, name) == getattr(again, name)).all(), name
        assert (rows[7:9].metadata["jpeg"] == rows.metadata["jpeg"][7:9]).all()
        assert len(rows.metadata["jpeg"]) == len(files) * 20
    finally:
        process.close()


def test_a_large_file_is_forgotten(reads, check, process, pool, folder):
    check([2, *range(5, 25)])
    start(process)
    requests = []

    def allocate(shape, dtype):
        requests.append(shape[0])
        return pool.empty(shape, dtype)

    for _ in range(20):
        reads.read(paths_in(folder, range(5, 26)), allocate)
    assert len(requests) == 20
    room = sum(SIZES[5:26]) / 21 * (21 * 1.1 + 3 * 21**0.5)
    assert requests[0] > requests[-1] == -(-int(room) // 64) * 64


@pytest.fixture
def several(pool, folder):
    """Three processes that read files together, and the process that asks them."""
    process = ReadingProcess(pool.arena, 2, {"jpeg": jpeg_batch_headers.headers}, 3)
    several = ProcessReads(process)
    several.read(paths_in(folder, range(5, 40)), pool.empty)
    before = set(children())
    assert_soon(lambda: process.count(WORTH_STARTING_SECONDS) or process.is_there)
    several.pids = sorted(set(children()) - before)
    yield several
    process.close()


@pytest.mark.parametrize("count", [1, 15, 33, 300])
def test_several_processes_share_the_files(several, pool, folder, count, monkeypatch):
    monkeypatch.setattr(process_reads, "read_local", None)
    indices = np.random.default_rng(count).permutation(len(SIZES))[:count]
    rows = several.read(paths_in(folder, indices), pool.empty)
    assert [len(row) for row in rows] == [SIZES[index] for index in indices]
    assert len(rows.metadata["jpeg"]) == count
    for index, row in zip(indices, rows, strict=True):
        assert row.tobytes() == (folder / f"{index:03}.bin").read_bytes()
    assert len(several.pids) == 3
    assert several.path_used == "3 processes of its own read"


@pytest.mark.parametrize("number", [0, 1, 2])
def test_if_one_of_several_dies_all_end(several, pool, folder, number):
    os.kill(several.pids[number], signal.SIGKILL)
    for _ in range(3):
        rows = several.read(paths_in(folder, range(60)), pool.empty)
        assert [len(row) for row in rows] == SIZES[:60]
    assert_soon(lambda: not any(map(alive, several.pids)))
    assert "was ended by the signal SIGKILL" in several.path_used


@pytest.mark.usefixtures("pid")
def test_what_is_not_in_the_page_cache(check, folder):
    for name in os.listdir(folder):
        with open(folder / name, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    check(range(len(SIZES)))


@pytest.mark.parametrize(("name", "error"), [("no", FileNotFoundError), (".", IsADirectoryError)])
def test_errors_are_those_of_reading_here(process, pool, folder, name, error):
    paths = [os.fsencode(folder / each) for each in ("002.bin", name, "004.bin")]
    reads = ProcessReads(process)
    reads.read(paths[::2], pool.empty)
    start(process)
    for _ in range(2):
        with pytest.raises(error) as caught:
            reads.read(paths * 20, pool.empty)
        assert caught.value.filename == str(folder / name)
    assert process.is_there


def test_reading_goes_on_however_often_it_dies(reads, check, process):
    check(range(5, 40))
    for _ in range(3):
        os.kill(start(process), signal.SIGKILL)
        while process.is_there:
            check(range(5, 40))
        assert "was ended by the signal SIGKILL" in reads.path_used
    process.count(WORTH_STARTING_SECONDS)
    check(range(5, 40))


def test_closing_ends_it_and_reading_goes_on(reads, check, pid):
    reads.close()
    assert_soon(lambda: not alive(pid))
    check(range(5, 40))
