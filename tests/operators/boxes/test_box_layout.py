"""Layouts of boxes, and boxes that must lie in the image."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.boxes.box_layout import box_layout, check_in_image


@pytest.mark.parametrize(
    ("letters", "dimensions", "box"),
    [
        ("xyXY", 2, [0.125, 0.25, 0.5, 0.75]),
        ("xyWH", 2, [0.125, 0.25, 0.375, 0.5]),
        ("HWyx", 2, [0.5, 0.375, 0.25, 0.125]),
        ("YXyx", 2, [0.75, 0.5, 0.25, 0.125]),
        ("xyzXYZ", 3, [0.125, 0.25, 0, 0.5, 0.75, 1]),
        ("zyxDHW", 3, [0, 0.25, 0.125, 1, 0.5, 0.375]),
    ],
)
def test_corners_are_read_and_written_in_any_order(letters, dimensions, box):
    layout = box_layout("fn.some", letters, dimensions)
    boxes = np.float32([box] * 2)
    corners = layout.corners(boxes)
    wanted = [0.125, 0.25, 0, 0.5, 0.75, 1] if dimensions == 3 else [0.125, 0.25, 0.5, 0.75]
    np.testing.assert_array_equal(corners.T, np.float32([wanted] * 2))
    out = np.empty_like(boxes)
    layout.write(corners, out)
    np.testing.assert_array_equal(out, boxes)


@pytest.mark.parametrize("letters", ["xy", "xyXW", "xyzXYZ", "abcd"])
def test_other_letters_are_refused(letters):
    with pytest.raises(ArgumentError, match=f"bbox_layout is '{letters}'"):
        box_layout("fn.some", letters, 2)


def test_ltrb_chooses_the_default():
    assert not box_layout("fn.some", "", 2).sized
    assert box_layout("fn.some", "", 3, ltrb=False).sized


@pytest.mark.parametrize("box", [[-0.1, 0, 1, 1], [0, 0, 1, 1.1], [0, np.nan, 1, 1], [2, 2, 3, 3]])
def test_boxes_outside_of_the_image_are_refused(box):
    corners = np.float32([[0, 0, 1, 1], box]).T
    with pytest.raises(ArgumentError, match=r"box 1 reaches from .* relative to the image"):
        check_in_image("fn.some", corners)


def test_rounding_errors_are_cut_off():
    corners = np.float32([[-1e-6, 0, 1 + 1e-6, 1]]).T
    np.testing.assert_array_equal(check_in_image("fn.some", corners), np.float32([[0, 0, 1, 1]]).T)


def test_empty_boxes_and_no_boxes_lie_in_the_image():
    for corners in (np.float32([[0.5] * 4]).T, np.empty((4, 0), np.float32)):
        np.testing.assert_array_equal(check_in_image("fn.some", corners), corners)
