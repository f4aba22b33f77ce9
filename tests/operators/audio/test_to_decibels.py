"""`fn.to_decibels`: references, the cutoff, and librosa's numbers."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.audio.to_decibels import ToDecibels
from penstock.testing.operators import OperatorConformance

from ..running import apply
from .librosa_figures import POWER, librosa_s
from .made import noise

POWERS = [np.square(noise(40 * n, seed=n)).reshape(40, n) for n in (5, 1, 12)]


class TestConformance(OperatorConformance):
    operator = "to_decibels"
    layout = "ft"
    inputs = ([*POWERS, 0 * POWERS[0], -POWERS[0], POWERS[0][:0]],)
    bad = [
        ({"multiplier": 0.0}, "above 0"),
        ({"reference": 0.0}, "reference is 0.0; give a positive number"),
        ({"reference": -1.0}, "reference is -1.0"),
    ]
    largest = 1e-3  # the smallest number is -200


class TestConformanceOfAGivenReference(TestConformance):
    arguments = {"reference": 0.1, "cutoff_db": -20.0, "multiplier": 20.0}
    bad = []


@pytest.mark.parametrize("reference", [None, 0.5])
def test_librosa(reference):
    power = POWERS[0]
    given = {"reference": reference} if reference else {}
    np.testing.assert_array_equal(power, POWER)
    wanted = librosa_s("power_to_db", reference)
    np.testing.assert_allclose(
        apply(ToDecibels, power, cutoff_db=-80.0, **given), wanted, atol=1e-4
    )
    wanted = librosa_s("amplitude_to_db", reference)
    result = apply(ToDecibels, power, multiplier=20.0, cutoff_db=-80.0, **given)
    np.testing.assert_allclose(result, wanted, atol=1e-4)


def test_strange_numbers():
    values = np.float32([1, 0, -1, np.nan, np.inf, -np.inf, 100])
    result = apply(ToDecibels, values, reference=1.0, cutoff_db=-60.0)
    np.testing.assert_allclose(result, [0, -60, -60, -60, np.inf, -60, 20], atol=1e-4)
    result = apply(ToDecibels, values, cutoff_db=-60.0)
    np.testing.assert_allclose(result, [-60] * 7, atol=1e-4)
    values[4] = np.nan
    result = apply(ToDecibels, values, cutoff_db=-60.0)
    np.testing.assert_allclose(result, [-20, -60, -60, -60, -60, -60, 0], atol=1e-4)


@pytest.mark.parametrize("cutoff", [-1e9, 1e9])
def test_cutoffs_beyond_the_range_of_floats(cutoff):
    assert np.isfinite(apply(ToDecibels, POWERS[0], cutoff_db=cutoff)).all()


def test_integers():
    np.testing.assert_allclose(apply(ToDecibels, np.int16([1, 10, 1000])), [-30, -20, 0], atol=1e-5)
