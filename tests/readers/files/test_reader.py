import os
import threading

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import SourceError
from penstock.engine.memory import SlabPool
from penstock.readers.files.listing import list_files
from penstock.readers.files.reader import FileSource

from ..conformance import SourceConformance, assert_columns

SIZES = [5, 0, 100_000, 1, 70_000, *range(1, 90)]  # more files than are open at once


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(1)
    for number, size in enumerate(SIZES):
        (tmp_path / f"{number:03}.bin").write_bytes(random.bytes(size))
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

    def test_leaves_no_descriptor_open(self, source):
        before = os.listdir("/proc/self/fd")
        source.read(np.arange(len(source)), np.empty)
        assert os.listdir("/proc/self/fd") == before

    def test_reads_what_is_not_in_the_page_cache(self, source, expected, folder, names):
        for name in names:
            with open(folder / name, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        assert_columns(source.read(np.arange(len(source)), SlabPool().empty), expected)


def test_one_block_of_memory_serves_many_files(folder, names):
    requests = []

    def allocate(shape, dtype):
        requests.append((shape, dtype))
        return np.empty(shape, dtype)

    contents, _ = source_of(folder, *names[:60]).read(np.arange(60), allocate)
    assert requests == [((sum(SIZES[:60]),), np.uint8)]
    assert len({id(array.base) for array in contents}) == 1


def test_names_that_are_no_utf8(tmp_path):
    name = b"\xff\xfe \x80.bin"
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(b"bytes")
    source = source_of(tmp_path, name)
    assert source.read(np.array([0]), np.empty)[0][0].tobytes() == b"bytes"
    assert os.fsencode(source.where(0)).endswith(name)


@pytest.mark.parametrize(("size", "left"), [(100_000, 40_000), (10, 0)])
def test_a_file_that_shrinks_while_it_is_read_gives_what_is_left(tmp_path, size, left):
    path = tmp_path / "file"
    path.write_bytes(bytes(size - 1) + b"x")

    def allocate_late(shape, dtype):
        os.truncate(path, left)
        return np.full(shape, 7, dtype)

    (content,), _ = source_of(tmp_path, "file").read(np.array([0]), allocate_late)
    assert content.tobytes() == bytes(left)


def test_a_file_that_grows_while_it_is_read_gives_its_former_size(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def allocate_late(shape, dtype):
        with path.open("ab") as file:
            file.write(b" and after")
        return np.empty(shape, dtype)

    (content,), _ = source_of(tmp_path, "file").read(np.array([0]), allocate_late)
    assert content.tobytes() == b"before"


@pytest.fixture
def unreadable(folder):
    (folder / "folder").mkdir()
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    return folder


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
def test_errors_keep_their_type_and_name_the_file(unreadable, name, error):
    before = os.listdir("/proc/self/fd")
    with pytest.raises(error) as caught:
        source_of(unreadable, "000.bin", name, "002.bin").read(np.arange(3), np.empty)
    assert type(caught.value) is error
    assert caught.value.filename == str(unreadable / name)
    assert os.listdir("/proc/self/fd") == before


def test_a_file_that_may_not_be_read_is_named(folder):
    (folder / "000.bin").chmod(0)
    if os.access(folder / "000.bin", os.R_OK):
        pytest.skip("this user may read any file")
    with pytest.raises(PermissionError, match=r"000\.bin"):
        source_of(folder, "000.bin").read(np.array([0]), np.empty)


def test_a_pipe_raises_instead_of_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match=r"/pipe is a device or FIFO, not a file"):
        source_of(tmp_path, "pipe").read(np.array([0]), np.empty)


def test_close_does_not_disturb_a_read_in_another_thread(folder, names):
    source = source_of(folder, *names)
    paused, closed = threading.Event(), threading.Event()

    def allocate(shape, dtype):
        paused.set()
        assert closed.wait(10)
        return np.empty(shape, dtype)

    def close():
        assert paused.wait(10)
        source.close()
        closed.set()

    closer = threading.Thread(target=close)
    closer.start()
    contents, _ = source.read(np.arange(3), allocate)
    closer.join()
    assert [array.tobytes() for array in contents] == [
        (folder / name).read_bytes() for name in names[:3]
    ]


def test_the_seed_of_the_order_has_an_older_name(photo_tree):
    def order(**seed):
        def define():
            return fn.readers.file(files=photo_tree.files, shuffle_after_epoch=True, **seed)

        with pipeline_def(define, batch_size=16, num_threads=1)() as pipe:
            return pipe.run()[0].source_info()

    assert order(shuffle_after_epoch_seed=3) == order(shuffle_seed=3) != order()
