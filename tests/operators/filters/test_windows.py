import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError
from penstock.operators.filters.windows import (
    GaussianWindow,
    WindowsOfBatch,
    weights,
    weights_together,
    window_of,
    windows_of,
    windows_together,
)

from ..twins import assert_twins

SIGMA = st.sampled_from([0.0, -1.0, np.nan, np.inf, 1e9]) | st.floats(0, 50, width=32)
SIZE = st.integers(-3, 60) | st.just(1 << 16)


def test_a_window_follows_from_sigma_and_sigma_from_a_window():
    assert window_of(0.5, 0).size == 5
    assert window_of(0.0, 1).sigma == pytest.approx(0.5)
    assert window_of(2.0, 3) == GaussianWindow(2.0, 3)


@pytest.mark.parametrize(
    ("sigma", "size"), [(0, 0), (-1, 3), (1, -3), (1, 4), (np.inf, 0), (np.nan, 3), (1e9, 0)]
)
def test_windows_that_are_refused(sigma, size):
    with pytest.raises(ArgumentError):
        window_of(sigma, size)


def test_weights_add_up_to_1():
    curve = weights(GaussianWindow(1.5, 11))
    assert curve.sum() == pytest.approx(1)
    assert curve.argmax() == 5
    np.testing.assert_array_equal(curve, curve[::-1])


def test_values_for_axes():
    def sigmas(values):
        return [window.sigma for window in windows_of(values, 0, 2)]

    assert sigmas((2.0,)) == sigmas(2.0) == [2, 2]
    assert sigmas((1, 2)) == [1, 2]
    assert windows_of(0.0, (3, 5), 2)[1].size == 5
    with pytest.raises(ArgumentError, match="'sigma' has 3 values for 2 axes"):
        sigmas((1, 2, 3))


@given(st.lists(st.tuples(SIGMA, SIZE), min_size=1, max_size=6))
def test_the_windows_of_a_batch_are_those_of_each_sample(samples):
    def every(samples):
        sigma, sizes = np.array(samples, np.float64).T[..., None]
        windows, wrong = windows_together(sigma, sizes)
        return [column[:, 0] for column in windows], ~wrong

    assert_twins(samples, lambda sample: window_of(*sample), every)


@pytest.mark.parametrize(
    ("sigma", "distinct"),
    [([[1, 2], [3, 4]], 4), ([[1, 1], [3, 3]], 2), ([[1, 2], [1, 2]], 2), ([[2, 2], [2, 2]], 1)],
)
def test_weights_of_a_batch(sigma, distinct):
    sigma = np.array(sigma, np.float64)
    size = (6 * sigma + 1).astype(np.int64)
    curves, starts = weights_together(WindowsOfBatch(sigma, size))
    assert len(np.unique(starts)) == distinct
    for index in np.ndindex(2, 2):
        curve = weights(GaussianWindow(float(sigma[index]), int(size[index])))
        found = curves[starts[index] :][: size[index]]
        np.testing.assert_allclose(found, curve, rtol=1e-6)
