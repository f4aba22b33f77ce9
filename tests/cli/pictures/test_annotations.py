"""Annotations of detection data sets as masks."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from penstock import datasets
from penstock.cli.pictures.outputs import of_dataset
from penstock.datasets import Encoded, Sample
from penstock.testing import made


def shown(tmp_path, **components):
    """Return the outputs, by name, of a sample of 20 x 30 pixels with three boxes."""
    image = cv2.imencode(".png", np.zeros((20, 30, 3), np.uint8))[1].tobytes()
    boxes = np.tile(np.array([[1, 2, 9, 8]], np.float32), (3, 1))
    labels = np.array([5, 0, 7], np.int32)
    common = {"image": Encoded(image, "png"), "boxes": boxes, "labels": labels}
    root = made.write(tmp_path / "a", [Sample("a", common | components)])
    with datasets.open_dataset(root) as dataset:
        outputs, _ = of_dataset(dataset, [0])
    return {output.name: output for output in outputs}


def test_polygons_and_runs_become_masks(tmp_path):
    runs = {"size": [20, 30], "counts": [20 * 29, 20]}  # the last column
    values = [[[2, 3, 6, 3, 6, 7, 2, 7]], None, runs]
    segmentations = Encoded(json.dumps(values).encode(), "json")
    output = shown(tmp_path, segmentations=segmentations)["segmentations"]
    assert output.role.value == "mask"
    expected = np.zeros((20, 30), np.int32)
    expected[3:8, 2:7] = 5
    expected[:, 29] = 7
    np.testing.assert_array_equal(output.rows[0], expected)


def test_keypoints_become_disks(tmp_path):
    keypoints = np.zeros((3, 2, 3))
    keypoints[0, 0] = 10, 5, 2
    keypoints[1, 1] = 20, 6, 1
    keypoints[2, 0] = 3, 3, 0  # is not there
    outputs = shown(tmp_path, keypoints=keypoints)
    mask = outputs["segmentations"].rows[0]
    assert (mask[5, 10], mask[6, 20], mask[3, 3]) == (6, 3, 0)
    assert "keypoints" not in outputs


@pytest.mark.parametrize("content", [b"[", b"{}", b"[[[1, 2, 3]], null, null]"])
def test_damaged_annotations_stay_text(tmp_path, content):
    output = shown(tmp_path, segmentations=Encoded(content, "json"))["segmentations"]
    assert output.role.value == "text"
