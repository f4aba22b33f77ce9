"""`fn.bbox_rotate` beside `fn.rotate`, and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError

from ..box_samples import outputs
from ..running import run

BOX = np.float32([[0.25, 0.5, 0.5, 0.75]])


@pytest.mark.parametrize("angle", [0.0, 20.0, 45.0, 90.0, -133.0])
@pytest.mark.parametrize("keep_size", [False, True])
def test_boxes_follow_the_pixels(angle, keep_size):
    image = np.zeros((80, 120, 1), np.uint8)
    image[40:60, 30:60] = 255
    (turned,) = run("rotate", [image], "HWC", angle=angle, keep_size=keep_size, fill_value=0)
    arguments = {"angle": angle, "keep_size": keep_size, "input_shape": image.shape[:2]}
    ((box,),) = outputs("bbox_rotate", [BOX], **arguments)
    bright = np.argwhere(turned[..., 0] > 127)
    height, width = turned.shape[:2]
    wanted = [*bright.min(0)[::-1], *(bright.max(0)[::-1] + 1)]
    np.testing.assert_allclose(box[0] * [width, height, width, height], wanted, 0, 1.6)


def test_boxes_outside_are_removed_with_their_labels():
    boxes = np.float32([[0, 0, 0.1, 0.1], [0.4, 0.4, 0.6, 0.6]])
    arguments = {"angle": 45.0, "keep_size": True, "input_shape": (100, 100)}
    (kept,), (labels,) = outputs("bbox_rotate", [boxes], [np.int32([[1], [2]])], **arguments)
    assert (kept.shape, labels.tolist()) == ((1, 4), [[2]])


def test_modes_differ_in_size():
    sizes = []
    for mode in ("fixed", "halfway", "expand"):
        ((box,),) = outputs("bbox_rotate", [BOX], angle=30.0, input_shape=(100, 100), mode=mode)
        sizes.append(float(box[0, 2] - box[0, 0]))
    assert sizes[0] < sizes[1] < sizes[2]
    assert sizes[1] == pytest.approx((sizes[0] + sizes[2]) / 2, abs=1e-6)


def test_no_boxes_pass_and_empty_boxes_are_removed():
    for boxes in (np.zeros((0, 4), np.float32), np.float32([[0.5] * 4])):
        ((kept,),) = outputs("bbox_rotate", [boxes], angle=10.0, input_shape=(10, 10))
        assert kept.shape == (0, 4)


@pytest.mark.parametrize(
    ("boxes", "labels", "message"),
    [
        (np.float32([[0, np.nan, 1, 1]]), np.int32([1]), "not finite"),
        (BOX, np.int32([1, 2]), "for 1 boxes"),
        (BOX, np.int32([[1, 2]]), r"use \(boxes,\) or \(boxes, 1\)"),
        (BOX[0], np.int32([1]), r"shape \(boxes, 4\)"),
    ],
)
def test_bad_input_is_refused(boxes, labels, message):
    with pytest.raises(ArgumentError, match=message):
        outputs("bbox_rotate", [boxes], [labels], angle=1.0, input_shape=(9, 9))
