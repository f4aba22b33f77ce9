"""`fn.readers.mds` in pipelines: orders, checkpoints, bad samples, mixtures."""

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.readers import record_reader
from penstock.readers.mds.reader import MDS
from penstock.readers.mds.source import open_mds

from . import sets

pytestmark = pytest.mark.usefixtures("user_cache")


@pipeline_def(num_threads=2)
def definition(path, columns, options):
    outputs = fn.readers.mds(path=path, columns=columns, name="reader", **options)
    return tuple(outputs) if isinstance(outputs, list) else outputs


def pipe_of(path, batch_size=4, *, checkpoint=None, on_error="raise", columns="n", **options):
    more = {"checkpoint": checkpoint, "on_error": on_error}
    return definition(path, columns, options, batch_size=batch_size, **more)


def numbers(pipe, batches):
    return [n for _ in range(batches) for n in pipe.run()[0].as_array().ravel().tolist()]


@pytest.fixture(params=["shards", "gz"])
def root(request, tmp_path):
    return sets.put(request.param, tmp_path)


def test_outputs_of_a_pipeline(tmp_path):
    path = sets.put("images", tmp_path)
    with Pipeline(4, 2) as pipe:
        encoded = fn.readers.mds(path=path, columns=["jpeg", "pil", "png"])
        pipe.set_outputs(*(fn.decoders.image(image) for image in encoded))
        for batch, name in zip(pipe.run(), ("jpeg", "pil", "png"), strict=True):
            for image, sample in zip(batch.rows(), sets.expected("images"), strict=True):
                assert image.shape == (*sample[name].shape[:2], 3)


def test_one_column_and_types(tmp_path):
    path = sets.put("tokens", tmp_path)
    with Pipeline(3, 1) as pipe:
        pipe.set_outputs(fn.readers.mds(path=path, columns="tokens", dtypes=types.INT64))
        (tokens,) = pipe.run()
    assert tokens.as_array().tolist() == [[*range(8)]] * 3


def test_a_shuffle_of_all_samples_and_of_blocks(root):
    for options in ({}, {"shuffle_block": 4, "shuffle_window": 2}):
        with pipe_of(root, 3, random_shuffle=True, **options) as pipe:
            size = pipe.epoch_size("reader")
            first, second = numbers(pipe, size // 3), numbers(pipe, size // 3)
        assert sorted(first) == sorted(second) == [*range(size)]
        assert first != second != sorted(second)


def test_another_number_of_ranks_goes_on_with_each_sample_once(root):
    found = []
    for rank in range(2):
        shard = {"shard_id": rank, "num_shards": 2}
        with pipe_of(root, 2, random_shuffle=True, **shard) as pipe:
            found += numbers(pipe, 2)
            saved = pipe.checkpoint()
            left = pipe.epoch_size("reader") - 8
    with pipe_of(root, 1, checkpoint=saved, random_shuffle=True) as pipe:
        found += numbers(pipe, left)
    assert sorted(found) == [*range(left + 8)]


def test_chosen_samples(root):
    with pipe_of(root, 3, indices=[8, 0, 5]) as pipe:
        assert numbers(pipe, 2) == [8, 0, 5] * 2


def test_batches_by_cost(tmp_path):
    path = sets.put("scalars", tmp_path)
    cost = {"by": "text", "budget": 60, "buckets": 3}
    lengths = [len(sample["text"].encode()) for sample in sets.expected("scalars")]
    with pipe_of(path, 6, columns="text", batch_cost=cost) as pipe:
        meta = pipe.reader_meta("reader")
    assert sum(meta["samples_of_classes"]) + meta["dropped"] == len(lengths)
    with (
        pytest.raises(ArgumentError, match="knows no 'told2'"),
        pipe_of(path, 6, batch_cost={"by": "told2", "budget": 9}) as pipe,
    ):
        pipe.build()


def test_a_mixture_and_a_balance(tmp_path):
    a, b = (sets.put(name, tmp_path / name) for name in ("shards", "gz"))
    with Pipeline(6, 1) as pipe:
        members = {
            "a": fn.readers.mds(path=a, columns=["n", "text"]),
            "b": fn.readers.mds(path=b, columns=["n", "text"]),
        }
        n, text, source = fn.readers.mix(members, weights={"a": 2, "b": 1})
        pipe.set_outputs(n, text, source)
        n, text, source = pipe.run()
    assert np.bincount(source.as_array()).tolist() == [4, 2]
    for number, row in zip(n.as_array().ravel().tolist(), text.rows(), strict=True):
        assert bytes(row).decode() == f"{number:03d}" * 9
    with Pipeline(12, 1) as pipe:
        both = fn.readers.mds(path=[a, b], columns=["n"])
        pipe.set_outputs(*fn.readers.balance(both, by="n"))
        assert sorted(pipe.run()[0].as_array().ravel().tolist()) == [*range(12)]


def test_bad_samples_are_replaced_or_skipped(tmp_path):
    content = sets.files_of("shards")
    shard = bytearray(content["shard.00001.mds"])
    begin = int(np.frombuffer(bytes(shard[8:12]), "<u4")[0])
    shard[begin] ^= 1  # the size of a text
    path = sets.put(content | {"shard.00001.mds": bytes(shard)}, tmp_path)
    with pipe_of(path) as pipe, pytest.raises(SourceError, match=r"00001.mds, sample 1: the sizes"):
        numbers(pipe, 3)
    with pipe_of(path, on_error="replace") as pipe:
        pipe.run()
        (batch,) = pipe.run()
        assert batch.valid.tolist() == [True, False, True, True]
        assert batch.as_array()[[0, 2, 3]].ravel().tolist() == [4, 6, 7]
    with pipe_of(path, on_error="skip") as pipe:
        assert 5 not in numbers(pipe, 3)


def test_a_shard_that_is_cut_off_or_missing(tmp_path):
    content = sets.files_of("shards")
    content["shard.00001.mds"] = content["shard.00001.mds"][:-50]
    del content["shard.00002.mds"]
    path = sets.put(content, tmp_path)
    with pytest.raises(OSError, match=r"00002.mds"), pipe_of(path) as pipe:
        pipe.build()
    with pipe_of(path, 1, on_error="skip") as pipe:
        with pytest.warns(RuntimeWarning, match="2 files are damaged"):
            pipe.build()
        assert pipe.epoch_size("reader") == 6
        assert numbers(pipe, 6) == [*range(6)]


def test_a_table_of_offsets_that_is_damaged(tmp_path):
    content = sets.files_of("shards")
    for place, value in ((0, 9), (4, 3), (8, 2**32 - 1), (16, 2**31), (20, 7)):
        shard = bytearray(content["shard.00001.mds"])
        shard[place : place + 4] = np.uint32(value).tobytes()
        path = sets.put(content | {"shard.00001.mds": bytes(shard)}, tmp_path / str(place))
        with pipe_of(path) as pipe, pytest.raises(SourceError, match=r"00001.mds"):
            numbers(pipe, 3)
        with pipe_of(path, 1, on_error="skip") as pipe:
            assert set(numbers(pipe, 12)) == {*range(4), *range(8, 12)}


def test_a_global_shuffle_that_decompresses_a_shard_for_each_sample_is_told(tmp_path):
    path = sets.put("gz", tmp_path)
    with (
        pytest.warns(UserWarning, match=r"shuffle_block=3 decompresses each shard once an epoch"),
        pipe_of(path, random_shuffle=True, cache_bytes=1000) as pipe,
    ):
        pipe.build()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": []}, "columns is empty"),
        ({"dtypes": [types.INT32] * 2}, "2 dtypes for 1 columns"),
        ({"columns": ["m"]}, "has no column 'm'; there are n, text, x"),
        ({"split": "train"}, "has no index.json"),
    ],
)
def test_arguments_that_are_refused(tmp_path, options, message):
    path = sets.put("shards", tmp_path)
    with pytest.raises((ArgumentError, SourceError), match=message), pipe_of(path, **options) as p:
        p.build()


@pytest.mark.parametrize(("name", "processes"), [("shards", 1), ("gz", 0)])
def test_processes_read_what_is_not_compressed(tmp_path, monkeypatch, name, processes):
    monkeypatch.setattr(record_reader, "usable_cores", lambda: record_reader.MIN_CORES)
    reader = MDS("cpu", (), (), path=sets.put(name, tmp_path), columns="n")
    reader.source = open_mds([str(tmp_path)], ["n"], cache_bytes=0)
    assert reader.cores_suffice() == bool(processes)


def test_a_text_that_is_no_number(tmp_path):
    path = sets.put("shards", tmp_path)
    with pipe_of(path, columns="text", dtypes=[types.FLOAT64]) as pipe:
        assert numbers(pipe, 1) == [float(f"{n:03d}" * 9) for n in range(4)]
    path = sets.put(sets.made({"x": ("bytes", None)}, [b"\3\0\0\0abc"]), tmp_path / "b")
    with (
        pipe_of(path, 1, columns="x", dtypes=[types.INT32]) as pipe,
        pytest.raises(DecodeError, match="sample 0: the column 'x' has a size that is no multiple"),
    ):
        pipe.run()
