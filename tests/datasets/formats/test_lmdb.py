"""LMDB databases of other programs."""

from __future__ import annotations

import lmdb

from penstock.datasets import Sample, convert, open_dataset, verify
from penstock.datasets.formats import lmdb as writer_module
from penstock.datasets.formats.lmdb import value_format
from penstock.testing import made
from penstock.testing.writers import WriterTests
from penstock.tests.readers import lmdb_samples


def test_files_of_one_key_are_one_sample(tmp_path):
    records = {b"a/x.jpg": b"..", b"a/x.txt": b"t", b"a/y.jpg": b".."}
    lmdb_samples.write_lmdb(tmp_path / "a", records)
    samples = open_dataset(tmp_path / "a", format="lmdb").read([0, 1])
    assert [(s.key, sorted(s.components)) for s in samples] == [
        ("a/x", ["image", "text"]),
        ("a/y", ["image"]),
    ]


def test_other_values_are_files():
    import numpy as np

    for content in (b"", b"\xff\xd8\xff", b"PK\x03\x04", bytes(20)):
        assert value_format(np.frombuffer(content, np.uint8)) == "lmdb"


class TestLmdbFileWriter(WriterTests):
    format = "lmdb"
    contents = ("images", "detections", "annotated", "speech", "arrays")

    def bad_sample(self, sample):
        return Sample("a" * 600, {"label": 1})


def test_a_value_is_a_file(tmp_path):
    root = made.write(tmp_path / "a", made.images(2), "lmdb")
    with lmdb.open(str(root / "shard-00000"), readonly=True, lock=False) as environment:
        stored = dict(environment.begin().cursor())
    assert stored[b"b/001.jpg"] == made.jpeg(1)
    assert stored[b"b/001.cls"] == b"1"


def test_large_shards_are_written_in_several_transactions(tmp_path, tuned):
    tuned(writer_module, TRANSACTION_BYTES=1000)
    root = made.write(tmp_path / "a", made.images(), "lmdb")
    with lmdb.open(str(root / "shard-00000"), readonly=True, lock=False) as environment:
        assert environment.info()["last_txnid"] > 3
        assert environment.stat()["entries"] == 24


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
