"""`indices=` of readers: a subset, or an order of one's own."""

import json

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError, CheckpointError


@pytest.fixture
def files(tmp_path):
    for i in range(20):
        (tmp_path / f"{i:02}.bin").write_bytes(bytes([i]))
    return [str(tmp_path / f"{i:02}.bin") for i in range(20)]


def _pipe(files, checkpoint=None, batch_size=2, **options):
    pipe = Pipeline(batch_size=batch_size, num_threads=1, checkpoint=checkpoint)
    with pipe:
        data, _ = fn.readers.file(files=files, name="files", **options)
        pipe.set_outputs(data)
    return pipe


def _read(pipe, batches):
    return [int(row[0]) for _ in range(batches) for row in pipe.run()[0].rows()]


def test_a_subset_in_an_order_of_ones_own(files):
    with _pipe(files, indices=[5, 2, 9]) as pipe:
        assert pipe.epoch_size("files") == 3
        assert _read(pipe, 3) == [5, 2, 9, 5, 2, 9]


def test_a_file_of_numpy(files, tmp_path):
    np.save(tmp_path / "validation.npy", np.array([7, 3, 3, 19]))
    with _pipe(files, indices=str(tmp_path / "validation.npy")) as pipe:
        assert _read(pipe, 2) == [7, 3, 3, 19]


def test_a_function_of_the_epoch(files):
    with _pipe(files, indices=lambda epoch: (np.arange(4) + epoch) % 20) as pipe:
        assert _read(pipe, 4) == [0, 1, 2, 3, 1, 2, 3, 4]


def test_ranks_share_the_subset_and_another_world_goes_on(files):
    options = {"indices": np.arange(12)[::-1], "random_shuffle": True, "num_shards": 2}
    seen = []
    for rank in range(2):
        with _pipe(files, **options, shard_id=rank) as pipe:
            seen += _read(pipe, 2)
            saved = pipe.checkpoint()
    with _pipe(files, saved, indices=np.arange(12)[::-1], random_shuffle=True) as pipe:
        seen += _read(pipe, 2)
    assert sorted(seen) == [*range(12)]
    with (
        pytest.raises(CheckpointError, match="restore it with the data and the arguments"),
        _pipe(files, saved, indices=np.arange(12), random_shuffle=True) as pipe,
    ):
        pipe.run()


def test_blocks_are_those_of_the_subset(files):
    options = {"random_shuffle": True, "shuffle_block": 3, "shuffle_window": 1}
    with _pipe(files, indices=np.arange(19, -1, -2), **options) as pipe:
        assert sorted(_read(pipe, 5)) == [*range(1, 20, 2)]


def test_a_bad_sample_is_replaced_by_one_of_the_subset(files, tmp_path):
    (tmp_path / "05.bin").unlink()
    with Pipeline(batch_size=3, num_threads=1, on_error="skip") as pipe:
        pipe.set_outputs(fn.readers.file(files=files, indices=[5, 2, 9])[0])
        (data,) = pipe.run()
    assert data.valid.tolist() == [False, True, True]
    assert int(data.rows()[0][0]) in (2, 9)


@pytest.mark.parametrize(
    ("indices", "message"),
    [([20], "no sample 20; the data set has 20"), ("nowhere.npy", "is no .npy file of numbers")],
)
def test_wrong_indices_are_refused(files, indices, message):
    with pytest.raises(ArgumentError, match=message), _pipe(files, indices=indices) as pipe:
        pipe.run()


def test_a_checkpoint_without_indices_has_no_word_of_them(files):
    with _pipe(files) as pipe:
        pipe.run()
        assert "indices" not in json.loads(pipe.checkpoint())["inputs"]["files"]
