"""Random windows of a batch are those of its images."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.geometry import random_crop
from penstock.geometry.random_crop import (
    CropRanges,
    crop_ranges,
    draws_needed,
    random_window,
    random_windows,
)

from ..operators.twins import assert_twins


@pytest.mark.parametrize("attempts", [1, 2, 10])
@pytest.mark.parametrize(
    ("area", "ratio"),
    [
        ((0.08, 1.0), (0.75, 1.33)),
        ((0.9, 1.0), (0.2, 0.3)),
        ((1.0, 1.0), (1, 1)),
        ((0.0, 1.5), (0.5, 2)),
        ((2.0, 3.0), (0.5, 2)),
    ],
)
def test_a_batch_is_its_images(area, ratio, attempts):
    rng = np.random.default_rng(attempts)
    sizes = rng.integers(1, 600, (500, 2))
    numbers = rng.random((500, draws_needed(attempts)))
    ranges = CropRanges(area, ratio, attempts)

    def one(i):
        return [random_window(*sizes[i].tolist(), ranges, numbers[i])]

    def every(samples):
        windows = random_windows(sizes, ranges, lambda count: numbers[:, :count])
        return [windows], np.ones(len(samples), bool)

    assert_twins(range(500), one, every)


def test_few_attempts_at_once_give_the_same_windows(tuned):
    rng = np.random.default_rng(5)
    sizes, numbers = rng.integers(1, 600, (50, 2)), rng.random((50, draws_needed(10)))
    batch = sizes, CropRanges((0.5, 1.0), (0.3, 3.0), 10), lambda count: numbers[:, :count]
    windows = random_windows(*batch)
    tuned(random_crop, BATCH_ATTEMPTS=1)
    np.testing.assert_array_equal(random_windows(*batch), windows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((-0.1, 1), (1, 1), 10), "random_area must be"),
        (((0.1, 1), (2, 1), 10), "random_aspect_ratio must be"),
        (((0.1, 1), (1, 1), 0), "num_attempts must be at least 1"),
    ],
)
def test_ranges_that_make_no_sense(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        crop_ranges("fn.crop", *arguments)


def test_one_number_is_both_ends():
    assert crop_ranges("fn.crop", (0.5,), (2.0,), 3) == CropRanges((0.5, 0.5), (2.0, 2.0), 3)


def test_areas_that_do_not_fit_are_drawn_again():
    sizes, numbers = np.full((2000, 2), (60, 100)), np.random.default_rng(1).random((2000, 22))

    def areas(least, largest):
        ranges = CropRanges((least, largest), (1.0, 1.0), 10)
        windows = random_windows(sizes, ranges, lambda count: numbers[:, :count])
        assert (windows[:, 2:] <= sizes).all()
        return (windows[:, 2:] - windows[:, :2]).prod(axis=1) / 6000

    assert (areas(1.25, 2.0) == 0.6).all()  # the largest square
    drawn = areas(0.08, 1.25)
    assert drawn.mean() == pytest.approx(0.345, abs=0.02)  # uniform from 0.08 to 0.61
    assert (drawn < 0.345).mean() == pytest.approx(0.5, abs=0.05)


def test_no_images():
    none = np.zeros((0, 2), int)
    windows = random_windows(
        none, CropRanges((1, 1), (1, 1), 10), lambda count: np.zeros((0, count))
    )
    assert windows.shape == (0, 4)
