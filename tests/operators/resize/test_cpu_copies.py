"""Axes that copy: rows and columns as NumPy picks them."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.resize.axes import ResampledAxis, nearest_indices
from penstock.operators.resize.cpu_copies import copy_both, pick_columns, pick_rows
from penstock.operators.resize.filters import Filter

IMAGE = np.random.default_rng(0).integers(0, 256, (9, 12, 3), np.uint8)


def nearest(in_size, out_size, start, end):
    return ResampledAxis(in_size, out_size, float(start), float(end), Filter.NEAREST, False)


@pytest.mark.parametrize(
    ("out_size", "start", "end"), [(4, 0, 9), (20, 0, 9), (5, 2, 7), (9, 9, 0), (6, -3, 12)]
)
def test_rows_and_columns(out_size, start, end):
    rows, columns = nearest(9, out_size, start, end), nearest(12, out_size, start, end)
    picked_rows = IMAGE[nearest_indices(rows, stepwise=True)]
    picked_columns = IMAGE[:, nearest_indices(columns, stepwise=False)]
    np.testing.assert_array_equal(pick_rows(IMAGE, rows), picked_rows)
    np.testing.assert_array_equal(pick_columns(IMAGE, columns), picked_columns)
    out = np.empty((out_size, out_size, 3), np.uint8)
    copy_both(IMAGE, out, rows, columns)
    both = picked_rows[:, nearest_indices(columns, stepwise=False)]
    np.testing.assert_array_equal(out, both)


def test_a_run_of_rows_is_a_view():
    assert pick_rows(IMAGE, nearest(9, 5, 2, 7)).base is IMAGE
    assert pick_columns(IMAGE, nearest(12, 5, 2, 7)).base is IMAGE
