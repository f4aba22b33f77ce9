import os
import pickle
import threading

import numpy as np
import pytest

from penstock.engine.processes import helper_processes
from penstock.engine.tensors.memory import SlabPool
from penstock.readers.files import source as source_of_files
from penstock.readers.files.source import FileSource
from penstock.readers.listing.listing import list_files
from penstock.testing.readers import SourceConformance

from ..processes import assert_soon
from .made import random_files

SIZES = [5, 0, 100_000, 1, 70_000, *range(1, 90)]  # more files than are open at once


@pytest.fixture
def folder(tmp_path):
    random_files(tmp_path, SIZES)
    return tmp_path


@pytest.fixture
def names(folder):
    return sorted(os.listdir(folder))


def sample(path, label):
    return np.fromfile(path, np.uint8), np.array([label], np.int32)


def source_of(folder, *names):
    return FileSource(list_files(files=names, file_root=folder))


class TestFileSource(SourceConformance):
    @pytest.fixture
    def source(self, folder, names):
        return FileSource(
            list_files(files=names, file_root=folder, labels=range(5, 5 + len(names)))
        )

    @pytest.fixture
    def expected(self, folder, names):
        return [sample(folder / name, label) for label, name in enumerate(names, 5)]

    def test_where_is_the_path(self, source, folder, names):
        assert source.where(2) == str(folder / names[2])


def test_names_that_are_no_utf8(tmp_path):
    name = b"\xff\xfe \x80.bin"
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(b"bytes")
    source = source_of(tmp_path, name)
    assert source.read(np.array([0]), np.empty)[0][0].tobytes() == b"bytes"
    assert os.fsencode(source.where(0)).endswith(name)


def test_close_does_not_disturb_a_read_in_another_thread(folder, names):
    source = source_of(folder, *names)
    paused, closed = threading.Event(), threading.Event()

    def allocate(shape, dtype):
        paused.set()
        assert closed.wait(30)
        return np.empty(shape, dtype)

    def close():
        assert paused.wait(30)
        source.close()
        closed.set()

    closer = threading.Thread(target=close)
    closer.start()
    contents, _ = source.read(np.arange(3), allocate)
    closer.join()
    assert [array.tobytes() for array in contents] == [
        (folder / name).read_bytes() for name in names[:3]
    ]


@pytest.fixture(params=[1, 3])
def shared(tmp_path, tuned, request, monkeypatch):
    """A source whose processes read, and a function that looks at what a source reads."""
    monkeypatch.setattr(source_of_files, "processes_of_cores", lambda: request.param)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    for number in range(100):
        (tmp_path / f"{number:02}").write_bytes(bytes([number]) * 20_000)
    pool = SlabPool(shared=True)
    source = FileSource(list_files(files=sorted(os.listdir(tmp_path)), file_root=tmp_path))
    source.share(pool.arena, {})

    def check(source, indices):
        contents, labels = source.read(np.array(indices), pool.empty)
        assert [set(content.tolist()) for content in contents] == [{index} for index in indices]
        assert labels[:, 0].tolist() == list(indices)

    check(source, range(30))
    expected = {1: "a process of its own reads", 3: "3 processes of its own read"}[request.param]
    assert_soon(lambda: source.path_used == expected)
    yield source, check
    source.close()


def test_a_process_reads(shared):
    source, check = shared
    for indices in ([1, 0], range(50, 80), range(30)):
        check(source, indices)
    source.interrupt()
    assert not source.path_used
    check(source, range(30))


def test_a_copy_has_no_part_in_the_process(shared):
    source, check = shared
    copy = pickle.loads(pickle.dumps(source))
    assert not copy.path_used
    check(copy, range(50, 80))
    check(source, range(50, 80))
    assert source.path_used
