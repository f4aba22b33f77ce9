"""Lists of files with labels."""

from __future__ import annotations

import hashlib

from penstock.datasets import Sample, open_dataset
from penstock.testing import made
from penstock.testing.writers import WriterTests


class TestFileListWriter(WriterTests):
    format = "filelist"
    opens_files = False
    contents = ("images", "arrays")

    def bad_sample(self, sample):
        return Sample("a/1", {**sample.components, "label": -1})


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
