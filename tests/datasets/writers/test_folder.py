"""Class folders and file lists."""

from __future__ import annotations

import hashlib

import pytest

from penstock.datasets import Encoded, Sample, open_dataset
from penstock.engine.errors import ArgumentError
from penstock.readers.listing.listing import list_files
from penstock.testing import made
from penstock.testing.writers import WriterTests


class TestFolderWriter(WriterTests):
    format = "folder"
    opens_files = False
    contents = ("images", "arrays")

    def target(self, samples):
        target = super().target(samples)
        return (
            target if "image" in target.schema else type(target)(target.schema, (), target.layout)
        )

    def bad_sample(self, sample):
        return Sample("a/1", {**sample.components, "label": 7})

    def test_samples_come_back_as_they_were(self, tmp_path):
        for number, classes in enumerate((("a", "b"), ())):
            samples = made.images() if classes else made.arrays()
            root = made.write(tmp_path / str(number), samples, "folder", classes)
            read = open_dataset(root).read(range(len(samples)))
            expected = {s.key: s.components["label"] for s in samples}
            assert {s.key: s.components["label"] for s in read} == expected


class TestFileListWriter(WriterTests):
    format = "filelist"
    opens_files = False
    contents = ("images", "arrays")

    def bad_sample(self, sample):
        return Sample("a/1", {**sample.components, "label": -1})


def test_classes_without_samples_keep_the_numbers_of_the_others(tmp_path):
    samples = [Sample("x", {"image": Encoded(b"..", "jpg"), "label": 2})]
    root = made.write(tmp_path / "a", samples, "folder")
    assert list_files(file_root=str(root), dir_filters="[!.]*").labels.tolist() == [2]
    assert (root / "000002" / "x.jpg").read_bytes() == b".."


def test_names_of_classes_need_not_be_sorted(tmp_path):
    samples = [Sample(f"{i}", {"image": Encoded(b"..", "jpg"), "label": i}) for i in range(2)]
    root = made.write(tmp_path / "a", samples, "folder", classes=("dog", "cat"))
    assert (root / "cat" / "1.jpg").exists()
    assert {s.key: s.components["label"] for s in open_dataset(root).read([0, 1])} == {
        "0": 0,
        "1": 1,
    }


def test_slashes_in_names_are_quoted(tmp_path):
    samples = [Sample("x/y.z", {"image": Encoded(b"..", "jpg"), "label": 0})]
    root = made.write(tmp_path / "a", samples, "folder", classes=("dog",))
    assert (root / "dog" / "x%2Fy%2Ez.jpg").exists()
    assert open_dataset(root).read([0])[0].key == "x/y.z"


def test_a_key_that_is_not_below_its_class_is_refused(tmp_path):
    samples = [Sample(f"dog/{i}", {"image": Encoded(b"..", "jpg"), "label": i}) for i in range(2)]
    with pytest.raises(ArgumentError, match="belongs to the class 'cat'"):
        made.write(tmp_path / "a", samples, "folder", classes=("dog", "cat"))


def test_the_list_of_a_shard_suits_sha256sum(tmp_path):
    root = made.write(tmp_path / "a", made.images(3), "folder", classes=("a", "b"))
    lines = (root / ".penstock-shard-00000.sha256").read_text().splitlines()
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((root / name).read_bytes()).hexdigest() == digest


def test_the_file_list_names_each_file_with_its_label(tmp_path):
    root = made.write(tmp_path / "a", made.images(2), "filelist")
    assert (root / "files.lst").read_text() == "a/000.jpg 0\nb/001.jpg 1\n"
    assert open_dataset(root / "files.lst").read([1])[0].components["label"] == 1
