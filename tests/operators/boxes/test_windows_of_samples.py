"""Windows of samples: random numbers beyond the first, boxes that move."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.context import Placement
from penstock.formats.ragged import rows_between
from penstock.operators.boxes import windows_of_samples
from penstock.operators.boxes.box_layout import box_layout
from penstock.operators.boxes.crop_rules import CropRules
from penstock.operators.boxes.crop_search import DrawnWindows
from penstock.operators.boxes.window_shapes import RandomExtents
from penstock.operators.boxes.windows_of_samples import boxes_in_windows, draw_windows

from ..running import make

RULES = CropRules((0.4,), allow_no_crop=False, all_boxes=False)
PROPOSALS = RandomExtents((0.1, 1.0), ((0.5, 2.0),))
NUMBERS = np.array([0.1, 0.5, 0.9])
SMALL = np.float32([[0.4, 0.4, 0.5, 0.5]]).T


def find(samples, numbers, key=0):
    """Return the windows of samples with one small box, which few windows fit."""
    operator = make("random_bbox_crop", inputs=1)
    operator.placement = Placement(random_key=key)
    corners, counts = SMALL.repeat(len(samples), axis=1), np.ones(len(samples), int)
    return draw_windows(operator, RULES, corners, counts, PROPOSALS, numbers[samples]).corners


def test_a_sample_s_window_does_not_depend_on_the_others():
    numbers = np.random.default_rng(0).random(12)
    together = find(np.arange(12), numbers)
    assert len(np.unique(together, axis=1).T) == 12
    for k in (0, 5, 11):
        np.testing.assert_array_equal(find(np.array([k]), numbers)[:, 0], together[:, k])


def test_all_numbers_follow_from_the_first_and_the_key():
    numbers = np.array([0.1, 0.2, 0.2])
    windows = find(np.arange(3), numbers)
    np.testing.assert_array_equal(windows[:, 1], windows[:, 2])
    assert not np.array_equal(windows[:, 0], windows[:, 1])
    assert not np.array_equal(find(np.arange(3), numbers, key=1), windows)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_numbers_of_attempts_are_uniform_and_independent(dimensions, monkeypatch):
    drawn = []

    def take_numbers(rules, corners, counts, proposals, draw):
        drawn.append(draw(np.array([0, 2]), 40, 3000))

    monkeypatch.setattr(windows_of_samples, "search", take_numbers)
    corners, counts = np.empty((2 * dimensions, 0), np.float32), np.zeros(3, int)
    draw_windows(make("random_bbox_crop", inputs=1), RULES, corners, counts, PROPOSALS, NUMBERS)
    draw_windows(
        make("random_bbox_crop", inputs=1), RULES, corners, counts, PROPOSALS, NUMBERS[[2, 0, 0]]
    )
    (numbers, picks), (others, other_picks) = drawn
    assert numbers.shape == (4 * (dimensions - 1), 2, 3000)
    np.testing.assert_array_equal(numbers[:, 1], others[:, 0])
    np.testing.assert_array_equal(picks[1], other_picks[0])
    columns = np.concatenate([numbers.reshape(-1, 3000), picks])
    assert (columns.min(), columns.max()) == (pytest.approx(0, abs=2e-3), pytest.approx(1, 2e-3))
    assert columns.max() < 1
    np.testing.assert_allclose(columns.mean(axis=1), 0.5, 0, 0.03)
    assert np.abs(np.corrcoef(columns) - np.eye(len(columns))).max() < 0.08


def test_boxes_are_clipped_to_their_windows():
    corners = np.float32([[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1], [0, 0, 1, 1]]).T
    windows = np.float32([[0.25, 0, 0.75, 1], [0, 0, 1, 1]]).T
    kept, met = np.array([True, False, True]), np.ones(2, bool)
    drawn = DrawnWindows(windows, kept, met)
    layout = box_layout("fn.some", "xyXY", 2)
    boxes, bounds = boxes_in_windows(corners, np.array([2, 1]), drawn, layout)
    rows = rows_between(boxes, bounds)
    assert [row.tolist() for row in rows] == [[[0, 0, 0.5, 0.5]], [[0, 0, 1, 1]]]
