"""Windows on the CPU: views where possible, and the values outside of a sample."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.geometry.windows import Window
from penstock.operators.indexing.extract import (
    check_repeatable,
    extract,
    fill,
    fill_channels,
    fills,
    source_index,
    within,
)

from ..running import RubbishWorkspace, make

SAMPLE = np.arange(24, dtype=np.uint8).reshape(4, 6)


def extracted(window, **arguments):
    operator = make("slice", "HW", start=0, **arguments)
    return extract(RubbishWorkspace(), SAMPLE, window, operator, "HW")


def test_a_window_inside_is_a_view():
    window = extracted(Window((1, 2), (2, 3)))
    assert window.base is SAMPLE.base
    np.testing.assert_array_equal(window, SAMPLE[1:3, 2:5])


def test_a_window_beyond_is_filled():
    padded = extracted(Window((-1, 4), (3, 4)), out_of_bounds_policy="pad", fill_values=7)
    np.testing.assert_array_equal(padded, [[7] * 4, [4, 5, 7, 7], [10, 11, 7, 7]])


@pytest.mark.parametrize(
    ("policy", "mode"),
    [("edge", "edge"), ("wrap", "wrap"), ("reflect", "symmetric"), ("reflect_101", "reflect")],
)
def test_repeated_elements_are_those_of_numpy_s_padding(policy, mode):
    result = extracted(Window((-3, -4), (11, 15)), out_of_bounds_policy=policy)
    np.testing.assert_array_equal(result, np.pad(SAMPLE, ((3, 4), (4, 5)), mode))


def test_one_element_is_repeated_by_every_policy():
    for policy in ("edge", "wrap", "reflect", "reflect_101"):
        assert source_index(np.arange(-3, 4), 1, policy).tolist() == [0] * 7


@pytest.mark.parametrize("samples", [1, 2, 3, 9])
def test_reflections_stay_inside(samples):
    inside = source_index(np.arange(-50, 50), samples, "reflect_101")
    assert ((inside >= 0) & (inside < samples)).all()
    np.testing.assert_array_equal(inside[50 : 50 + samples], np.arange(samples))


def test_nothing_can_be_repeated():
    check_repeatable((0, 3), (0, 3), "wrap")
    with pytest.raises(ArgumentError, match="nothing to repeat"):
        check_repeatable((1, 3), (0, 3), "wrap")


def test_channels_have_their_own_fill_values():
    out = np.empty((2, 3, 2), np.uint8)
    fill(out, (300.0, -1.5), "HWC")
    assert out[0, 0].tolist() == fills((300.0, -1.5), np.dtype(np.uint8)).tolist() == [255, 0]
    assert fill_channels((1, 2), (2, 3, 2), "HWC") == 2
    with pytest.raises(ArgumentError, match="fill_values has 3 values"):
        fill_channels((1, 2, 3), (2, 3, 2), "HWC")


def test_the_position_of_a_window_inside_another():
    outer = Window((-2, 3), (9, 9))
    assert within(outer, outer.trimmed((4, 6))) == ((2, 0), (4, 3))
    assert within(outer, Window((5, 5), (0, 2))).start == (0, 2)
