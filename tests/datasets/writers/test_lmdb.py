"""LMDB databases: read by the library and by DALI as well."""

from __future__ import annotations

import lmdb
import pytest

from penstock.datasets import Encoded, Sample
from penstock.datasets.writers import lmdb as writer_module
from penstock.tests.datasets import made
from penstock.tests.datasets.conformance import WriterTests


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
    tuned(writer_module, transaction_bytes=1000)
    root = made.write(tmp_path / "a", made.images(), "lmdb")
    with lmdb.open(str(root / "shard-00000"), readonly=True, lock=False) as environment:
        assert environment.info()["last_txnid"] > 3
        assert environment.stat()["entries"] == 24
