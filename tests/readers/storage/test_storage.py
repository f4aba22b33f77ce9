import os
import pickle

import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.storage import open_storage

CONTENT = np.random.default_rng(2).bytes(100_000)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "data.bin"
    file.write_bytes(CONTENT)
    return file


def ranges(*pairs):
    offsets, lengths = np.array(pairs, np.int64).reshape(-1, 2).T
    return offsets, lengths


def read(storage, *pairs):
    return [view.tobytes() for view in storage.read(*ranges(*pairs), np.empty)]


def test_reads_in_the_order_asked(path):
    pairs = [(99_000, 1000), (5, 10), (0, 0), (50_000, 7), (8, 20), (5, 10), (100_000, 0)]
    expected = [CONTENT[begin : begin + size] for begin, size in pairs]
    storage = open_storage(path)
    assert storage.size == len(CONTENT)
    assert storage.name == str(path)
    assert read(storage, *pairs) == expected
    assert read(storage) == []


@pytest.mark.parametrize("content", [CONTENT, b""])
def test_reads_a_whole_file(tmp_path, content):
    (tmp_path / "whole").write_bytes(content)
    assert open_storage(tmp_path / "whole").read_whole() == content


def test_one_block_of_memory_serves_all(path):
    requests = []

    def allocate(shape, dtype):
        requests.append((shape, dtype))
        return np.empty(shape, dtype)

    open_storage(path).read(*ranges((0, 10), (90_000, 10), (20, 5)), allocate)
    assert requests == [((35,), np.uint8)]


def test_reads_what_is_not_in_the_page_cache(path):
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    assert read(open_storage(path), (70_000, 9), (3, 60_000)) == [
        CONTENT[70_000:70_009],
        CONTENT[3:60_003],
    ]


@pytest.fixture
def large(tmp_path):
    """More bytes than are worth a second thread, with no order that repeats."""
    content = np.random.default_rng(4).bytes(10 << 20)
    file = tmp_path / "large.bin"
    file.write_bytes(content)
    return file, content


def buffers_of(*lengths):
    return [np.zeros(length, np.uint8) for length in lengths]


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("lengths", [[10 << 20], [1_000_000] * 10, [9 << 20, 5, 0, 1_000_000]])
def test_large_reads_use_each_buffer_once(large, lengths, cached):
    path, content = large
    if not cached:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    offsets = [sum(lengths[:number]) for number in range(len(lengths))]
    buffers = buffers_of(*lengths)
    used = []

    def use(numbers):
        for number in numbers:
            begin = offsets[number]
            assert buffers[number].tobytes() == content[begin : begin + lengths[number]]
            used.append(number)

    open_storage(path).begin_using(offsets, buffers, use)()
    assert sorted(used) == list(range(len(lengths)))


def test_what_the_use_of_a_buffer_raises_is_raised(large):
    def use(numbers):
        if 7 in numbers:
            raise ValueError("unfit")

    offsets = [number << 20 for number in range(10)]
    with pytest.raises(ValueError, match="unfit"):
        open_storage(large[0]).begin_using(offsets, buffers_of(*[1 << 20] * 10), use)()


def test_a_pickled_copy_and_a_closed_storage_read_on(path):
    storage = open_storage(path)
    read(storage, (0, 1))
    copy = pickle.loads(pickle.dumps(storage))
    storage.close()
    storage.close()
    assert read(copy, (5, 5)) == read(storage, (5, 5)) == [CONTENT[5:10]]


@pytest.mark.parametrize(
    ("offset", "length"),
    [(-1, 2), (0, -1), (99_999, 2), (100_001, 0), (2**63 - 1, 2**63 - 1), (1, 2**63 - 1)],
)
def test_a_range_outside_raises_before_memory_is_taken(path, offset, length):
    def allocate(shape, dtype):
        raise AssertionError

    with pytest.raises(SourceError, match=rf"data.bin: {length} bytes at offset {offset} .*100000"):
        open_storage(path).read(*ranges((0, 1), (offset, length)), allocate)


def test_a_file_that_was_cut_short_raises(path):
    storage = open_storage(path)
    os.truncate(path, 50_000)
    assert read(storage, (49_990, 10)) == [CONTENT[49_990:50_000]]
    with pytest.raises(
        SourceError, match=r"data.bin: of 20 bytes at offset 49990 only 10 .*had 100000 bytes"
    ):
        read(storage, (0, 5), (49_990, 20))


def test_what_is_no_file_is_named(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        open_storage(tmp_path / "nowhere")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        open_storage(tmp_path)
    with pytest.raises(SourceError, match="fifo is a device or FIFO"):
        open_storage(tmp_path / "fifo")


def test_the_stamp_tells_when_a_file_changes(path):
    stamp = open_storage(path).stamp
    assert open_storage(path).stamp == stamp
    os.utime(path, ns=(0, 1))
    assert open_storage(path).stamp != stamp
    assert open_storage(path).path == path


def test_a_file_that_was_replaced_is_another_one(path):
    old = open_storage(path)
    assert read(old, (0, 5)) == [CONTENT[:5]]
    path.with_suffix(".new").write_bytes(b"other content")
    path.with_suffix(".new").rename(path)
    assert read(open_storage(path), (0, 5)) == [b"other"]
    assert read(old, (0, 5)) == [CONTENT[:5]]
