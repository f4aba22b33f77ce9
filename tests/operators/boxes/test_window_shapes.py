"""Random windows: ranges of extents, aspect ratios, offsets."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.boxes.window_shapes import (
    FixedExtents,
    RandomExtents,
    numbers_of_attempt,
)


def drawn(samples, attempts, dimensions=2):
    """Return random numbers of attempts."""
    shape = (numbers_of_attempt(dimensions), samples, attempts)
    return np.random.default_rng(1).random(shape).astype(np.float32)


def propose(shapes, dimensions):
    """Return lower corners and extents of possible windows."""
    corners, possible = shapes.propose(np.arange(5), drawn(5, 100, dimensions))
    lower, upper = np.split(corners[:, possible], 2)
    return lower, upper - lower


def test_extents_and_ratios_are_in_their_ranges():
    lower, extents = propose(RandomExtents((0.3, 0.9), ((0.5, 2.0),)), 2)
    assert 0.3 <= extents.min() < 0.35
    assert 0.85 < extents.max() <= 0.9 + 1e-6
    ratio = extents[0] / extents[1]
    assert 0.5 - 1e-5 <= ratio.min() < 0.6
    assert 1.7 < ratio.max() <= 2.0 + 1e-5
    assert lower.min() >= 0
    assert (lower + extents).max() <= 1 + 1e-6


def test_ratios_in_pixels():
    size = np.float32([[100, 200]] * 5)
    _, extents = propose(RandomExtents((0.3, 0.9), ((0.5, 2.0),), size), 2)
    ratio = extents[0] * 100 / (extents[1] * 200)
    assert ratio.min() >= 0.5 - 1e-5
    assert ratio.max() <= 2.0 + 1e-5


@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.7])
def test_a_fixed_ratio_keeps_the_largest_extent(ratio):
    numbers = drawn(1, 100)
    shapes = RandomExtents((0.3, 0.9), ((ratio, ratio),))
    corners, possible = shapes.propose(np.arange(1), numbers)
    extents = corners[2:] - corners[:2]
    assert possible.all()
    np.testing.assert_allclose(extents[0] / extents[1], ratio, 1e-4)
    np.testing.assert_allclose(extents.max(axis=0), 0.3 + 0.6 * numbers[:2].max(axis=0), 1e-5)


def test_three_dimensions_have_three_ranges():
    shapes = RandomExtents((0.3, 0.9), ((0.5, 2.0), (1.0, 1.0), (0.5, 1.5)))
    _, (x, y, z) = propose(shapes, 3)
    np.testing.assert_allclose(x / z, 1, 1e-4)
    assert (x / y).min() >= 0.5 - 1e-4
    assert (y / z).max() <= 1.5 + 1e-4


def test_empty_windows_are_not_possible():
    shapes = RandomExtents((0.0, 0.0), ((1.0, 1.0),))
    _, possible = shapes.propose(np.arange(1), drawn(1, 5))
    assert not possible.any()


def test_offsets_of_given_sizes_are_whole_pixels_and_uniform():
    size, crop = np.array([[10, 4]]), np.array([[7, 6]])
    corners, possible = FixedExtents(crop, size).propose(np.arange(1), drawn(1, 2000))
    pixels = corners[:2, 0] * size.T
    offsets = np.rint(pixels).astype(int)
    np.testing.assert_allclose(pixels, offsets, 0, 1e-5)
    assert possible.all()
    assert set(offsets[0]) == {0, 1, 2, 3}
    assert set(offsets[1]) == {-2, -1, 0}  # the window holds the image
    assert np.bincount(offsets[0]).min() > 400
