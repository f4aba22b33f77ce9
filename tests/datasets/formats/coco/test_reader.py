"""COCO data sets as their authors lay them out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from penstock.datasets import open_dataset
from penstock.engine.errors import SourceError

ANNOTATIONS = {
    "images": [{"id": 7, "file_name": "7.jpg", "height": 4, "width": 5}],
    "annotations": [
        {"id": 1, "image_id": 7, "category_id": 3, "bbox": [1.5, 1, 2, 3], "area": 6, "iscrowd": 0}
    ],
    "categories": [{"id": 1, "name": "cat"}, {"id": 3, "name": "dog"}],
}


@pytest.mark.parametrize("folder", ["val2017", "images/val2017", "images", "annotations"])
def test_images_are_where_archives_put_them(tmp_path, folder):
    (tmp_path / "annotations").mkdir()
    path = tmp_path / "annotations" / "instances_val2017.json"
    path.write_text(json.dumps(ANNOTATIONS))
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / folder / "7.jpg").write_bytes(b"..")
    dataset = open_dataset(path)
    (sample,) = dataset.read([0])
    assert sample.key == "7"
    np.testing.assert_array_equal(sample.components["boxes"], [[1.5, 1, 2, 3]])
    assert sample.components["labels"].tolist() == [3]
    assert dataset.classes == ("", "cat", "", "dog")


def test_missing_images_are_named(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(ANNOTATIONS))
    with pytest.raises(SourceError, match=r"'7\.jpg' .* lies in none of"):
        open_dataset(tmp_path / "a.json")


def test_ids_boxes_and_names_of_any_kind(tmp_path):
    (tmp_path / "train2017").mkdir()
    (tmp_path / "train2017" / "7.jpg").write_bytes(b"..")
    polygon = [[1, 1, 4, 1, 4, 3, 1, 3]]
    content = {
        "images": [
            {"id": "x", "coco_url": "http://host/train2017/7.jpg", "height": 4, "width": 5},
        ],
        "annotations": [
            {"id": "a", "image_id": "x", "category_id": 3, "segmentation": polygon},
        ],
        "categories": [{"id": 3, "name": "dog", "frequency": "c"}],
    }
    path = tmp_path / "lvis_v1_val.json"
    path.write_text(json.dumps(content))
    dataset = open_dataset(path)
    (sample,) = dataset.read([0])
    assert sample.key == "train2017/7"
    assert sample.components["boxes"].tolist() == [[1, 1, 3, 2]]
    assert dataset.stored.unread_fields == ("frequency",)
    content["annotations"][0]["category_id"] = 1 << 40
    path.write_text(json.dumps(content))
    with pytest.raises(SourceError, match="the category_id 1099511627776 is no number of 32 bits"):
        open_dataset(path)
