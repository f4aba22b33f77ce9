import gc
import os
import pickle

import numpy as np
import pytest

from penstock import fn, pipeline_def, tfrecord
from penstock.engine.errors import SourceError
from penstock.readers.storage import descriptors, local_file
from penstock.readers.storage.local_file import LocalFile
from penstock.testing.descriptors import open_below

from .contents import CONTENT, read


def test_reads_what_is_not_in_the_page_cache(path):
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    assert read(LocalFile(str(path)), (70_000, 9), (3, 60_000)) == [
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

    LocalFile(str(path)).start_read_using(offsets, buffers, use).result()
    assert sorted(used) == list(range(len(lengths)))


def test_what_the_use_of_a_buffer_raises_is_raised(large):
    def use(numbers):
        if 7 in numbers:
            raise ValueError("unfit")

    offsets = [number << 20 for number in range(10)]
    with pytest.raises(ValueError, match="unfit"):
        LocalFile(str(large[0])).start_read_using(
            offsets, buffers_of(*[1 << 20] * 10), use
        ).result()


def test_a_pickled_copy_and_a_closed_storage_read_on(path):
    storage = LocalFile(str(path))
    read(storage, (0, 1))
    copy = pickle.loads(pickle.dumps(storage))
    storage.close()
    storage.close()
    assert read(copy, (5, 5)) == read(storage, (5, 5)) == [CONTENT[5:10]]


def test_a_file_that_was_cut_short_raises(path):
    storage = LocalFile(str(path))
    os.truncate(path, 50_000)
    assert read(storage, (49_990, 10)) == [CONTENT[49_990:50_000]]
    with pytest.raises(
        SourceError, match=r"data.bin: of 20 bytes at offset 49990 only 10 .*had 100000 bytes"
    ):
        read(storage, (0, 5), (49_990, 20))


def test_the_stamp_tells_when_a_file_changes(path):
    stamp = LocalFile(str(path)).stamp
    assert LocalFile(str(path)).stamp == stamp
    os.utime(path, ns=(0, 1))
    assert LocalFile(str(path)).stamp != stamp
    assert LocalFile(str(path)).path == path


def test_the_stamp_tells_of_changes_that_leave_size_and_time(path):
    os.utime(path, ns=(0, 1))
    stamps = {LocalFile(str(path)).stamp}
    path.write_bytes(bytes(100_000))
    os.utime(path, ns=(0, 1))
    stamps.add(LocalFile(str(path)).stamp)
    path.with_suffix(".new").write_bytes(CONTENT)
    os.utime(path.with_suffix(".new"), ns=(0, 1))
    path.with_suffix(".new").rename(path)
    stamps.add(LocalFile(str(path)).stamp)
    assert len(stamps) == 3


def test_a_file_that_was_replaced_is_another_one(path):
    old = LocalFile(str(path))
    assert read(old, (0, 5)) == [CONTENT[:5]]
    path.with_suffix(".new").write_bytes(b"other content")
    path.with_suffix(".new").rename(path)
    assert read(LocalFile(str(path)), (0, 5)) == [b"other"]
    assert read(old, (0, 5)) == [CONTENT[:5]]


def test_a_storage_that_is_dropped_or_closed_leaves_no_file_open(path):
    first, second = LocalFile(str(path)), LocalFile(str(path))
    read(first, (0, 1))
    read(second, (0, 1))
    first.close()
    assert open_below(path) == [str(path)]
    del second
    assert open_below(path) == []


def test_files_that_are_replaced_while_a_pipeline_reads_are_closed(tmp_path):
    @pipeline_def(batch_size=4, num_threads=1)
    def pipeline():
        return fn.readers.numpy(file_root=str(tmp_path), roi_start=[1], roi_shape=[8])

    def write():
        for number in range(4):
            np.save(tmp_path / "new.npy", np.zeros(100))
            (tmp_path / "new.npy").rename(tmp_path / f"{number}.npy")

    write()
    with pipeline() as pipe:
        for _ in range(5):
            write()
            pipe.run()
    assert open_below(tmp_path) == []


def test_a_build_that_fails_leaves_no_file_open(tmp_path):
    data = tmp_path / "bad.tfrecord"
    data.write_bytes(bytes(100))

    @pipeline_def(batch_size=1, num_threads=1)
    def pipeline():
        features = {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}
        return fn.readers.tfrecord(path=str(data), features=features)["n"]

    with pytest.raises(SourceError, match="checksum"):
        pipeline().build()
    gc.collect()
    assert open_below(tmp_path) == []


def test_a_cached_read_keeps_its_descriptor_while_others_need_one(tmp_path, tuned, monkeypatch):
    tuned(descriptors, MAX_OPEN=1)
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_bytes(path.name.encode() * 9)
    first, second = (LocalFile(str(path)) for path in paths)
    inodes = []

    def read_later(number, *_):
        second.opened()  # as another thread does: there is room for one open file
        inodes.append(os.fstat(number).st_ino)
        return True

    monkeypatch.setattr(local_file, "read_cached", read_later)
    assert first.fill_cached(0, np.empty(9, np.uint8))
    assert inodes == [paths[0].stat().st_ino]
