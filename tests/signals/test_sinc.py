"""The filter of resampling."""

import numpy as np
import pytest

from penstock.signals.sinc import SincFilter, filter_of, lobes_of


@pytest.mark.parametrize(("quality", "lobes"), [(0, 3), (50, 16), (100, 64)])
def test_qualities_have_the_lobes_that_dali_documents(quality, lobes):
    assert lobes_of(quality) == lobes


def test_taps_are_a_sinc_in_a_hann_window():
    window = SincFilter(16)
    fractions = np.array([0.0, 0.25, 0.5, 0.96875])
    taps = window.taps(fractions)
    places = np.arange(-16, 16) + fractions[:, np.newaxis]
    hann = 0.5 * (1 + np.cos(np.pi * places * 64 / (2 * 16 * 32 + 1) * 1.0))
    np.testing.assert_allclose(taps, np.sinc(places) * hann, atol=2e-4)
    assert taps.shape == (4, 32)
    assert taps[0].argmax() == 16


def test_between_two_entries_the_filter_is_linear():
    window = SincFilter(3)
    low, middle, high = window.taps(np.array([0.5, 0.5 + 1 / 64, 0.5 + 1 / 32]))
    np.testing.assert_allclose(middle, (low + high) / 2, atol=1e-6)


def test_a_constant_stays_nearly_constant():
    sums = SincFilter(16).taps(np.linspace(0, 1, 50)).sum(axis=1)
    np.testing.assert_allclose(sums, 1, atol=3e-3)


@pytest.mark.parametrize(("rates", "cutoff"), [((2, 1), 0.5), ((1, 2), 1.0), ((3, 3), 1.0)])
def test_a_cutoff_is_half_of_the_lower_rate(rates, cutoff):
    assert filter_of(16, *rates, antialias=True) == SincFilter(16, cutoff)
    assert filter_of(16, *rates, antialias=False) == SincFilter(16)


def test_wider_lobes_reach_further_and_still_sum_up_to_one():
    sinc = SincFilter(16, 0.3)
    taps = sinc.taps(np.linspace(0, 1, 20))
    assert taps.shape == (20, 2 * 54)
    np.testing.assert_allclose(taps.sum(axis=1), 1, atol=1e-3)
    assert not taps[0, 0]
