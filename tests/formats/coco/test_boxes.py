"""Boxes of masks, with pycocotools as the judge."""

from __future__ import annotations

import json

import numpy as np
import pytest

from penstock.formats.coco.boxes import boxes_of_masks
from penstock.formats.coco.columns import ElementError

mask_tools = pytest.importorskip("pycocotools.mask")


def judged(segmentation, height, width):
    """Return the box that pycocotools has of a segmentation."""
    if isinstance(segmentation, list):
        encoded = mask_tools.merge(mask_tools.frPyObjects(segmentation, height, width))
    elif isinstance(segmentation["counts"], list):
        encoded = mask_tools.frPyObjects(segmentation, height, width)
    else:
        encoded = segmentation
    return mask_tools.toBbox(encoded).tolist()


def boxes(segmentations, height, width):
    texts = [json.dumps(segmentation).encode() for segmentation in segmentations]
    sizes = np.full(len(texts), height), np.full(len(texts), width)
    return boxes_of_masks(texts, *sizes).tolist()


def test_boxes_of_polygons():
    random = np.random.default_rng(1)
    segmentations = [
        [
            np.round(random.uniform(-10, 50, 2 * random.integers(3, 9)), 2).tolist()
            for _ in range(random.integers(1, 4))
        ]
        for _ in range(200)
    ]
    assert boxes(segmentations, 30, 40) == [
        judged(segmentation, 30, 40) for segmentation in segmentations
    ]


@pytest.mark.parametrize("density", [0.001, 0.02, 0.5, 1.0, 0.0])
def test_boxes_of_run_lengths(density):
    random = np.random.default_rng(2)
    segmentations = []
    for _ in range(20):
        mask = np.asfortranarray(random.random((30, 40)) < density, np.uint8)
        encoded = mask_tools.encode(mask)
        text = {"size": encoded["size"], "counts": encoded["counts"].decode()}
        flat = mask.ravel("F")
        edges = np.flatnonzero(np.diff(np.concatenate([[0], flat])))
        counts = np.diff(np.concatenate([[0], edges, [flat.size]])).tolist()
        segmentations += [text, {"size": [30, 40], "counts": counts}]
    assert boxes(segmentations, 30, 40) == [
        judged(segmentation, 30, 40) for segmentation in segmentations
    ]


def test_polygons_need_the_size_of_their_image():
    with pytest.raises(ElementError, match="there is no 'bbox', and its image has no 'height'"):
        boxes([[[1, 1, 5, 1, 5, 5]]], 0, 40)
    with pytest.raises(ElementError, match="no list of polygons"):
        boxes([[1, 2]], 30, 40)
