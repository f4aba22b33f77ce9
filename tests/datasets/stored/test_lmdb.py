"""LMDB databases of other programs."""

from __future__ import annotations

from penstock.datasets import open_dataset
from penstock.datasets.stored.lmdb import value_format
from penstock.tests.readers import lmdb_samples


def test_files_of_one_key_are_one_sample(tmp_path):
    records = {b"a/x.jpg": b"..", b"a/x.txt": b"t", b"a/y.jpg": b".."}
    lmdb_samples.write_lmdb(tmp_path / "a", records)
    samples = open_dataset(tmp_path / "a", format="lmdb").read([0, 1])
    assert [(s.key, sorted(s.components)) for s in samples] == [
        ("a/x", ["image", "text"]),
        ("a/y", ["image"]),
    ]


def test_pixels_of_caffe_are_arrays(tmp_path):
    value = lmdb_samples.datum(shape=(2, 3, 1), data=bytes(range(6)), label=4, encoded=False)
    lmdb_samples.write_lmdb(tmp_path / "a", [value])
    (sample,) = open_dataset(tmp_path / "a").read([0])
    assert sample.components["image"].shape == (2, 3, 1)
    assert sample.components["label"] == 4


def test_other_values_are_files():
    import numpy as np

    for content in (b"", b"\xff\xd8\xff", b"PK\x03\x04", bytes(20)):
        assert value_format(np.frombuffer(content, np.uint8)) == "lmdb"
