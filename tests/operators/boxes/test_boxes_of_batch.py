"""Boxes of a batch: one table, and errors of their samples alone."""

from __future__ import annotations

import numpy as np

from penstock.operators.boxes.boxes_of_batch import read_corners

from ..box_samples import random_boxes
from ..running import batch_of, tensors


def read(boxes, labels=None, letters="", ltrb=True):
    """Return the batch, and its boxes."""
    batch = batch_of(len(boxes))
    columns = None if labels is None else tensors(*labels)
    return batch, read_corners(batch, "fn.some", tensors(*boxes), columns, letters, ltrb=ltrb)


def test_boxes_of_all_samples_in_one_table():
    boxes = [random_boxes(count, seed=count) for count in (2, 0, 3)]
    batch, (corners, counts, layout) = read(boxes, [np.arange(n) for n in (2, 0, 3)])
    np.testing.assert_array_equal(corners, np.concatenate(boxes).T)
    assert (counts.tolist(), layout.dimensions, batch.errors) == ([2, 0, 3], 2, {})


def test_three_dimensions_are_seen_by_the_columns():
    _, (corners, _, layout) = read([random_boxes(2, 3), np.zeros((0, 6), np.float32)])
    assert (len(corners), layout.dimensions) == (6, 3)


def test_a_sample_s_error_leaves_the_others():
    good, outside = random_boxes(2), np.float32([[0, 0, 2, 1]])
    wrong = [good, outside, good[:, :3], good, good]
    labels = [np.arange(len(each)) for each in wrong]
    labels[3] = np.arange(7)
    batch, (corners, counts, _) = read(wrong, labels)
    assert counts.tolist() == [2, 0, 0, 0, 2]
    assert corners.shape == (4, 4)
    assert sorted(batch.errors) == [1, 2, 3]
    assert "box 0 reaches" in str(batch.errors[1])
    assert "(boxes, 4), but have (2, 3)" in str(batch.errors[2])
    assert "for 2 boxes" in str(batch.errors[3])


def test_no_samples():
    _, (corners, counts, _) = read([])
    assert (corners.shape, counts.shape) == ((4, 0), (0,))
