"""The search for windows: as a search one by one, with all of its rules."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.boxes import crop_rules, crop_search
from penstock.operators.boxes.crop_rules import CropRules
from penstock.operators.boxes.crop_search import search
from penstock.operators.boxes.window_shapes import RandomExtents

from ..box_samples import random_boxes
from ..crop_proposals import APART, PROPOSALS, draw

RULES = {
    "any": CropRules((0.0,)),
    "iou": CropRules((0.1, 0.3), allow_no_crop=False, most_attempts=40),
    "rounds": CropRules((0.2, 0.5), round_attempts=7, all_boxes=False),
    "all in rounds": CropRules((0.0, 0.3, 0.5, 0.9), round_attempts=30),
    "share": CropRules((0.5,), by_coverage=True, all_boxes=False),
    "least share": CropRules((0.0,), least_coverage=0.7, round_attempts=3),
    "limit": CropRules((0.9,), allow_no_crop=False, most_attempts=10, round_attempts=4),
}


def one_by_one(rules, boxes, sample):
    """Return corners and kept boxes of a search that makes one attempt at a time."""
    whole = np.float32([0, 0, 1, 1]), list(range(boxes.shape[1]))
    best, limit = (-1, whole), 0
    options, counts = rules.options(boxes, np.array([boxes.shape[1]]), PROPOSALS.extents)
    for attempt in range(rules.limit):
        numbers, picks = draw([sample], attempt, 1)
        if attempt % rules.round_attempts == 0:
            limit = options[0, int(picks[0, 0] * counts[0])]
        if limit == crop_rules.WHOLE_IMAGE:
            return whole
        window, possible = PROPOSALS.propose(np.arange(1), numbers)
        if not possible[0, 0]:
            continue
        overlaps = rules.overlaps(window[:, 0], boxes)
        overlap = overlaps.min() if rules.all_boxes else overlaps.max()
        kept = rules.keeps(window[:, 0], boxes)
        drawn = window[:, 0, 0], np.flatnonzero(kept).tolist()
        if overlap >= limit and kept.any():
            return drawn
        if overlap > best[0]:
            best = overlap, drawn
    return best[1]


@pytest.mark.parametrize("together", [(1, 1), (2, 100), (8, 4096)])
@pytest.mark.parametrize("name", RULES)
def test_a_search_is_a_search_one_by_one(name, together, tuned):
    tuned(crop_search, FIRST_ATTEMPTS=together[0], PAIRS_AT_ONCE=together[1])
    rules, counts = RULES[name], np.arange(60) % 4 + 1
    boxes = [random_boxes(count, seed=k).T for k, count in enumerate(counts)]
    drawn = search(rules, np.concatenate(boxes, axis=1), counts, PROPOSALS, draw)
    ends = np.cumsum(counts)
    for k, count in enumerate(counts):
        corners, kept = one_by_one(rules, boxes[k], k)
        np.testing.assert_array_equal(drawn.corners[:, k], corners)
        assert np.flatnonzero(drawn.kept[ends[k] - count : ends[k]]).tolist() == kept


def test_without_boxes_the_first_possible_window_wins():
    rules = CropRules((0.9,), allow_no_crop=False)
    empty = np.empty((4, 0), np.float32)
    drawn = search(rules, empty, np.zeros(3, int), PROPOSALS, draw)
    windows, possible = PROPOSALS.propose(np.arange(3), draw(range(3), 0, 9)[0])
    for k, first in enumerate(possible.argmax(axis=1)):
        np.testing.assert_array_equal(drawn.corners[:, k], windows[:, k, first])
    assert drawn.met.all()


def test_a_limited_search_returns_the_best_window_or_the_whole_image():
    rules = CropRules((1.0,), allow_no_crop=False, most_attempts=20)
    drawn = search(rules, APART, np.array([2]), PROPOSALS, draw)
    assert not drawn.met[0]
    assert (drawn.corners[2:] - drawn.corners[:2]).max() < 1
    never = RandomExtents((0.3, 0.5), ((9.0, 9.5),))
    drawn = search(rules, APART, np.array([2]), never, draw)
    assert drawn.corners[:, 0].tolist() == [0, 0, 1, 1]
    assert (drawn.met[0], drawn.kept.all()) == (False, True)


def test_an_unlimited_search_ends(tuned):
    tuned(crop_rules, MAX_ATTEMPTS=100)
    rules = CropRules((1.0,), allow_no_crop=False)
    assert not search(rules, APART, np.array([2]), PROPOSALS, draw).met[0]


def test_samples_without_boxes_stand_among_others():
    rules, boxes = CropRules((0.3, 0.5)), random_boxes(2).T
    drawn = search(rules, np.tile(boxes, 2), np.array([2, 0, 2]), PROPOSALS, draw)
    alone = search(rules, boxes, np.array([2]), PROPOSALS, lambda _, *rest: draw([2], *rest))
    np.testing.assert_array_equal(drawn.corners[:, 2], alone.corners[:, 0])
    assert (drawn.met.all(), drawn.kept[2:].tolist()) == (True, alone.kept.tolist())


def test_no_samples():
    empty = np.empty((4, 0), np.float32)
    drawn = search(CropRules((0.3,)), empty, np.zeros(0, int), PROPOSALS, draw)
    assert (drawn.corners.shape, drawn.kept.shape, drawn.met.shape) == ((4, 0), (0,), (0,))


def test_the_whole_image_keeps_empty_boxes():
    rules = CropRules((1.0,), least_coverage=0.5)
    drawn = search(rules, np.float32([[0.5]] * 4), np.array([1]), PROPOSALS, draw)
    assert drawn.corners[:, 0].tolist() == [0, 0, 1, 1]
    assert drawn.kept.all()
