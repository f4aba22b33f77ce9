"""Random windows of a batch are those of its images."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.geometry import random_crop
from penstock.geometry.random_crop import (
    check_ranges,
    draws_needed,
    random_window,
    random_windows,
)

from ..operators.twins import assert_twins


@pytest.mark.parametrize("attempts", [1, 2, 10])
@pytest.mark.parametrize(
    ("area", "ratio"), [((0.08, 1.0), (0.75, 1.33)), ((0.9, 1.0), (0.2, 0.3)), ((1.0, 1.0), (1, 1))]
)
def test_a_batch_is_its_images(area, ratio, attempts):
    rng = np.random.default_rng(attempts)
    sizes = rng.integers(1, 600, (500, 2))
    numbers = rng.random((500, draws_needed(attempts)))

    def one(i):
        return [random_window(*sizes[i].tolist(), area, ratio, numbers[i])]

    def every(samples):
        windows = random_windows(sizes, area, ratio, attempts, lambda count: numbers[:, :count])
        return [windows], np.ones(len(samples), bool)

    assert_twins(range(500), one, every)


def test_few_attempts_at_once_give_the_same_windows(tuned):
    rng = np.random.default_rng(5)
    sizes, numbers = rng.integers(1, 600, (50, 2)), rng.random((50, draws_needed(10)))
    batch = sizes, (0.5, 1.0), (0.3, 3.0), 10, lambda count: numbers[:, :count]
    windows = random_windows(*batch)
    tuned(random_crop, attempts=1)
    np.testing.assert_array_equal(random_windows(*batch), windows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0, 1), (1, 1), 10), "random_area must be"),
        (((0.1, 1), (2, 1), 10), "random_aspect_ratio must be"),
        (((0.1, 1), (1, 1), 0), "num_attempts must be at least 1"),
    ],
)
def test_ranges_that_make_no_sense(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        check_ranges("fn.crop", *arguments)


def test_no_images():
    none = np.zeros((0, 2), int)
    windows = random_windows(none, (1, 1), (1, 1), 10, lambda count: np.zeros((0, count)))
    assert windows.shape == (0, 4)
