"""Whether source and destination are the same files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock import datasets
from penstock.datasets.overlap import check_apart
from penstock.engine.errors import ArgumentError
from penstock.testing import made


@pytest.mark.parametrize("kind", ["list", "links"])
def test_files_of_the_destination_that_a_source_names_are_kept(tmp_path, kind):
    old = made.write(tmp_path / "old", made.images(), "folder", ("a", "b"))
    read = tmp_path / "read"
    if kind == "list":
        read.write_text("".join(f"{path} 0\n" for path in old.glob("?/*.jpg")))
    else:
        for path in old.glob("?/*.jpg"):
            link = read / path.relative_to(old)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    with pytest.raises(ArgumentError, match="holds files of the source"):
        datasets.convert(read, old, to="tfrecord", overwrite=True)
    assert len(datasets.open_dataset(read)) == 12


def test_what_lies_elsewhere_is_apart(tmp_path):
    old = made.write(tmp_path / "old", made.images(), "folder", ("a", "b"))
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "other")
    with datasets.open_dataset(old) as dataset:
        for path in (tmp_path / "other", tmp_path / "link", tmp_path / "new", Path("/") / "none"):
            check_apart(path, dataset, replaces=True)


@pytest.mark.parametrize("content", ["detections", "speech"])
def test_annotations_that_name_files_of_the_destination(tmp_path, content):
    to = "coco" if content == "detections" else "nemo"
    old = made.write(tmp_path / "old", made.CONTENTS[content](), to)
    (tmp_path / "read").mkdir()
    if to == "coco":
        (tmp_path / "read" / "images").symlink_to(old / "images")
        (tmp_path / "read" / "a.json").write_bytes((old / "annotations.json").read_bytes())
        source = tmp_path / "read" / "a.json"
    else:
        lines = [json.loads(line) for line in (old / "manifest.json").read_text().splitlines()]
        source = tmp_path / "read" / "m.json"
        for line in lines:
            line["audio_filepath"] = str(old / line["audio_filepath"])
        source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = made.files_of(old)
    with pytest.raises(ArgumentError, match="holds files of the source"):
        datasets.convert(source, old, to="tfrecord", overwrite=True)
    assert made.files_of(old) == before
