"""MDS data sets as samples, and conversions of them."""

import json

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.cli.mixture_file import sources_of
from penstock.datasets import convert, inspect, open_dataset, verify
from penstock.engine.errors import ArgumentError, SourceError
from penstock.formats.decompression import ZSTD
from penstock.tests.readers.mds import sets


def test_samples(tmp_path):
    with open_dataset(sets.put("scalars", tmp_path)) as dataset:
        assert dataset.format == "mds"
        samples = dataset.read([5, 0])
        assert dataset.where(5).endswith("shard.00000.mds, sample 5")
    assert [sample.key for sample in samples] == ["shard.00000/00000005", "shard.00000/00000000"]
    for index, sample in zip((5, 0), samples, strict=True):
        told = sets.expected("scalars")[index]
        own = sample.components
        for name in ("n", "text", "many", "real", "money"):
            assert own[name] == told[name]
        for name in ("int8", "uint64", "float16"):
            assert own[name] == told[name].item()
        assert json.loads(bytes(own["told"].data)) == told["told"]
        assert (own["told"].extension, own["raw"].extension) == ("json", "")


@pytest.mark.parametrize("format", [None, "mds"])
def test_splits_are_folders(tmp_path, format):
    path = sets.put("splits", tmp_path)
    for split, samples in (("train", 5), ("val", 2)):
        with open_dataset(path, split=split, format=format) as dataset:
            assert (dataset.format, len(dataset)) == ("mds", samples)
    with pytest.raises(ArgumentError, match="no split 'test': its splits are train, val"):
        open_dataset(path, split="test", format=format)
    with pytest.raises(ArgumentError, match="no split 'train': it holds no shards"):
        open_dataset(path, split="train", format="shar")


@pytest.mark.parametrize("name", ["shards", "zstd:7"])
def test_behind_s3(s3, name):
    if name == "zstd:7":
        pytest.importorskip(ZSTD)
    for path, content in sets.files_of(name).items():
        s3.put(f"{name[:4]}/{path}", content)
    url = f"s3://bucket/{name[:4]}"
    with open_dataset(url, storage_options=s3.options) as dataset:
        assert dataset.format == "mds"
        samples = dataset.read(np.arange(len(dataset)))
    assert [sample.components["n"] for sample in samples] == [*range(len(sets.expected(name)))]
    assert verify(url, storage_options=s3.options).bad == []


def test_splits_behind_s3(s3):
    for path, content in sets.files_of("splits").items():
        s3.put(f"parts/{path}", content)
    with open_dataset("s3://bucket/parts", split="train", storage_options=s3.options) as dataset:
        assert len(dataset) == 5
    with Pipeline(5, 1) as pipe:
        options = {"split": "train", "storage_options": s3.options, "random_shuffle": True}
        pipe.set_outputs(fn.readers.mds(path="s3://bucket/parts", columns="n", **options))
        assert sorted(pipe.run()[0].as_array().ravel().tolist()) == [0, 1, 2, 3, 4]


def test_images_and_arrays(tmp_path):
    with open_dataset(sets.put("images", tmp_path / "a")) as dataset:
        components = dataset.read([2])[0].components
        assert {n: value.extension for n, value in components.items()} == {
            "jpeg": "jpg",
            "png": "png",
            "pil": "pam",
        }
    with open_dataset(sets.put("arrays", tmp_path / "b")) as dataset:
        assert str(dataset.schema["typed"]) == "array uint16 (n, 6)"
        told = sets.expected("arrays")[1]
        for name, value in dataset.read([1])[0].components.items():
            np.testing.assert_array_equal(value, told[name], strict=True)


def test_keys_of_a_merged_set_are_unique(tmp_path):
    assert verify(sets.put("merged", tmp_path)).ok
    with open_dataset(tmp_path) as dataset:
        assert dataset.read([7])[0].key == "b/shard.00000/00000003"


def test_pickles_are_left_out_and_named(tmp_path):
    report = inspect(sets.put("pickles", tmp_path))
    assert (report.samples, [*report.schema]) == (3, ["n"])
    with open_dataset(tmp_path) as dataset:
        assert dataset.stored.unread_fields == ("p",)
    index = json.loads((tmp_path / "index.json").read_text())
    index["shards"][0] |= {"column_names": ["p"], "column_encodings": ["pkl"]}
    index["shards"][0]["column_sizes"] = [None]
    (tmp_path / "index.json").write_text(json.dumps(index))
    with pytest.raises(SourceError, match=r"no column has an encoding that is read$"):
        open_dataset(tmp_path)


def test_a_set_of_lists_alone_names_their_images(tmp_path):
    values = [np.uint32([8 + 4 * n, 0, n, *[0] * n]).tobytes() for n in range(3)]
    sets.put(sets.made({"views": ("list[jpeg]", None)}, values), tmp_path / "set")
    with pytest.raises(SourceError, match=r"reads images of lists, as columns=\['views\[0\]'\]"):
        open_dataset(tmp_path / "set")
    file = tmp_path / "streams.json"
    file.write_text(json.dumps({"streams": {"a": {"local": str(tmp_path / "set")}}}))
    assert sources_of(str(file), None)["a"]["samples"] == 3


def test_the_call_reads_the_first_images_of_lists(tmp_path):
    values = [np.uint32([8 + 4 * n, 1, 0, n, *[0] * n]).tobytes() + b"x" for n in range(3)]
    columns = {"views": ("list[jpeg]", None), "text": ("str", None)}
    report = inspect(sets.put(sets.made(columns, values), tmp_path / "set"))
    (call,) = report.reader
    assert "columns=['text', 'views[0]']" in call
    assert report.lost == ("views",)


@pytest.mark.parametrize("to", ["webdataset", "parquet", "tfrecord"])
@pytest.mark.parametrize("name", ["images", "gz"])
def test_conversions(tmp_path, to, name):
    source = sets.put(name, tmp_path / "a")
    assert convert(source, tmp_path / "b", to=to).samples == len(sets.expected(name))
    assert verify(source, tmp_path / "b").ok


def test_behind_a_url(web):
    for path, content in sets.files_of("shards").items():
        web.objects[f"set/{path}"] = content
    report = inspect(f"{web.url}/set/")
    assert (report.format, report.samples, report.bad) == ("mds", 12, [])


def test_verify_compares_the_digests_of_the_index(tmp_path):
    content = sets.files_of("shards")
    shard = bytearray(content["shard.00001.mds"])
    shard[-1] ^= 1  # of a number, which no reader could notice
    report = verify(sets.put(content | {"shard.00001.mds": bytes(shard)}, tmp_path))
    assert not report.ok
    (bad,) = report.bad
    assert bad.location.endswith("shard.00001.mds")
    assert "the sha1 is" in bad.reason


def test_a_shard_that_is_cut_off(tmp_path):
    content = sets.files_of("shards")
    content["shard.00001.mds"] = content["shard.00001.mds"][:-1]
    source = sets.put(content, tmp_path / "a")
    with pytest.raises(SourceError, match=r"shard.00001.mds has \d+ bytes, but the index"):
        convert(source, tmp_path / "b", to="webdataset")
    report = verify(source)
    assert [bad.location for bad in report.bad] == [f"{source}/shard.00001.mds"]
    assert convert(source, tmp_path / "c", to="webdataset", skip_bad=True).samples == 11


def test_a_text_that_is_no_utf_8(tmp_path):
    samples = [b"\1\0\0\0\xff", b"\1\0\0\0a"]
    report = verify(sets.put(sets.made({"x": ("str", None)}, samples), tmp_path))
    assert [bad.index for bad in report.bad] == [0]
    assert "a text is no UTF-8" in report.bad[0].reason
