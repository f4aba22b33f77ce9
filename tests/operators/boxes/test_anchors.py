"""Anchors: their matches against a search by hand, and forms of boxes."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.boxes.anchors import Anchors, centered

from ..box_samples import anchor_grid, random_boxes


def anchors_of(table, criteria=0.5, **changed):
    """Return anchors that are given by their edges."""
    options = {"offset": False, "scale": np.float32(1)} | changed
    ones = np.ones(4, np.float32)
    return Anchors(np.float32(table), np.float32(criteria), means=0 * ones, stds=ones, **options)


def iou(one, other):
    """Return intersection over union of two boxes."""
    sides = [min(one[k + 2], other[k + 2]) - max(one[k], other[k]) for k in (0, 1)]
    common = max(sides[0], 0) * max(sides[1], 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return common / (sum(areas) - common)


@pytest.mark.parametrize("criteria", [0.2, 0.5])
def test_matches_are_those_of_a_search_by_hand(criteria):
    table = np.float32(anchor_grid((0.2, 0.5), 6)).reshape(-1, 4)
    boxes = random_boxes(5, seed=4)
    overlaps = np.array([[iou(box, anchor) for anchor in table] for box in boxes])
    best = [last_largest(row) for row in overlaps]
    overlaps[range(len(boxes)), best] = 2
    largest = [last_largest(column) for column in overlaps.T]
    matched = np.flatnonzero(overlaps.max(axis=0) > criteria).tolist()
    numbers, matches = anchors_of(table, criteria).matched(boxes, np.empty)
    result = dict(zip(numbers.tolist(), matches.tolist(), strict=True))
    assert result == {anchor: largest[anchor] for anchor in matched}


def last_largest(numbers):
    """Return the number of the last of the largest numbers."""
    return int(np.flatnonzero(numbers == numbers.max())[-1])


def test_of_equal_overlaps_the_last_one_wins():
    table = [[0, 0, 1, 1]] * 3
    numbers, matches = anchors_of(table).matched(np.float32([[0, 0, 1, 1]] * 2), np.empty)
    assert sorted(zip(numbers.tolist(), matches.tolist(), strict=True)) == [(0, 1), (1, 1), (2, 1)]
    far = np.float32([[0.1, 0.1, 0.2, 0.2]])
    assert [matches.tolist() for matches in anchors_of(table).matched(far, np.empty)] == [[2], [0]]


def test_empty_anchors_and_boxes_do_not_match_by_chance():
    numbers, _ = anchors_of([[0.5] * 4, [0, 0, 1, 1]]).matched(np.float32([[0.5] * 4]), np.empty)
    assert len(numbers) == 1


def test_centers_and_sizes():
    np.testing.assert_array_equal(centered(np.float32([[0, 1, 4, 9]])), [[2, 5, 4, 8]])
