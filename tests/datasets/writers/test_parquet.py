"""Parquet files: read by PyArrow, and laid out as the Hugging Face hub does."""

from __future__ import annotations

import json

import numpy as np
import pytest

from penstock.datasets import Sample, convert
from penstock.engine.errors import ArgumentError
from penstock.testing import made
from penstock.testing.writers import WriterTests

parquet = pytest.importorskip("pyarrow.parquet")


class TestParquetWriter(WriterTests):
    format = "parquet"
    contents = ("images", "detections", "annotated", "speech", "arrays")

    def bad_sample(self, sample):
        return Sample("a", {"other": 1})


def test_pyarrow_reads_the_files(tmp_path):
    root = made.write(tmp_path / "a", made.images(3), "parquet", classes=("a", "b"))
    table = parquet.read_table(root / "shard-00000.parquet")
    assert table.column("image").to_pylist()[1] == {"bytes": made.jpeg(1), "path": "b/001.jpg"}
    assert table.column("label").to_pylist() == [0, 1, 0]
    features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    assert features["image"] == {"_type": "Image"}
    assert features["label"] == {"names": ["a", "b"], "_type": "ClassLabel"}


def test_boxes_are_lists_of_lists_of_four(tmp_path):
    root = made.write(tmp_path / "a", made.detections(3), "parquet")
    table = parquet.read_table(root / "shard-00000.parquet")
    expected = [sample.components["boxes"] for sample in made.detections(3)]
    for stored, boxes in zip(table.column("boxes").to_pylist(), expected, strict=True):
        np.testing.assert_array_equal(np.array(stored, np.float32).reshape(-1, 4), boxes)


@pytest.mark.parametrize("shape", [(3, 0), (3, 2, 0), (0, 0)])
def test_arrays_without_elements_are_refused_before_anything_is_written(tmp_path, shape):
    source = made.write(tmp_path / "source", [Sample("a", {"x": np.zeros(shape)})])
    with pytest.raises(ArgumentError, match="no arrays with an extent of 0 behind the first"):
        convert(source, tmp_path / "out", to="parquet")
    assert not (tmp_path / "out").exists()
