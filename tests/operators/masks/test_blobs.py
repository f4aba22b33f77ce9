"""Boxes of blobs, against a flood fill."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.masks.blobs import blob_boxes


def flooded(mask):
    """Return the boxes of blobs, found by filling one after another."""
    left, boxes = {tuple(i) for i in np.argwhere(mask).tolist()}, []
    while left:
        pending = [min(left)]
        left.remove(pending[0])
        blob = []
        while pending:
            index = pending.pop()
            blob.append(index)
            for axis in range(mask.ndim):
                for step in (-1, 1):
                    other = (*index[:axis], index[axis] + step, *index[axis + 1 :])
                    if other in left:
                        left.remove(other)
                        pending.append(other)
        boxes.append([np.min(blob, 0).tolist(), (np.max(blob, 0) + 1).tolist()])
    return sorted(boxes)


@pytest.mark.parametrize("shape", [(30,), (9, 11), (5, 6, 7), (3, 4, 5, 4), (2, 3, 2, 3, 3)])
@pytest.mark.parametrize("density", [0.3, 0.5, 0.7])
def test_blobs_of_any_dimensions(shape, density):
    for seed in range(3):
        mask = np.random.default_rng(seed).random(shape) < density
        assert sorted(blob_boxes(mask).tolist()) == flooded(mask)


def test_masks_without_blobs():
    for shape in ((4, 5), (3, 4, 5), (7,)):
        assert blob_boxes(np.zeros(shape, bool)).shape == (0, 2, len(shape))
        assert blob_boxes(np.ones(shape, bool)).tolist() == [[[0] * len(shape), list(shape)]]


def test_blobs_that_are_joined_late():
    spiral = np.zeros((7, 3, 3), bool)
    spiral[:, 0, 0] = spiral[:, 2, 2] = True
    spiral[6, 0, :] = spiral[6, :, 2] = True
    assert blob_boxes(spiral).tolist() == [[[0, 0, 0], [7, 3, 3]]]
    assert blob_boxes(spiral[::-1]).tolist() == [[[0, 0, 0], [7, 3, 3]]]


def test_views_are_masks():
    mask = np.zeros((6, 8), bool)
    mask[::2, ::4] = True
    assert len(blob_boxes(mask[::2, ::2])) == 2
    assert len(blob_boxes(mask.T)) == 6
