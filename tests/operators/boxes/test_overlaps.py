"""Overlaps of windows and boxes, against sums of small squares."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.boxes.overlaps import centers_inside, coverage, intersections, ious, volumes

STEPS = 8


def corners(count, dimensions, seed):
    """Return corners on a grid of `STEPS` steps; no box is empty."""
    rng = np.random.default_rng(seed)
    lower = rng.integers(0, STEPS, (dimensions, count))
    return np.concatenate([lower, rng.integers(lower + 1, STEPS + 1)]).astype(np.float32) / STEPS


def filled(box):
    """Return the grid's cells that a box covers."""
    cells = np.zeros((STEPS,) * (len(box) // 2), bool)
    low, high = np.split((box * STEPS).astype(int), 2)
    cells[tuple(map(slice, low, high))] = True
    return cells


@pytest.mark.parametrize("dimensions", [2, 3])
def test_overlaps_count_common_cells(dimensions):
    windows, boxes = corners(5, dimensions, 1), corners(7, dimensions, 2)
    for i, window in enumerate(windows.T):
        for j, box in enumerate(boxes.T):
            one, other = filled(window), filled(box)
            common = (one & other).sum()
            unit = STEPS**dimensions
            assert volumes(boxes)[j] * unit == pytest.approx(other.sum())
            pairs = windows[:, :, None], boxes[:, None]
            assert intersections(*pairs)[i, j] * unit == pytest.approx(common)
            assert ious(*pairs)[i, j] == pytest.approx(common / (one | other).sum())
            assert coverage(*pairs)[i, j] == pytest.approx(common / other.sum())


def test_empty_boxes_have_no_share():
    box = np.float32([[0.5], [0.5], [0.5], [0.5]])
    window = np.float32([[0], [0], [1], [1]])
    assert coverage(window, box) == ious(window, box) == [0]
    assert centers_inside(window, box) == [True]


def test_centers_on_the_edge_are_inside():
    box = np.float32([[0.25], [0.25], [0.75], [0.75]])
    windows = np.float32([[0.5, 0, 1, 1], [0, 0, 0.5, 0.5], [0.51, 0, 1, 1]]).T
    assert centers_inside(windows, box).tolist() == [True, True, False]
