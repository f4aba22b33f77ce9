"""LMDB databases: read by the library and by DALI as well."""

from __future__ import annotations

import lmdb
import pytest

from penstock.datasets import Encoded, Sample, convert, open_dataset, verify
from penstock.datasets.writers import lmdb as writer_module
from penstock.engine.errors import ArgumentError
from penstock.testing import made
from penstock.testing.writers import WriterTests


class TestLmdbFileWriter(WriterTests):
    format = "lmdb"
    contents = ("images", "detections", "annotated", "speech", "arrays")

    def bad_sample(self, sample):
        return Sample("a" * 600, {"label": 1})


class TestCaffeWriter(WriterTests):
    format = "caffe"
    contents = ("images",)

    def bad_sample(self, sample):
        return Sample("a", {"image": Encoded(b"", "jpg"), "label": 1 << 31})


class TestCaffe2Writer(TestCaffeWriter):
    format = "caffe2"


def test_a_value_is_a_file(tmp_path):
    root = made.write(tmp_path / "a", made.images(2), "lmdb")
    with lmdb.open(str(root / "shard-00000"), readonly=True, lock=False) as environment:
        stored = dict(environment.begin().cursor())
    assert stored[b"b/001.jpg"] == made.jpeg(1)
    assert stored[b"b/001.cls"] == b"1"


@pytest.mark.parametrize("name", ["caffe", "caffe2"])
def test_dali_reads_the_databases(tmp_path, name):
    dali = pytest.importorskip("nvidia.dali")
    root = made.write(tmp_path / "a", made.images(), name)
    pipeline = dali.Pipeline(batch_size=12, num_threads=1, device_id=None)
    with pipeline:
        reader = getattr(dali.fn.readers, name)
        pipeline.set_outputs(*reader(path=str(root / "shard-00000")))
    images, labels = pipeline.run()
    assert [images.at(i).tobytes() for i in range(12)] == [made.jpeg(i) for i in range(12)]
    assert [labels.at(i).tolist() for i in range(12)] == [[i % 2] for i in range(12)]


def test_large_shards_are_written_in_several_transactions(tmp_path, tuned):
    tuned(writer_module, TRANSACTION_BYTES=1000)
    root = made.write(tmp_path / "a", made.images(), "lmdb")
    with lmdb.open(str(root / "shard-00000"), readonly=True, lock=False) as environment:
        assert environment.info()["last_txnid"] > 3
        assert environment.stat()["entries"] == 24


@pytest.mark.parametrize("to", ["caffe", "caffe2"])
@pytest.mark.parametrize(
    ("name", "extension", "stored"),
    [("mask", "png", "image"), ("depth", "exr2", "data"), ("image", "", "data")],
)
def test_names_that_would_be_lost_are_refused(tmp_path, to, name, extension, stored):
    samples = [Sample("a", {name: Encoded(b"..", extension), "label": 1})]
    source = made.write(tmp_path / "source", samples, "tfrecord")
    with pytest.raises(ArgumentError, match=f"keeps no names: .* comes back as '{stored}'"):
        convert(source, tmp_path / "out", to=to)


@pytest.mark.parametrize("to", ["caffe", "caffe2"])
def test_several_extensions_of_one_name_are_kept(tmp_path, to):
    samples = [
        Sample(each, {"image": Encoded(made.jpeg(1), each), "label": 1}) for each in ("jpg", "png")
    ]
    source = made.write(tmp_path / "source", samples, "tfrecord")
    convert(source, tmp_path / "out", to=to)
    assert verify(source, tmp_path / "out").ok


def test_two_files_of_one_medium_keep_their_own_names(tmp_path):
    with lmdb.open(str(tmp_path / "db")) as environment, environment.begin(write=True) as stored:
        for name in ("a.jpg", "a.png", "b.jpg"):
            stored.put(name.encode(), name.encode())
    first, second = open_dataset(tmp_path / "db").read([0, 1])
    assert {n: bytes(v.data) for n, v in first.components.items()} == {
        "image": b"a.jpg",
        "png": b"a.png",
    }
    assert list(second.components) == ["image"]
    convert(tmp_path / "db", tmp_path / "out", to="lmdb")
    assert verify(tmp_path / "db", tmp_path / "out").ok
    with lmdb.open(str(tmp_path / "out" / "shard-00000"), readonly=True, lock=False) as environment:
        assert [key for key, _ in environment.begin().cursor()] == [b"a.jpg", b"a.png", b"b.jpg"]
