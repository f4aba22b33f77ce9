import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.filters.windows import (
    GaussianWindow,
    weights,
    window_of,
    windows_of,
)


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
