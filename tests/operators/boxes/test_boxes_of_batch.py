"""Boxes of a batch: one table, and errors of their samples alone."""

from __future__ import annotations

import re

import numpy as np
import pytest

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
    batch, (corners, counts, layout, labels) = read(boxes, [np.arange(n) for n in (2, 0, 3)])
    np.testing.assert_array_equal(corners, np.concatenate(boxes).T)
    assert (counts.tolist(), layout.dimensions, batch.errors) == ([2, 0, 3], 2, {})
    assert [row.tolist() for row in labels] == [[0, 1], [], [0, 1, 2]]


def test_three_dimensions_are_seen_by_the_columns():
    _, (corners, _, layout, _) = read([random_boxes(2, 3), np.zeros((0, 6), np.float32)])
    assert (len(corners), layout.dimensions) == (6, 3)


def test_a_sample_s_error_leaves_the_others():
    good, outside = random_boxes(2), np.float32([[0, 0, 2, 1]])
    wrong = [good, outside, good[:, :3], good, good]
    labels = [np.arange(len(boxes)) for boxes in wrong]
    labels[3] = np.arange(7)
    batch, (corners, counts, _, left) = read(wrong, labels)
    assert counts.tolist() == [2, 0, 0, 0, 2]
    assert corners.shape == (4, 4)
    assert sorted(batch.errors) == [1, 2, 3]
    assert "box 0 reaches" in str(batch.errors[1])
    assert "(boxes, 4), but have (2, 3)" in str(batch.errors[2])
    assert "for 2 boxes" in str(batch.errors[3])
    assert [len(row) for row in left] == counts.tolist()


@pytest.mark.parametrize(
    ("boxes", "labels", "message"),
    [
        (np.float64([[0, 0, 1, 1]]), np.int32([1]), "boxes must be float32, but are float64"),
        (np.float32([[0, 0, 1, 1]]), np.float32([1]), "labels must be integers"),
        (np.float32([[0, 0, 1, 1]]), np.array([True]), "labels must be integers"),
        (np.float32([[0, 0, 1, 1]]), np.int32(1), r"shape \(\) for 1 boxes"),
        (np.float32([[0, 0, 1, 1]]), np.int32([]), r"shape \(0,\) for 1 boxes"),
        (np.float32([0, 0, 1, 1]), np.int32([1]), r"but have \(4,\)"),
        (np.float32(1), np.int32([1]), r"but have \(\)"),
        (np.float32([[0, 0, np.nan, 1]]), np.int32([1]), "relative to the image"),
    ],
)
def test_one_wrong_form_is_found(boxes, labels, message):
    good, ones = random_boxes(2), np.int32([1, 1])
    batch, (_, counts, *_) = read([good, boxes, good], [ones, labels, ones])
    assert (counts.tolist(), list(batch.errors)) == ([2, 0, 2], [1])
    assert re.search(message, str(batch.errors[1]))


def test_labels_may_have_several_forms():
    labels = [np.int32([1, 2]), np.zeros((2, 3), np.uint8)]
    batch, (_, counts, _, rows) = read([random_boxes(2)] * 2, labels)
    assert (counts.tolist(), batch.errors) == ([2, 2], {})
    assert all(map(np.array_equal, rows, labels))


def test_no_samples():
    _, (corners, counts, *_) = read([])
    assert (corners.shape, counts.shape) == ((4, 0), (0,))
