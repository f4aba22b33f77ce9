"""Whole local files, read by a process of their own."""

import os
import signal

import numpy as np
import pytest

from penstock.decoders.formats import jpeg_batch
from penstock.engine.memory import SlabPool
from penstock.engine.tensors import TensorListCPU
from penstock.readers.files import process_reads
from penstock.readers.files.process_reads import ProcessReads
from penstock.readers.process.reading_process import WORTH_STARTING_SECONDS, ReadingProcess

from ..processes import alive, start, wait_for

SIZES = [5, 0, 100_000, 1, 70_000, *range(30_000, 30_600)]  # more files than are open at once


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    random = np.random.default_rng(1)
    for number, size in enumerate(SIZES):
        (folder / f"{number:03}.bin").write_bytes(random.bytes(size))
    return folder


@pytest.fixture
def pool():
    return SlabPool(shared=True)


@pytest.fixture
def process(pool):
    process = ReadingProcess(pool.arena, 2)
    yield process
    process.close()


@pytest.fixture
def requests(process, monkeypatch):
    """Paths of the files that the process is asked for, request by request."""
    begin, requests = process.begin, []

    def noted(name, paths, *others):
        requests.append(paths)
        return begin(name, paths, *others)

    monkeypatch.setattr(process, "begin", noted)
    return requests


def paths_in(folder):
    def paths(indices):
        return [os.fsencode(folder / f"{index:03}.bin") for index in indices]

    return paths


@pytest.fixture
def reads(process, folder):
    return ProcessReads(process, paths_in(folder))


@pytest.fixture
def check(reads, folder, pool):
    """Reads files and looks at what was read."""

    def check(indices):
        contents = reads.read(np.asarray(indices), pool.empty)
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
    assert reads.note == "a process of its own reads"


@pytest.mark.usefixtures("by_process_only")
def test_the_process_does_the_work(check):
    check(range(5, 40))
    check([2, 4, *range(100, 130)])  # larger ones than before


@pytest.fixture
def eager(reads, check, pid, requests, folder):
    """The reads when the process has begun with the files 50 to 80."""
    reads.expect(np.arange(50, 80))
    check(range(5, 40))
    assert paths_in(folder)(range(50, 80)) in requests
    requests.clear()
    return reads


@pytest.mark.usefixtures("eager", "by_process_only")
def test_it_begins_with_what_is_expected(check, requests):
    check(range(50, 80))
    assert not requests


@pytest.mark.usefixtures("by_process_only")
def test_it_begins_with_more_files_than_are_open_at_once(eager, check, requests):
    eager.expect(np.arange(len(SIZES)))
    check(range(50, 80))
    check(range(len(SIZES)))
    assert [len(paths) for paths in requests] == [len(SIZES)]


def test_many_batches_with_and_without_what_was_expected(eager, check):
    random = np.random.default_rng(4)
    for number in range(60):
        following = random.integers(len(SIZES), size=random.integers(40))
        eager.expect(following)
        check(random.integers(len(SIZES), size=20).tolist())
        if number % 3:
            eager.expect(random.integers(len(SIZES), size=9))
            check(following.tolist())


def test_other_files_than_expected(eager, check):
    for _ in range(5):  # more often than there are connections
        eager.expect(np.arange(90, 95))
        check(range(100, 140))


def test_expected_files_that_are_large(eager, check, requests, folder):
    eager.expect(np.array([2, 4, 2, 4]))
    check(range(50, 80))
    assert requests == [paths_in(folder)([2, 4, 2, 4])]
    check([2, 4, 2, 4])


def test_an_expected_file_that_is_missing(eager, check, process, pool):
    eager.expect(np.array([3, 9999]))
    check(range(50, 80))
    with pytest.raises(FileNotFoundError):
        eager.read(np.array([3, 9999]), pool.empty)
    check(range(5, 40))
    assert process.is_there


def test_it_dies_with_what_it_has_begun(eager, check, process, pid):
    os.kill(pid, signal.SIGKILL)
    while process.is_there:
        eager.expect(np.arange(5, 40))
        check(range(50, 80))
        check(range(5, 40))
    assert "was ended by the signal SIGKILL" in eager.note
    start(process)
    check(range(50, 80))


@pytest.mark.usefixtures("eager")
def test_what_has_begun_is_not_for_forks(check):
    child = os.fork()
    if child == 0:
        try:
            check(range(50, 80))
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    check(range(50, 80))


def test_closing_ends_what_has_begun(eager, check):
    eager.close()
    check(range(50, 80))
    check(range(5, 40))


def test_it_looks_at_headers_of_jpeg(image_zoo, pool):
    files = [os.fsencode(image.path) for image in image_zoo.values()]
    process = ReadingProcess(pool.arena, 2, {"jpeg": jpeg_batch.headers})
    reads = ProcessReads(process, lambda indices: [files[i % len(files)] for i in indices])
    try:
        reads.read(np.arange(9), pool.empty)
        start(process)
        rows = reads.read(np.arange(len(files) * 20), pool.empty)  # more than are open at once
        scan = jpeg_batch.scan(TensorListCPU(rows))
        again = jpeg_batch.scan(TensorListCPU([np.array(row) for row in rows]))
        assert 0 < again.is_plain.sum() < len(again.is_plain)
        for name in ("is_plain", "sizes", "orientation", "lengths"):
            assert (getattr(scan, name) == getattr(again, name)).all(), name
        assert (rows[7:9].facts["jpeg"] == rows.facts["jpeg"][7:9]).all()
        assert len(rows.facts["jpeg"]) == len(files) * 20
    finally:
        process.close()


def test_a_large_file_is_forgotten(reads, check, process, pool):
    check([2, *range(5, 25)])
    start(process)
    requests = []

    def allocate(shape, dtype):
        requests.append(shape[0])
        return pool.empty(shape, dtype)

    for _ in range(20):
        reads.read(np.arange(5, 26), allocate)
    assert len(requests) == 20
    assert requests[0] > requests[-1] == int(sum(SIZES[5:26]) * 1.2)


@pytest.mark.usefixtures("pid")
def test_what_is_not_in_the_page_cache(check, folder):
    for name in os.listdir(folder):
        with open(folder / name, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    check(range(len(SIZES)))


@pytest.mark.parametrize(("name", "error"), [("no", FileNotFoundError), (".", IsADirectoryError)])
def test_errors_are_those_of_reading_here(process, pool, folder, name, error):
    names = ["002.bin", name, "004.bin"]
    reads = ProcessReads(process, lambda rows: [os.fsencode(folder / names[i % 3]) for i in rows])
    reads.read(np.array([0, 2]), pool.empty)
    start(process)
    for _ in range(2):
        with pytest.raises(error) as caught:
            reads.read(np.arange(60), pool.empty)
        assert caught.value.filename == str(folder / name)
    assert process.is_there


def test_reading_goes_on_however_often_it_dies(reads, check, process):
    check(range(5, 40))
    for _ in range(3):
        os.kill(start(process), signal.SIGKILL)
        while process.is_there:
            check(range(5, 40))
        assert "was ended by the signal SIGKILL" in reads.note
    process.count(WORTH_STARTING_SECONDS)
    check(range(5, 40))


def test_closing_ends_it_and_reading_goes_on(reads, check, pid):
    reads.close()
    wait_for(lambda: not alive(pid))
    check(range(5, 40))
