"""Numbers of a Poisson distribution."""

from __future__ import annotations

from math import exp, lgamma, log

import numpy as np
import pytest

from penstock.operators.noise.events import LARGE_MEAN, events

from ..goodness import chi_square


def drawn(mean, count=200_000, seed=0):
    """Return numbers of events."""
    bits = np.random.Philox(key=[seed, 7]).random_raw(count)
    return events(bits, np.full(count, float(mean)))


@pytest.mark.parametrize("mean", [0.03, 1.0, 7.5, 11.9, 12.0, 40.0, 2000.0])
def test_frequencies_are_those_of_the_distribution(mean):
    numbers = drawn(mean)
    assert (numbers % 1 == 0).all()
    tail = 8 * mean**0.5 + 12
    values = np.arange(max(0, int(mean - tail)), int(mean + tail) + 1)
    chances = np.array([exp(-mean + k * log(mean) - lgamma(k + 1)) for k in values])
    counts = np.array([(numbers == k).sum() for k in values])
    assert counts.sum() == len(numbers)
    often = chances * len(numbers) > 10
    statistic = chi_square(counts[often], chances[often] * len(numbers))
    assert statistic < often.sum() + 4 * (2 * often.sum()) ** 0.5 + 4


def test_the_extremes_of_the_bits():
    bits = np.array([0, 2**64 - 1, 2**63, 2**32 - 1], np.uint64)
    for mean in (0, 1e-300, 1.0, np.nextafter(LARGE_MEAN, 0), LARGE_MEAN, 1e18):
        numbers = events(bits, np.full(4, mean))
        assert (np.abs(numbers - mean) <= 12 * (mean**0.5 + 1) + 40).all()
        assert (numbers >= 0).all()
    assert (events(bits, np.zeros(4)) == 0).all()


def test_numbers_depend_on_their_own_bits_and_mean_alone():
    bits = np.random.Philox(key=[1, 2]).random_raw(500)
    means = np.linspace(0, 30, 500)
    together = events(bits, means)
    alone = [events(bits[i : i + 1], means[i : i + 1])[0] for i in range(500)]
    np.testing.assert_array_equal(together, alone)


def test_means_are_right_on_both_sides_of_the_border():
    means = [drawn(mean).mean() for mean in (11.99, 12.0, 12.5)]
    assert means == pytest.approx([11.99, 12.0, 12.5], abs=0.04)
