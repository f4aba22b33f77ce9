"""Readers: epochs, states, shards, and the end of loops."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from penstock import ArgumentError, CheckpointError
from penstock.experimental import dynamic as ndd


@pytest.fixture
def files(tmp_path):
    paths = []
    for number in range(10):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(bytes([number]) * (number + 1))
        paths.append(str(path))
    return paths


def numbers(epoch):
    """Return the first byte of each file of an epoch: of each batch, or of each tensor."""
    return [
        [int(file[0]) for file in files] if isinstance(files, ndd.Batch) else int(files[0])
        for files, _ in epoch
    ]


def test_batches_and_tensors(files):
    reader = ndd.readers.File(files=files)
    assert numbers(reader.next_epoch(batch_size=5)) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert numbers(reader.next_epoch()) == list(range(10))
    assert numbers(ndd.readers.File(10, files=files).next_epoch()) == [list(range(10))]


def test_all_batches_are_full(files):
    reader = ndd.readers.File(files=files)
    assert numbers(reader.next_epoch(batch_size=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 1]]
    padded = ndd.readers.File(files=files, pad_last_batch=True)
    for _ in range(2):
        epoch = numbers(padded.next_epoch(batch_size=4))
        assert epoch == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 9, 9]]


def test_a_loop_that_was_broken_off_loses_the_rest_of_its_epoch(files):
    reader = ndd.readers.File(files=files)
    for _ in reader.next_epoch(batch_size=5):
        break
    assert numbers(reader.next_epoch(batch_size=5)) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_two_loops_cannot_share_a_reader(files):
    reader = ndd.readers.File(files=files)
    first = reader.next_epoch(batch_size=5)
    next(first)
    reader.next_epoch(batch_size=5)
    with pytest.raises(ArgumentError, match="make a reader for each loop"):
        next(first)


def test_shards_follow_one_another(files):
    reader = ndd.readers.File(files=files, shard_id=1, num_shards=3)
    assert numbers(reader.next_epoch(batch_size=1)) == [[3], [4], [5]]
    assert numbers(reader.next_epoch(batch_size=1)) == [[6], [7], [8], [9]]
    fixed = ndd.readers.File(files=files, shard_id=1, num_shards=3, stick_to_shard=True)
    for _ in range(2):
        assert numbers(fixed.next_epoch(batch_size=1)) == [[3], [4], [5]]


def test_metadata(files):
    meta = ndd.readers.File(files=files, num_shards=2).get_metadata()
    assert (meta["epoch_size"], meta["number_of_shards"], meta["shard_id"]) == (10, 2, 0)


@pytest.mark.parametrize("batch_size", [None, 2])
@pytest.mark.parametrize("taken", [0, 1, 3, 5])
def test_a_state_goes_on_in_the_middle_of_an_epoch(files, batch_size, taken):
    def make():
        return ndd.readers.File(files=files, random_shuffle=True, seed=3)

    reader = make()
    epoch = reader.next_epoch(batch_size=batch_size)
    for _ in range(taken):
        next(epoch)
    state = reader.get_state()
    rest = numbers(epoch)
    following = numbers(reader.next_epoch(batch_size=batch_size))
    other = make()
    other.set_state(str(state))
    assert numbers(other.next_epoch(batch_size=batch_size)) == rest
    assert numbers(other.next_epoch(batch_size=batch_size)) == following
    reader.set_state(state)  # of a reader that has moved on
    assert numbers(reader.next_epoch(batch_size=batch_size)) == rest


def test_what_is_no_state(files):
    reader = ndd.readers.File(files=files)
    for state in ("", "{}", "[]", '{"pipeline": 3}'):
        with pytest.raises(CheckpointError, match="no state of a reader"):
            reader.set_state(state)


def test_a_call_returns_the_next_items_without_an_end(files):
    reader = ndd.readers.File(files=files[:3])
    taken = [int(reader()[0][0]) for _ in range(5)]
    assert taken == [0, 1, 2, 0, 1]
    assert reader(batch_size=2)[0].batch_size == 2


def test_another_batch_size_goes_on(files):
    reader = ndd.readers.File(files=files)
    reader(batch_size=4)
    reader(batch_size=4)
    files_of_it, _ = reader(batch_size=2)
    assert [int(content[0]) for content in files_of_it] == [8, 9]


def test_a_closed_reader_goes_on(files):
    reader = ndd.readers.File(files=files)
    reader(batch_size=5)
    reader.close()
    assert [int(content[0]) for content in reader(batch_size=5)[0]] == [5, 6, 7, 8, 9]


def test_arguments_that_are_tensors(tmp_path):
    paths = []
    for number in range(3):
        paths.append(str(tmp_path / f"{number}.npy"))
        np.save(paths[-1], np.full((2, number + 1), number))
    reader = ndd.readers.Numpy(files=paths, roi_start=[0, 0], roi_end=ndd.tensor([2, 1]))
    (first,) = next(reader.next_epoch(batch_size=3))
    assert first.shape == [(2, 1)] * 3


def test_wrong_arguments_are_refused_at_once(files):
    with pytest.raises(ArgumentError, match="no argument 'file_rot'; did you mean 'file_root'"):
        ndd.readers.File(file_rot="x")
    with pytest.raises(ArgumentError, match="give one value"):
        ndd.readers.File(files=files, shard_id=ndd.batch([1, 2]))
    with pytest.raises(Exception, match="no-such"):
        next(ndd.readers.File(files=["/no-such-file"]).next_epoch())


def test_images_of_files(photo_tree):
    reader = ndd.readers.File(file_root=str(photo_tree.root))
    for encoded, labels in reader.next_epoch(batch_size=16):
        images = ndd.resize(ndd.decoders.image(encoded), size=[20, 30])
        assert images.shape == [(20, 30, 3)] * 16
        assert labels.dtype == ndd.int32


def test_loops_in_threads(files):
    found, errors = [], []

    def loop():
        try:
            reader = ndd.readers.File(files=files)
            for encoded, _ in reader.next_epoch(batch_size=2):
                found.append([int(content[0]) for content in (encoded + 1)])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=loop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    expected = [[number + 1, number + 2] for number in range(0, 10, 2)] * 4
    assert sorted(found) == sorted(expected)


def test_help_names_the_arguments():
    assert "file_root" in ndd.readers.File.__doc__
    assert "batch_size" in ndd.readers.File.next_epoch.__doc__
    assert {"File", "Numpy", "TFRecord", "COCO"} <= set(dir(ndd.readers))
    assert repr(ndd.readers.File(files=["a"])) == "File(files=['a'])"
