"""LMDB databases of Caffe and Caffe2."""

from __future__ import annotations

import pytest

from penstock.datasets import Encoded, Sample, convert, open_dataset, verify
from penstock.engine.errors import ArgumentError
from penstock.testing import made
from penstock.testing.writers import WriterTests
from penstock.tests.readers import lmdb_samples


def test_pixels_of_caffe_are_arrays(tmp_path):
    value = lmdb_samples.datum(shape=(2, 3, 1), data=bytes(range(6)), label=4, encoded=False)
    lmdb_samples.write_lmdb(tmp_path / "a", [value])
    (sample,) = open_dataset(tmp_path / "a").read([0])
    assert sample.components["image"].shape == (2, 3, 1)
    assert sample.components["label"] == 4


class TestCaffeWriter(WriterTests):
    format = "caffe"
    contents = ("images",)

    def bad_sample(self, sample):
        return Sample("a", {"image": Encoded(b"", "jpg"), "label": 1 << 31})


class TestCaffe2Writer(TestCaffeWriter):
    format = "caffe2"


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
