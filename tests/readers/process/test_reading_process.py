import os
import pickle
import signal
import time

import numpy as np
import pytest

from penstock.decoders.formats import jpeg_batch
from penstock.engine.memory import SlabPool
from penstock.engine.tensors import TensorListCPU
from penstock.readers.files.listing import list_files
from penstock.readers.files.reader import FileSource
from penstock.readers.process.reading_process import WORTH_STARTING_SECONDS, ReadingProcess

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
def source(folder, pool):
    source = FileSource(list_files(files=sorted(os.listdir(folder)), file_root=folder))
    source.share(pool.arena, {})
    yield source
    source.close()


def wait_for(process):
    """Wait until the process answers."""
    deadline = time.monotonic() + 60
    while not process.is_there:
        process.count(WORTH_STARTING_SECONDS)
        assert time.monotonic() < deadline, process.why
        time.sleep(0.01)


def pid(process):
    return process._helper._process._process.pid


def check(source, folder, pool, indices):
    contents, labels = source.read(np.asarray(indices), pool.empty)
    for index, content in zip(indices, contents, strict=True):
        assert content.tobytes() == (folder / f"{index:03}.bin").read_bytes()
    assert labels[:, 0].tolist() == list(indices)


def test_gives_what_is_read_without_it(source, folder, pool):
    check(source, folder, pool, range(5, 40))
    wait_for(source._process)
    order = np.random.default_rng(2).permutation(len(SIZES))
    for indices in (order.tolist(), range(5, 40), [2, 2, 4], range(len(SIZES))):
        check(source, folder, pool, indices)
    assert "a process of its own reads" in source.note


def test_the_process_does_the_work(source, folder, pool, monkeypatch):
    check(source, folder, pool, range(5, 40))
    wait_for(source._process)
    monkeypatch.setattr("penstock.readers.files.reader._read_local", None)
    check(source, folder, pool, range(5, 40))
    check(source, folder, pool, [2, 4, *range(100, 130)])  # larger ones than before


@pytest.fixture
def eager(source, folder, pool):
    """The source when its process has begun with the files 50 to 80."""
    check(source, folder, pool, range(5, 40))
    wait_for(source._process)
    source.expect(np.arange(50, 80))
    check(source, folder, pool, range(5, 40))
    (begun,) = source._begun
    assert begun.indices.tolist() == list(range(50, 80))
    return source


def test_it_begins_with_what_is_expected(eager, folder, pool, monkeypatch):
    requests = []
    process = eager._process
    monkeypatch.setattr(process, "begin", lambda *request: requests.append(request))
    monkeypatch.setattr("penstock.readers.files.reader._read_local", None)
    check(eager, folder, pool, range(50, 80))
    assert not requests
    assert not eager._begun


def test_many_batches_with_and_without_what_was_expected(eager, folder, pool):
    random = np.random.default_rng(4)
    for number in range(60):
        following = random.integers(len(SIZES), size=random.integers(40))
        eager.expect(following)
        check(eager, folder, pool, random.integers(len(SIZES), size=20).tolist())
        if number % 3:
            eager.expect(random.integers(len(SIZES), size=9))
            check(eager, folder, pool, following.tolist())


def test_other_files_than_expected(eager, folder, pool):
    for _ in range(5):  # more often than there are connections
        eager.expect(np.arange(90, 95))
        check(eager, folder, pool, range(100, 140))


def test_expected_files_that_are_large(eager, folder, pool):
    eager.expect(np.array([2, 4, 2, 4]))
    check(eager, folder, pool, range(50, 80))
    assert eager._begun
    check(eager, folder, pool, [2, 4, 2, 4])


def test_an_expected_file_that_is_missing(folder, pool):
    names = [f"{number:03}.bin" for number in range(40)]
    source = FileSource(list_files(files=[*names, "no"], file_root=folder))
    source.share(pool.arena, {})
    try:
        check(source, folder, pool, range(5, 40))
        wait_for(source._process)
        source.expect(np.array([3, 40]))
        check(source, folder, pool, range(5, 40))
        with pytest.raises(FileNotFoundError):
            source.read(np.array([3, 40]), pool.empty)
        check(source, folder, pool, range(5, 40))
        assert source._process.is_there
    finally:
        source.close()


def test_it_dies_with_what_it_has_begun(eager, folder, pool):
    os.kill(pid(eager._process), signal.SIGKILL)
    while eager._process.is_there:
        eager.expect(np.arange(5, 40))
        check(eager, folder, pool, range(50, 80))
        check(eager, folder, pool, range(5, 40))
    assert "was ended by the signal SIGKILL" in eager.note
    eager._process.count(WORTH_STARTING_SECONDS)
    wait_for(eager._process)
    check(eager, folder, pool, range(50, 80))


def test_what_has_begun_is_not_for_copies_or_forks(eager, folder, pool):
    copy = pickle.loads(pickle.dumps(eager))
    check(copy, folder, pool, range(50, 80))
    child = os.fork()
    if child == 0:
        try:
            check(eager, folder, pool, range(50, 80))
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    check(eager, folder, pool, range(50, 80))


def test_closing_ends_what_has_begun(eager, folder, pool):
    eager.close()
    check(eager, folder, pool, range(50, 80))
    check(eager, folder, pool, range(5, 40))


def test_it_looks_at_headers_of_jpeg(image_zoo, pool):
    paths = [str(image.path) for image in image_zoo.values()]
    source = FileSource(list_files(files=paths * 20))
    source.share(pool.arena, {"jpeg": jpeg_batch.headers})
    try:
        source.read(np.arange(9), pool.empty)
        wait_for(source._process)
        rows = source.read(np.arange(len(paths) * 20), pool.empty)[0]  # more than are open at once
        scan = jpeg_batch.scan(TensorListCPU(rows))
        again = jpeg_batch.scan(TensorListCPU([np.array(row) for row in rows]))
        assert 0 < again.is_plain.sum() < len(again.is_plain)
        for name in ("is_plain", "sizes", "orientation", "lengths"):
            assert (getattr(scan, name) == getattr(again, name)).all(), name
        assert (rows[7:9].facts["jpeg"] == rows.facts["jpeg"][7:9]).all()
        assert len(rows.facts["jpeg"]) == len(paths) * 20
    finally:
        source.close()


def test_a_large_file_is_forgotten(source, folder, pool):
    check(source, folder, pool, [2, *range(5, 25)])
    wait_for(source._process)
    requests = []

    def allocate(shape, dtype):
        requests.append(shape[0])
        return pool.empty(shape, dtype)

    for _ in range(20):
        source.read(np.arange(5, 26), allocate)
    assert len(requests) == 20
    assert requests[0] > requests[-1] == int(sum(SIZES[5:26]) * 1.2)


def test_what_is_not_in_the_page_cache(source, folder, pool):
    check(source, folder, pool, range(5, 40))
    wait_for(source._process)
    for name in os.listdir(folder):
        with open(folder / name, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    check(source, folder, pool, range(len(SIZES)))


@pytest.mark.parametrize(("name", "error"), [("no", FileNotFoundError), (".", IsADirectoryError)])
def test_errors_are_those_of_reading_here(folder, pool, name, error):
    source = FileSource(list_files(files=["002.bin", name, "004.bin"] * 20, file_root=folder))
    source.share(pool.arena, {})
    try:
        source.read(np.array([0, 2]), pool.empty)
        wait_for(source._process)
        for _ in range(2):
            with pytest.raises(error) as caught:
                source.read(np.arange(60), pool.empty)
            assert caught.value.filename == os.path.join(folder, name)
        assert source._process.is_there
    finally:
        source.close()


def test_it_may_die_three_times(source, folder, pool):
    check(source, folder, pool, range(5, 40))
    for deaths in range(1, 4):
        wait_for(source._process)
        os.kill(pid(source._process), signal.SIGKILL)
        while source._process.is_there:
            check(source, folder, pool, range(5, 40))
        assert "was ended by the signal SIGKILL" in source.note
        assert source._process._starts_left == 3 - deaths
    source._process.count(WORTH_STARTING_SECONDS)
    check(source, folder, pool, range(5, 40))
    assert source._process._helper is None


def test_closing_ends_it_and_reading_goes_on(source, folder, pool):
    check(source, folder, pool, range(5, 40))
    wait_for(source._process)
    number = pid(source._process)
    source.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    check(source, folder, pool, range(5, 40))


def test_closing_while_it_starts(pool):
    process = ReadingProcess(pool.arena, 1)
    process.count(WORTH_STARTING_SECONDS)
    process.close()
    process.close()
    assert process.ask("files", [b"/"], 0, 0) is None
