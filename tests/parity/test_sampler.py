"""The same samples in the same batches as DALI's file reader, unshuffled."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from penstock.engine.order.sampler import Sampler

dali = pytest.importorskip("nvidia.dali")

MOST = 23


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    paths = [folder / f"{number}.bin" for number in range(MOST)]
    for path in paths:
        path.write_bytes(b"x")
    return [str(path) for path in paths]


def dali_reader(files, batch_size, **options):
    """A DALI pipeline that gives each sample's place in `files`."""
    pipeline = dali.Pipeline(
        batch_size=batch_size, num_threads=1, device_id=None, prefetch_queue_depth=1
    )
    with pipeline:
        _, labels = dali.fn.readers.file(
            files=files, labels=list(range(len(files))), name="reader", **options
        )
        pipeline.set_outputs(labels)
    pipeline.build()
    return pipeline


@pytest.mark.parametrize("pad_last_batch", [False, True])
@pytest.mark.parametrize("stick_to_shard", [False, True])
@pytest.mark.parametrize("num_shards", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("batch_size", [1, 2, 3, 4])
def test_three_epochs(files, batch_size, num_shards, stick_to_shard, pad_last_batch):
    for size in range(5, MOST + 1):
        for rank in range(num_shards):
            options = {
                "shard_id": rank,
                "num_shards": num_shards,
                "stick_to_shard": stick_to_shard,
                "pad_last_batch": pad_last_batch,
            }
            reader = dali_reader(files[:size], batch_size, **options)
            sampler = Sampler(size, batch_size, **options)
            steps = next(batch for batch in count() if sampler.select(batch).epoch[0] > 2)
            expected = [np.ravel(reader.run()[0].as_array()).tolist() for _ in range(steps)]
            assert [sampler.select(batch).index.tolist() for batch in range(steps)] == expected
            meta = reader.reader_meta("reader")
            assert meta["epoch_size"] == sampler.epoch_size
            assert meta["epoch_size_padded"] == sampler.epoch_size_padded


def test_more_shards_than_samples_is_an_error_there_too(files):
    with pytest.raises(RuntimeError, match="number of shards: 4"):
        dali_reader(files[:3], 1, num_shards=4)
    with pytest.raises(ValueError, match="num_shards=4"):
        Sampler(3, 1, num_shards=4)
