"""`fn.bb_flip`, `fn.coord_flip` and `fn.bbox_paste`: special cases and wrong input."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError

from ..box_samples import outputs, random_boxes

ARGUMENTS = {"bb_flip": {}, "coord_flip": {}, "bbox_paste": {"ratio": 2.0}}


@pytest.mark.parametrize("ltrb", [False, True])
def test_two_flips_change_nothing(ltrb):
    boxes = random_boxes(9)
    options = {"ltrb": ltrb, "vertical": 1}
    once = outputs("bb_flip", [boxes], **options)[0]
    np.testing.assert_allclose(outputs("bb_flip", once, **options)[0][0], boxes, 0, 1e-6)


def test_a_single_box_needs_no_axis_of_boxes():
    box = np.float32([0.25, 0.5, 0.25, 0.25])
    assert outputs("bb_flip", [box])[0][0].tolist() == [0.5, 0.5, 0.25, 0.25]
    assert outputs("bbox_paste", [box], ratio=2.0)[0][0].tolist() == [0.375, 0.5, 0.125, 0.125]


@pytest.mark.parametrize("name", ["bb_flip", "bbox_paste"])
def test_boxes_have_four_numbers(name):
    for wrong in (np.zeros((2, 5), np.float32), np.zeros((), np.float32)):
        with pytest.raises(ArgumentError, match=r"shape \(boxes, 4\)"):
            outputs(name, [wrong], **ARGUMENTS[name])


@pytest.mark.parametrize("name", ARGUMENTS)
def test_coordinates_are_float32(name):
    columns = 2 if name == "coord_flip" else 4
    with pytest.raises(ArgumentError, match=r"must be float32, but are float64; convert"):
        outputs(name, [np.zeros((1, columns))], **ARGUMENTS[name])
    empty = np.zeros((0, columns), np.float32)
    assert outputs(name, [empty], **ARGUMENTS[name])[0][0].shape == (0, columns)
