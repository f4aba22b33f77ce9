import os
import threading

import numpy as np
import pytest

from penstock import fn
from penstock.readers.files.source import FileSource
from penstock.readers.listing.listing import list_files
from penstock.testing.readers import SourceConformance

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

    harms = ("absent",)  # any bytes are a sample

    @pytest.fixture
    def files(self, folder, names):
        return [folder / name for name in names]

    def read(self, paths):
        labels = [*range(5, 5 + len(paths) // 2)] * 2
        return fn.readers.file(files=paths, labels=labels)

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
