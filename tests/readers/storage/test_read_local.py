"""Whole local files, read in this process."""

import os

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.engine.tensors.memory import SlabPool
from penstock.readers.storage import local_reads
from penstock.readers.storage.local_reads import read_local
from penstock.testing.descriptors import open_below

from ..files.made import random_files

SIZES = [5, 0, 100_000, 1, 70_000, *range(1, 90)]  # more files than are open at once


@pytest.fixture(params=[local_reads.PIECE_BYTES, 1000], autouse=True)
def _pieces(request, tuned):
    """Read files in one piece each, and in pieces that three threads share."""
    tuned(local_reads, PIECE_BYTES=request.param)


@pytest.fixture
def paths(tmp_path):
    return random_files(tmp_path, SIZES)


def read(*paths, allocate=np.empty):
    return read_local([os.fsencode(path) for path in paths], allocate, 3)


def test_leaves_no_descriptor_open(paths):
    read(*paths)
    assert open_below(paths[0].parent) == []


def test_what_is_not_in_the_page_cache(paths):
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    contents = read(*paths, allocate=SlabPool().empty)
    assert [array.tobytes() for array in contents] == [path.read_bytes() for path in paths]


def test_one_block_of_memory_serves_many_files(paths):
    requests = []

    def allocate(shape, dtype):
        requests.append((shape, dtype))
        return np.empty(shape, dtype)

    contents = read(*paths[:60], allocate=allocate)
    assert requests == [((sum(SIZES[:60]),), np.uint8)]
    assert len({id(array.base) for array in contents}) == 1


@pytest.mark.parametrize(("size", "left"), [(100_000, 40_000), (10, 0)])
def test_a_file_that_shrinks_while_it_is_read_gives_what_is_left(tmp_path, size, left):
    path = tmp_path / "file"
    path.write_bytes(bytes(size - 1) + b"x")

    def allocate_late(shape, dtype):
        os.truncate(path, left)
        return np.full(shape, 7, dtype)

    (content,) = read(path, allocate=allocate_late)
    assert content.tobytes() == bytes(left)


def test_a_file_that_grows_while_it_is_read_gives_its_former_size(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def allocate_late(shape, dtype):
        with path.open("ab") as file:
            file.write(b" and after")
        return np.empty(shape, dtype)

    (content,) = read(path, allocate=allocate_late)
    assert content.tobytes() == b"before"


@pytest.fixture
def unreadable(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("none.bin", FileNotFoundError),
        ("dangling", FileNotFoundError),
        ("000.bin/x", NotADirectoryError),
        ("folder", IsADirectoryError),
        ("loop", OSError),
        ("x" * 300, OSError),
    ],
)
def test_errors_keep_their_type_and_name_the_file(paths, unreadable, name, error):
    with pytest.raises(error) as caught:
        read(paths[0], unreadable / name, paths[2])
    assert type(caught.value) is error
    assert caught.value.filename == str(unreadable / name)
    assert open_below(paths[0].parent) == open_below(unreadable) == []


def test_a_file_that_may_not_be_read_is_named(paths):
    paths[0].chmod(0)
    if os.access(paths[0], os.R_OK):
        pytest.skip("this user may read any file")
    with pytest.raises(PermissionError, match=r"000\.bin"):
        read(paths[0])


def test_a_pipe_raises_instead_of_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match=r"/pipe is a device or FIFO, not a file"):
        read(tmp_path / "pipe")
