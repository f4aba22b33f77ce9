"""RecordIO files of other programs."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import open_dataset
from penstock.datasets.stored.recordio import detection_of
from penstock.engine.errors import DecodeError, SourceError
from penstock.tests.readers import record_io


@pytest.fixture
def folder(tmp_path):
    images = [record_io.image_record(b"\xff\xd8\xff%d" % i, float(i), i) for i in range(3)]
    content, index = record_io.record_file(images)
    (tmp_path / "a.rec").write_bytes(content)
    (tmp_path / "a.idx").write_bytes(index)
    return tmp_path


def test_records_without_a_list_are_numbered(folder):
    sample = open_dataset(folder).read([2])[0]
    assert (sample.key, sample.components["label"]) == ("a/00000002", 2)


def test_the_list_gives_keys_by_the_numbers_of_the_index(folder):
    (folder / "a.lst").write_text("2\t2.0\tx/c.png\n0\t0.0\tx/a.JPG\n1\t1.0\tx/b.jpg\n")
    samples = open_dataset(folder).read([0, 1, 2])
    assert [sample.key for sample in samples] == ["x/a", "x/b", "x/c"]
    assert samples[2].components["image"].extension == "png"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("0\t0.0\ta\n", "does not list the record 1"),
        ("0 0.0 a\n", "line 1: a number, labels"),
        ("x\t0.0\ta\n", "line 1: a number, labels"),
    ],
)
def test_damaged_lists_are_named(folder, lines, message):
    (folder / "a.lst").write_text(lines)
    with pytest.raises(SourceError, match=message):
        open_dataset(folder)


def test_labels_that_are_no_objects_are_decode_errors():
    with pytest.raises(DecodeError, match="no list of objects"):
        detection_of("x", np.array([2, 5, 1], np.float32))
