"""Rounding away from zero: one number, and many at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.geometry.rounding import MOST, round_all_away, round_away

from ..operators.twins import assert_twins


@pytest.mark.parametrize(
    ("value", "rounded"), [(0.5, 1), (-0.5, -1), (1.5, 2), (2.5, 3), (-2.5, -3), (2.4, 2), (7, 7)]
)
def test_halves_go_away_from_zero(value, rounded):
    assert round_away(value) == rounded


@given(st.lists(st.integers(-100, 100).map(lambda n: n / 2) | st.floats(-1e9, 1e9), min_size=1))
def test_many_numbers_are_rounded_as_one(values):
    assert_twins(
        values,
        lambda value: [round_away(value)],
        lambda values: ([round_all_away(values)], np.ones(len(values), bool)),
    )


def test_numbers_beyond_the_integers_become_the_largest():
    numbers = [1e300, -np.inf]
    assert round_all_away(numbers).tolist() == [MOST, -MOST] == [*map(round_away, numbers)]
