"""The rules of searches: options of rounds, and thresholds that no window can meet."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.boxes import crop_rules
from penstock.operators.boxes.crop_rules import WHOLE_IMAGE, CropRules, reachable
from penstock.operators.boxes.crop_search import search
from penstock.operators.boxes.overlaps import ious
from penstock.operators.boxes.window_shapes import RandomExtents

from ..box_samples import random_boxes
from ..crop_proposals import APART, PROPOSALS, draw

THRESHOLDS = np.float32([0.0, 0.1, 0.3, 0.5, 0.7, 0.9])
TINY = np.float32([[0.4, 0.4, 0.45, 0.45]]).T
EVEN = np.float32([[0.1, 0.1, 0.8, 0.8], [0.1, 0.1, 0.8, 0.9]]).T
UNEVEN = np.float32([[0.1, 0.1, 0.2, 0.2], [0.05, 0.05, 0.9, 0.9]]).T


def possible(boxes, extents=(0.3, 1.0)):
    """Return the thresholds that a window may meet."""
    return THRESHOLDS[reachable(THRESHOLDS, boxes, np.array([0]), extents)[0]].tolist()


@pytest.mark.parametrize(
    ("boxes", "extents", "most"),
    [
        (TINY, (0.3, 1.0), 0),  # a window of this size has 0.0025 / 0.09 at most
        (TINY, (0.0, 1.0), 0.9),
        (APART, (0.0, 1.0), 0.1),  # of 0.3 at most, because of the gap on one axis
        (APART, (0.0, 0.5), 0),
        (UNEVEN, (0.0, 1.0), 0.1),
        (EVEN, (0.3, 1.0), 0.9),
        (EVEN, (0.3, 0.4), 0.1),
        (EVEN, (0.9, 1.0), 0.5),
    ],
)
def test_thresholds_that_windows_may_meet(boxes, extents, most):
    assert possible(boxes, extents) == THRESHOLDS[most >= THRESHOLDS - 1e-6].tolist()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_no_window_meets_a_threshold_that_is_left_out(dimensions):
    proposals = RandomExtents((0.2, 0.9), ((0.4, 2.5),))
    windows, _ = proposals.propose(
        np.arange(1),
        np.random.default_rng(0).random((4 * (dimensions - 1), 1, 5000)).astype(np.float32),
    )
    left_out = 0
    for seed in range(60):
        boxes = random_boxes(1 + seed % 3, dimensions, seed=seed).T
        best = ious(windows, boxes[:, :, None]).min(axis=0).max()
        met = reachable(THRESHOLDS, boxes, np.array([0]), proposals.extents)[0]
        assert met[best >= THRESHOLDS].all()
        left_out += (~met).sum()
    assert left_out > 100


def test_options_are_thresholds_and_the_whole_image():
    boxes, counts = np.concatenate([EVEN, TINY], axis=1), np.array([2, 0, 1])
    options, many = CropRules((0.7, 0.0)).options(boxes, counts, (0.3, 1.0))
    assert many.tolist() == [3, 3, 2]
    assert options[2, :2].tolist() == [WHOLE_IMAGE, 0]
    assert options[0].tolist() == options[1].tolist() == [WHOLE_IMAGE, 0, np.float32(0.7)]


@pytest.mark.parametrize(
    "others", [{"most_attempts": 9}, {"all_boxes": False}, {"by_coverage": True}]
)
def test_other_searches_draw_all_thresholds(others):
    rules = CropRules((0.0, 0.9), allow_no_crop=False, **others)
    assert rules.options(TINY, np.array([1]), (0.3, 1.0))[1] == [2]


def test_thresholds_that_no_window_can_meet_are_not_drawn(tuned):
    tuned(crop_rules, MAX_ATTEMPTS=40)
    rules = CropRules((0.0, 0.5, 0.9), allow_no_crop=False, round_attempts=40)
    boxes, counts = np.tile(UNEVEN, 20), np.full(20, 2)
    assert search(rules, boxes, counts, PROPOSALS, draw).met.all()
    hopeless = CropRules((0.5, 0.9), allow_no_crop=False)
    assert not search(hopeless, boxes, counts, PROPOSALS, draw).met.any()
