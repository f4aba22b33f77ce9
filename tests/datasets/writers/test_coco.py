"""COCO: read by pycocotools as well."""

from __future__ import annotations

import json

import numpy as np
import pytest

from penstock.datasets import Sample, convert, open_dataset
from penstock.engine.errors import ArgumentError
from penstock.tests.datasets import made
from penstock.tests.datasets.conformance import WriterTests


class TestCocoWriter(WriterTests):
    format = "coco"
    contents = ("detections",)

    def bad_sample(self, sample):
        boxes = np.full((1, 4), np.nan, np.float32)
        return Sample("a", {**sample.components, "boxes": boxes, "labels": np.zeros(1, np.int32)})


def test_pycocotools_reads_the_annotations(tmp_path, capsys):
    coco = pytest.importorskip("pycocotools.coco")
    root = made.write(tmp_path / "a", made.detections(), "coco", [""] + ["x"] * 90)
    read = coco.COCO(str(root / "annotations.json"))
    by_name = {each["file_name"]: each for each in read.loadImgs(read.getImgIds())}
    for i, sample in enumerate(made.detections()):
        image = by_name[f"{sample.key}.jpg"]
        assert (image["height"], image["width"]) == (8, 6 + i % 3)
        annotations = read.loadAnns(read.getAnnIds(image["id"]))
        boxes = np.array([each["bbox"] for each in annotations], np.float32).reshape(-1, 4)
        np.testing.assert_array_equal(boxes, sample.components["boxes"])
    assert (root / "images" / "000.jpg").read_bytes() == made.jpeg(0)


def test_numbers_have_few_digits(tmp_path):
    sample = made.detections(2)[1]
    boxes = np.array([[0.1, 236.98, 3, 4]], np.float32)
    root = made.write(tmp_path / "a", [Sample("a", {**sample.components, "boxes": boxes})], "coco")
    (annotation,) = json.loads((root / "annotations.json").read_text())["annotations"]
    assert annotation["bbox"] == [0.1, 236.98, 3.0, 4.0]


def test_an_image_without_a_header_is_refused(tmp_path):
    sample = made.detections(1)[0]
    image = type(sample.components["image"])(b"...", "jpg")
    with pytest.raises(ArgumentError, match="size of the image"):
        made.write(tmp_path / "a", [Sample("a", {**sample.components, "image": image})], "coco")


def test_crowds_are_kept_and_lost_data_are_named(tmp_path):
    sample = made.detections(4)[3]  # of three boxes
    crowds = np.array([0, 1, 0], np.int32)
    root = made.write(
        tmp_path / "a", [Sample("a", {**sample.components, "iscrowd": crowds})], "coco"
    )
    annotations = json.loads((root / "annotations.json").read_text())["annotations"]
    assert [each["iscrowd"] for each in annotations] == crowds.tolist()
    (root / "dataset.json").unlink()
    text = (root / "annotations.json").read_text()
    for each in annotations:
        each["segmentation"] = [[0, 0, 1, 0, 1, 1]]
    content = json.loads(text) | {"annotations": annotations}
    (root / "annotations.json").write_text(json.dumps(content))
    report = convert(root, tmp_path / "b", to="tfrecord")
    assert report.lost == ("segmentation",)
    (read,) = open_dataset(tmp_path / "b").read([0])
    np.testing.assert_array_equal(read.components["iscrowd"], crowds)
