"""Operators of boxes under the suite that every operator must pass."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np

from penstock.testing.operators import OperatorConformance, RandomConformance

from ..box_samples import anchor_grid, random_boxes, sized

BOXES = [random_boxes(count, seed=count) for count in (5, 0, 1, 3)]
LABELS = [np.arange(1, len(boxes) + 1, dtype=np.int32) for boxes in BOXES]


class BoxConformance(OperatorConformance):
    """The suite, without layouts."""

    layout = ""


class RandomBoxConformance(RandomConformance):
    """The suite for operators with random numbers, without layouts."""

    layout = ""


class TestBbFlip(BoxConformance):
    operator = "bb_flip"
    inputs = ([sized(boxes) for boxes in BOXES],)
    per_sample = {"horizontal": [0, 1, 0, 1], "vertical": [0, 0, 1, 1]}
    bad = (({"horizontal": "left"}, "'horizontal' must be int"),)


class TestBbFlipOfEdges(BoxConformance):
    operator = "bb_flip"
    inputs = (BOXES,)
    arguments = {"ltrb": True, "vertical": 1}


class TestCoordFlip(BoxConformance):
    operator = "coord_flip"
    inputs = ([boxes[:, :2] for boxes in BOXES],)
    arguments = {"center_y": 0.25}
    per_sample = {"flip_x": [0, 1, 0, 1], "flip_y": [0, 0, 1, 1], "center_x": [0.0, 1.0, 0.3, 2.0]}
    bad = (({"layout": "xyz"}, "must have the shape"), ({"layout": "ab"}, "letters x, y and z"))


class TestBboxPaste(BoxConformance):
    operator = "bbox_paste"
    inputs = (BOXES,)
    arguments = {"ratio": 2.5}
    per_sample = {"ratio": [1.0, 2.0, 3.0, 1.5], "paste_x": [0.0, 1.0, 0.5, 0.25]}
    bad = (({"ratio": 0.5}, "must be at least 1"), ({"ratio": np.nan}, "not finite"))


class TestBboxRotate(BoxConformance):
    operator = "bbox_rotate"
    inputs = (BOXES, LABELS)
    arguments = {"angle": 30.0, "input_shape": (100, 200)}
    per_sample = {"angle": [0.0, 45.0, 90.0, -20.0], "input_shape": [(10, 20)] * 4}
    bad = (
        ({"keep_size": True, "size": (3, 3)}, "either keep_size or size"),
        ({"input_shape": (100,)}, "no width and height"),
        ({"mode": "grow"}, "'expand', 'fixed' or 'halfway'"),
    )


class TestBoxEncoder(BoxConformance):
    operator = "box_encoder"
    inputs = (BOXES, LABELS)
    arguments = {"anchors": tuple(anchor_grid()), "criteria": 0.4}
    bad = (({"stds": (1, 1, 1, 0)}, "no number may be 0"), ({"anchors": (0.0,) * 5}, "needs 4"))
    bad_inputs = (
        ([BOXES, LABELS[::-1]], "give one label for each box"),
        ([[np.full((2, 4), np.nan, np.float32)], [np.int32([1, 2])]], "not finite"),
    )


class TestBoxEncoderOfOffsets(BoxConformance):
    operator = "box_encoder"
    inputs = (BOXES, [labels[:, None] for labels in LABELS])
    arguments = {
        "anchors": tuple(anchor_grid()),
        "offset": True,
        "scale": 300,
        "stds": (0.1, 0.1, 0.2, 1),
    }
    largest = 1e-5


class TestRandomBboxCrop(RandomBoxConformance):
    operator = "random_bbox_crop"
    inputs = (BOXES, LABELS)
    arguments = {"scaling": (0.3, 1.0), "aspect_ratio": (0.5, 2.0), "thresholds": (0.0, 0.1)}
    bad = (
        ({"thresholds": ()}, "at least one"),
        ({"threshold_type": "area"}, "must be 'iou' or 'overlap'"),
        ({"scaling": (1, 0.5)}, "least, largest"),
        ({"aspect_ratio": (1, 2, 3, 4)}, "once or 3 times"),
        ({"total_num_attempts": 0}, "no limit"),
        ({"ltrb": True, "bbox_layout": "xyXY"}, "either bbox_layout or ltrb"),
        ({"bbox_layout": "xyXH"}, "letters of 'xyXY' or 'xyWH'"),
        ({"crop_shape": (3, 3)}, "needs the argument input_shape"),
        ({"crop_shape": (3, 3), "input_shape": (9, 9)}, "does not go with aspect_ratio and scal"),
    )


class TestSsdRandomCrop(RandomBoxConformance):
    operator = "ssd_random_crop"
    layout = "HWC"
    inputs = (
        [np.full((20 + i, 30 - i, 3), i, np.uint8) for i in range(4)],
        BOXES,
        [labels[:, None] for labels in LABELS],
    )
    bad = (({"num_attempts": 0}, "at least 1"),)


class TestRandomCropGenerator(RandomBoxConformance):
    operator = "random_crop_generator"
    inputs = ([np.int64([20, 30, 3]), np.int64([5, 9, 3]), np.int64([100, 7, 1])],)
    bad = (({"random_area": (0.5, 0.1)}, "random_area"),)
