"""Data sets that Energon has prepared, and those that Energon reads."""

import struct

import pytest

from penstock.datasets import Encoded, Sample, convert, inspect, open_dataset, verify
from penstock.engine.errors import ArgumentError
from penstock.readers.archives.tar_index import index_archive
from penstock.readers.storage.opening import open_storage
from penstock.testing.writers import WriterTests
from penstock.tests.readers.energon_sets import KEYS, LABELS, prepared, read_by_energon

ONE = {"train": ["shard-{000..002}.tar"], "val": []}


def test_the_samples_of_the_only_split(tmp_path):
    root = prepared(tmp_path, splits=ONE, exclude=["shard-001.tar/d"])
    with open_dataset(root) as dataset:
        keys = [sample.key for sample in dataset.read(range(len(dataset)))]
    assert (dataset.format, keys) == ("energon", ["a", "b", "c", "e", "f"])
    assert dataset.where(3).startswith(f"{root}/shard-001.tar, record 4")


def test_several_splits_are_refused(tmp_path):
    root = prepared(tmp_path)
    for use in (open_dataset, inspect):
        with pytest.raises(ArgumentError, match=r"the splits train .*, val .*are not one data set"):
            use(root)


def test_a_conversion_keeps_what_the_metadata_leave(tmp_path):
    root = prepared(tmp_path / "a", splits=ONE, exclude=["shard-000.tar"])
    assert convert(root, tmp_path / "b", to="energon", shard_count=2).samples == 4
    assert verify(root, tmp_path / "b").ok
    (tmp_path / "b" / "dataset.json").unlink()
    assert verify(root, tmp_path / "b").ok
    for shard in sorted((tmp_path / "b").glob("*.tar")):
        index = index_archive(open_storage(shard))
        starts = index.offsets[index.firsts[:-1]] - 512
        told = shard.with_suffix(".tar.idx").read_bytes()
        assert struct.unpack(f"<{len(index) + 1}Q", told)[:-1] == tuple(starts.tolist())


def test_energon_reads_the_files(tmp_path):
    root = prepared(tmp_path / "a", splits=ONE)
    convert(root, tmp_path / "b", to="energon", shard_count=2)
    expected = {key: LABELS[key] for shard in list(KEYS)[:3] for key in KEYS[shard]}
    assert read_by_energon(tmp_path / "b") == expected


class TestEnergonWriter(WriterTests):
    format = "energon"
    contents = ("images", "detections", "annotated", "speech", "arrays")

    def bad_sample(self, sample):
        return Sample("a", {"x": Encoded(b"", "cls")})
