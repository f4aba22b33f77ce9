"""Operators of boxes and coordinates against DALI: the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from ..operators.box_samples import COUNTS, anchor_grid, outputs, random_boxes, sized
from .oracle import dali

fn: Any = pytest.importorskip("nvidia.dali.fn")
BOXES = [random_boxes(count, seed=count) for count in COUNTS]
LABELS = [np.arange(1, count + 1, dtype=np.int32) for count in COUNTS]
POINTS = [np.random.default_rng(n).random((n, 2), np.float32) for n in COUNTS]


def assert_same(name, inputs, tolerance=0.0, **arguments):
    """Assert that both libraries return the same arrays."""
    ours = outputs(name, *inputs, **arguments)
    theirs = dali(lambda *nodes: getattr(fn, name)(*nodes, **arguments), *inputs)
    for mine, (others, _) in zip(ours, theirs, strict=True):
        for row, wanted in zip(mine, others, strict=True):
            assert (row.dtype, row.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(row, wanted, 0, tolerance)


@pytest.mark.parametrize("ltrb", [False, True])
@pytest.mark.parametrize("directions", [(1, 0), (0, 1), (1, 1), (0, 0)])
def test_bb_flip(ltrb, directions):
    boxes = BOXES if ltrb else [sized(box) for box in BOXES]
    horizontal, vertical = directions
    assert_same("bb_flip", [boxes], ltrb=ltrb, horizontal=horizontal, vertical=vertical)


@pytest.mark.parametrize("ltrb", [False, True])
@pytest.mark.parametrize("numbers", [(1.0, 0.5, 0.5), (2.3, 0.1, 0.9), (3.7, 0.13, 0.88)])
def test_bbox_paste(ltrb, numbers):
    ratio, x, y = numbers
    assert_same("bbox_paste", [BOXES], ltrb=ltrb, ratio=ratio, paste_x=x, paste_y=y)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"flip_y": 1, "center_y": 0.3, "center_x": 0.77}, {"layout": "yx"}, {"flip_x": 0}],
)
def test_coord_flip(arguments):
    assert_same("coord_flip", [POINTS], **arguments)


def test_coord_flip_in_three_dimensions():
    points = [np.random.default_rng(0).random((4, 3), np.float32)]
    assert_same("coord_flip", [points], flip_x=0, flip_z=1, center_z=2.0)


@pytest.mark.parametrize("layout", ["xyXY", "xyWH"])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [
        {"angle": 30.0},
        {"angle": -117.0, "keep_size": True},
        {"angle": 75.0, "mode": "fixed"},
        {"angle": 45.0, "mode": "halfway", "size": [80.0, 90.7]},
        {"angle": 10.0, "keep_size": True, "remove_threshold": 0.9},
        {"angle": 200.0, "shape_layout": "WH", "remove_threshold": 0.0},
    ],
)
def test_bbox_rotate(layout, normalized, arguments):
    boxes = [sized(box) if layout == "xyWH" else box for box in BOXES]
    if not normalized:
        boxes = [box * np.float32([200, 100, 200, 100]) for box in boxes]
    options = {"bbox_layout": layout, "bbox_normalized": normalized, "input_shape": [100, 200]}
    tolerance = 1e-6 if normalized else 1e-4
    assert_same("bbox_rotate", [boxes, LABELS], tolerance, **arguments, **options)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"criteria": 0.3},
        {"criteria": 0.0},
        {"offset": True},
        {"offset": True, "means": [0.1, 0, 0.2, 0], "stds": [0.1, 0.1, 0.2, 0.2], "scale": 300.0},
    ],
)
def test_box_encoder(arguments):
    tolerance = 1e-5 if arguments.get("stds") else 1e-6
    assert_same("box_encoder", [BOXES, LABELS], tolerance, anchors=anchor_grid(), **arguments)


def test_boxes_that_share_their_best_anchor():
    boxes = [np.float32([[0.1, 0.1, 0.4, 0.4], [0.1, 0.1, 0.4, 0.4], [0.12, 0.1, 0.4, 0.4]])]
    labels = [np.int32([5, 6, 7])]
    anchors = [0.1, 0.1, 0.4, 0.4, 0.1, 0.1, 0.4, 0.4, 0, 0, 1, 1]
    assert_same("box_encoder", [boxes, labels], anchors=anchors)
