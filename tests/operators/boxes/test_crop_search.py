"""The search for windows: as a search one by one, with all of its rules."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.boxes import crop_search
from penstock.operators.boxes.crop_search import CropRules, numbers_of_search, search
from penstock.operators.boxes.window_shapes import RandomExtents

from ..box_samples import random_boxes

PROPOSE = RandomExtents((0.3, 1.0), ((0.5, 2.0),)).propose
RULES = {
    "any": CropRules((0.0,)),
    "iou": CropRules((0.1, 0.3), allow_no_crop=False, most_attempts=40),
    "rounds": CropRules((0.2, 0.5), round_attempts=7, all_boxes=False),
    "share": CropRules((0.5,), by_coverage=True, all_boxes=False),
    "least share": CropRules((0.0,), least_coverage=0.7, round_attempts=3),
    "limit": CropRules((0.9,), allow_no_crop=False, most_attempts=10, round_attempts=4),
}


def draws(attempts=8, dimensions=2):
    """Return a function that draws chunks of random numbers."""
    count = numbers_of_search(dimensions, attempts)

    def draw(chunk, samples):
        return np.stack([np.random.default_rng([k, chunk]).random(count) for k in samples])

    return draw


def one_by_one(rules, boxes, sample):
    """Return corners and kept boxes of a search that makes one attempt at a time."""
    whole = np.float32([0, 0, 1, 1]), list(range(boxes.shape[1]))
    best, option = (-1, whole), 0
    for attempt in range(rules.limit):
        chunk, number = divmod(attempt, 8)
        row = draws()(chunk, [sample]).reshape(1, 8, -1)[:, number : number + 1]
        if attempt % rules.round_attempts == 0:
            option = int(row[0, 0, 0] * (len(rules.thresholds) + rules.allow_no_crop))
        if option == len(rules.thresholds):
            return whole
        window, possible = PROPOSE(np.arange(1), row[..., 1:], row[..., 0])
        if not possible[0, 0]:
            continue
        overlaps = rules.overlaps(window[:, 0], boxes)
        overlap = overlaps.min() if rules.all_boxes else overlaps.max()
        kept = rules.keeps(window[:, 0], boxes)
        drawn = window[:, 0, 0], np.flatnonzero(kept).tolist()
        if overlap >= np.float32(rules.thresholds[option]) and kept.any():
            return drawn
        if overlap > best[0]:
            best = overlap, drawn
    return best[1]


@pytest.mark.parametrize("name", RULES)
def test_a_search_is_a_search_one_by_one(name):
    rules, counts = RULES[name], np.arange(60) % 4 + 1
    boxes = [random_boxes(count, seed=k).T for k, count in enumerate(counts)]
    drawn = search(rules, np.concatenate(boxes, axis=1), counts, PROPOSE, draws())
    ends = np.cumsum(counts)
    for k, count in enumerate(counts):
        corners, kept = one_by_one(rules, boxes[k], k)
        np.testing.assert_array_equal(drawn.corners[:, k], corners)
        assert np.flatnonzero(drawn.kept[ends[k] - count : ends[k]]).tolist() == kept


def test_without_boxes_the_first_possible_window_wins():
    rules = CropRules((0.9,), allow_no_crop=False)
    empty = np.empty((4, 0), np.float32)
    drawn = search(rules, empty, np.zeros(3, int), PROPOSE, draws())
    numbers = draws()(0, range(3)).reshape(3, 8, -1)
    windows, possible = PROPOSE(np.arange(3), numbers[..., 1:], numbers[..., 0])
    for k, first in enumerate(possible.argmax(axis=1)):
        np.testing.assert_array_equal(drawn.corners[:, k], windows[:, k, first])
    assert drawn.met.all()


APART = np.float32([[0.1, 0.1, 0.2, 0.2], [0.8, 0.8, 0.9, 0.9]]).T


def test_a_limited_search_returns_the_best_window_or_the_whole_image():
    rules = CropRules((1.0,), allow_no_crop=False, most_attempts=20)
    drawn = search(rules, APART, np.array([2]), PROPOSE, draws())
    assert not drawn.met[0]
    assert (drawn.corners[2:] - drawn.corners[:2]).max() < 1
    never = RandomExtents((0.3, 0.5), ((9.0, 9.5),)).propose
    drawn = search(rules, APART, np.array([2]), never, draws())
    assert drawn.corners[:, 0].tolist() == [0, 0, 1, 1]
    assert (drawn.met[0], drawn.kept.all()) == (False, True)


def test_an_unlimited_search_ends(tuned):
    tuned(crop_search, most_attempts=100)
    rules = CropRules((1.0,), allow_no_crop=False)
    assert not search(rules, APART, np.array([2]), PROPOSE, draws()).met[0]


def test_thresholds_that_no_window_can_meet_are_not_drawn(tuned):
    tuned(crop_search, most_attempts=40)
    uneven = np.float32([[0.1, 0.1, 0.2, 0.2], [0.05, 0.05, 0.9, 0.9]]).T
    rules = CropRules((0.0, 0.5, 0.9), allow_no_crop=False, round_attempts=40)
    boxes, counts = np.tile(uneven, 20), np.full(20, 2)
    assert search(rules, boxes, counts, PROPOSE, draws()).met.all()
    hopeless = CropRules((0.5, 0.9), allow_no_crop=False)
    assert not search(hopeless, boxes, counts, PROPOSE, draws()).met.any()
