"""Resampling on the CPU beside the plain sum of its definition."""

import math

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.signals import resampling
from penstock.signals.resampling import check_length, resample, resampled_length
from penstock.signals.sinc import SincFilter, filter_of


def plain(samples, before, after, lobes, length):
    """Return the sums of the definition, one output sample after the other."""
    out = np.zeros(length)
    for number in range(length):
        position = number * before / after
        middle = math.ceil(position)
        taps = SincFilter(lobes).taps(np.array([middle - position]))[0]
        for tap, place in zip(taps, range(middle - lobes, middle + lobes), strict=True):
            if 0 <= place < len(samples):
                out[number] += tap * samples[place]
    return out


def resampled(samples, before, after, lobes=16, length=None):
    count = resampled_length(len(samples), before, after) if length is None else length
    out = np.full(count, np.nan, np.float32)
    resample(samples, before, after, SincFilter(lobes), out)
    return out


@pytest.fixture
def noise():
    return np.random.default_rng(1).standard_normal(900).astype(np.float32)


@pytest.mark.parametrize(
    "rates",
    [
        (48000, 16000),
        (44100, 16000),
        (16000, 44100),
        (8000, 48000),
        (1, 1),
        (16000, 15999),
        (16000.5, 7999.25),
        (1, np.float32(0.9)),
        (500, 7),
        (2**31, 2**24),
    ],
)
@pytest.mark.parametrize("lobes", [3, 16])
def test_sums_are_those_of_the_definition(rates, lobes, noise):
    before, after = map(float, rates)
    found = resampled(noise, before, after, lobes)
    wanted = plain(noise, before, after, lobes, len(found))
    # A ratio that float32 rounded, such as 0.9, counts as 9/10.
    np.testing.assert_allclose(found, wanted, atol=1e-3 if after < 1 else 3e-6)


def test_both_ways_to_compute_agree(noise, tuned):
    periodic = resampled(noise, 44100, 16000)
    tuned(resampling, MAX_PERIOD=1, CHUNK_SAMPLES=64)
    np.testing.assert_allclose(resampled(noise, 44100, 16000), periodic, atol=2e-6)


def test_wide_filters_take_no_more_memory_than_the_signal(noise):
    # From 537 MHz to 16 kHz a filter of 16 lobes reaches half a million samples each way.
    sinc = filter_of(16, 2.0**29, 16000, antialias=True)
    out = np.empty(1, np.float32)
    resample(noise, 2.0**29, 16000, sinc, out)
    np.testing.assert_allclose(out[0], noise.sum() * sinc.cutoff, rtol=1e-3)


def test_products_may_be_cut(noise, tuned):
    whole = resampled(noise, 16000, 16500)
    tuned(resampling, MAX_PRODUCTS=1)
    np.testing.assert_allclose(resampled(noise, 16000, 16500), whole, atol=1e-6)


@pytest.mark.parametrize("length", [0, 1, 2, 5, 31, 32, 33])
def test_short_signals(length, noise):
    found = resampled(noise[:length], 44100, 16000)
    np.testing.assert_allclose(
        found, plain(noise[:length], 44100, 16000, 16, len(found)), atol=2e-6
    )


def test_behind_the_end_there_is_silence(noise):
    assert not resampled(noise, 1, 1, length=2000)[930:].any()
    assert not resampled(noise[:0], 3, 2, length=10).any()


def test_channels_may_be_strided(noise):
    stereo = np.stack([noise, -noise], 1)
    out = np.empty((resampled_length(900, 3, 2), 2), np.float32)
    for channel in range(2):
        resample(stereo[:, channel], 3, 2, SincFilter(16), out[:, channel])
    np.testing.assert_array_equal(out[:, 0], resampled(noise, 3, 2))
    np.testing.assert_array_equal(out[:, 1], -out[:, 0])


def test_nans_stay_near_and_warn_of_nothing(noise):
    noise[450] = np.nan
    found = resampled(noise, 2, 1)
    assert np.isnan(found[225])
    assert np.isfinite(found[:100]).all()


def test_signals_that_are_too_long_are_refused():
    check_length(2**30, 1)
    for length, channels in ((2**30 + 1, 1), (2**29, 3), (2**70, 0)):
        with pytest.raises(ArgumentError, match="at most 1073741824"):
            check_length(length, channels)


@pytest.mark.parametrize("rates", [(48000, 16000), (44100, 16000), (16000, 5000.37)])
def test_antialiasing_removes_what_the_lower_rate_cannot_hold(rates):
    before, after = rates
    times = np.arange(12000) / before
    low, high = (np.sin(2 * np.pi * f * after * times).astype("f4") for f in (0.2, 0.8))
    out = np.empty(resampled_length(12000, before, after), np.float32)
    sinc = filter_of(16, before, after, antialias=True)
    resample(high, before, after, sinc, out)
    assert np.abs(out[50:-50]).max() < 1e-3
    resample(high, before, after, SincFilter(16), out)
    assert np.abs(out[50:-50]).max() > 0.5
    resample(low, before, after, sinc, out)
    wanted = np.sin(2 * np.pi * 0.2 * np.arange(len(out)))
    np.testing.assert_allclose(out[50:-50], wanted[50:-50], atol=2e-3)
