"""Windows: what fits, and how the arguments of a crop become windows, alone and as a batch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError
from penstock.geometry.windows import Window, WindowBatch, bounded, crop_window, crop_windows

from ..operators.twins import assert_twins

EXTENT = st.integers(0, 40)
SIZE = st.sampled_from([0.0, 0.5, -3.0, 1.0, 2.5, 1e30, -1e30, math.nan]) | st.floats(1, 50)
POSITION = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, math.nan]) | st.floats(0, 1)


@given(
    st.lists(
        st.tuples(st.tuples(*[EXTENT] * 4), st.tuples(*[SIZE] * 3), st.tuples(*[POSITION] * 3)),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["FHWC", "DHWC", "CDHW"]),
    st.booleans(),
)
def test_the_crops_of_a_batch_are_those_of_each_sample(samples, layout, truncate):
    def every(samples):
        windows, wrong = crop_windows(layout, *map(np.array, zip(*samples, strict=True)), truncate)
        return windows, ~wrong

    assert_twins(samples, lambda sample: crop_window(layout, *sample, truncate), every)


def test_a_crop_in_the_middle():
    assert crop_window("HWC", (10, 21, 3), (0, 4, 6), (0.5, 0.5, 0.5), False) == (
        (3, 8, 0),
        (4, 6, 3),
    )
    assert crop_window("HWC", (10, 21, 3), (0, 4, 6), (0.5, 0.5, 0.5), True)[0] == (3, 7, 0)


@pytest.mark.parametrize("size", [0.5, 1e30, math.nan, math.inf])
def test_extents_that_count_no_pixels(size):
    with pytest.raises(ArgumentError, match="extents count pixels"):
        crop_window("HWC", (10, 21, 3), (0, size, 6), (0.5, 0.5, 0.5), False)


def test_windows_and_samples():
    window = Window((-1, 2), (4, 3))
    assert not window.fits((9, 9))
    assert window.trimmed((9, 4)) == ((0, 2), (3, 2))
    assert window.trimmed((9, 4)).fits((9, 4))
    assert window.trimmed((9, 4)).slices() == (slice(0, 3), slice(2, 4))
    assert bounded(window, (9, 4), "trim_to_shape") == window.trimmed((9, 4))
    assert bounded(window, (9, 4), "pad") is window
    with pytest.raises(ArgumentError, match="reaches out of the sample"):
        bounded(window, (9, 4), "error")


def test_windows_that_no_memory_holds():
    huge = Window((0, 0, 0), (1 << 30, 1 << 30, 3))
    with pytest.raises(ArgumentError, match=r"shape \(1073741824, 1073741824, 3\) has more than"):
        bounded(huge, (9, 4, 3), "pad")
    assert bounded(huge, (9, 4, 3), "trim_to_shape").shape == (9, 4, 3)
    shapes = np.array([huge.shape, (2, 2, 3)])
    assert WindowBatch(np.zeros_like(shapes), shapes).too_large().tolist() == [True, False]


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 2, *[EXTENT] * 4), min_size=1, max_size=5))
def test_windows_of_a_batch_are_as_each_alone(samples):
    def one(sample):
        window, extents = Window(sample[:2], sample[2:4]), sample[4:]
        return window.fits(extents), *window.trimmed(extents)

    def every(samples):
        table = np.array(samples)
        windows, extents = WindowBatch(table[:, :2], table[:, 2:4]), table[:, 4:]
        trimmed = windows.trimmed(extents)
        return (windows.fit(extents), *trimmed), np.ones(len(samples), bool)

    assert_twins(samples, one, every)
