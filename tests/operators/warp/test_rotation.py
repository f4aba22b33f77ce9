"""Canvases and maps of rotations: for one image, and for a batch."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penstock.operators.warp.rotation import (
    canvas_size,
    canvases,
    cosine_and_sine,
    cosines_and_sines,
    image_reaches,
    source_of_pixel,
    sources_of_pixels,
)

from ..twins import assert_twins

EXTENTS = st.tuples(st.integers(1, 5000), st.integers(1, 5000))
ANGLES = st.one_of(
    st.sampled_from([0.0, 30.0, 45.0, 90.0, -90.0, 180.0, 270.0, 359.99]),
    st.floats(-1e4, 1e4, width=32),
)


def arrays(samples):
    """Return the columns of samples as arrays, and that all samples are possible."""
    return [np.array(column) for column in zip(*samples, strict=True)], np.ones(len(samples), bool)


@given(st.lists(st.tuples(ANGLES), min_size=1, max_size=5))
def test_angles(samples):
    def every(samples):
        (degrees,), possible = arrays(samples)
        return cosines_and_sines(degrees), possible

    assert_twins(samples, lambda sample: cosine_and_sine(*sample), every, tolerance=1e-15)


@given(st.lists(st.tuples(EXTENTS, st.lists(ANGLES, min_size=1, max_size=4)), min_size=1))
def test_canvases(samples):
    def every(samples):
        numbers = np.repeat(np.arange(len(samples)), [len(angles) for _, angles in samples])
        extents = np.array([extent for extent, _ in samples])[numbers]
        degrees = np.array([angle for _, angles in samples for angle in angles])
        found = canvases(image_reaches(extents, degrees), numbers, len(samples))
        return found.T, np.ones(len(samples), bool)

    assert_twins(samples, lambda sample: canvas_size(sample[0], *sample[1]), every)


def test_a_sample_without_frames_has_no_canvas():
    reaches = image_reaches(np.array([[5, 7]]), np.array([90.0]))
    assert canvases(reaches, np.array([1]), 2).tolist() == [[0, 0], [7, 5]]


@given(st.lists(st.tuples(EXTENTS, EXTENTS, ANGLES), min_size=1, max_size=5))
def test_maps(samples):
    def every(samples):
        columns, possible = arrays(samples)
        return sources_of_pixels(*columns).T, possible

    def one(sample):
        return source_of_pixel(*sample).reshape(-1)

    assert_twins(samples, one, every, tolerance=1e-9)


def test_the_centers_coincide():
    matrix = source_of_pixel((7, 11), (20, 30), 33.0)
    np.testing.assert_allclose(matrix @ [14.5, 9.5, 1], [5, 3])


def test_angles_that_are_not_finite_are_nan():
    assert np.isnan(cosines_and_sines(np.array([np.inf, np.nan]))).all()
