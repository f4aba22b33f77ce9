"""The mel scale: both formulas, and back to Hz."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.audio.mel_scale import FORMULAS, FilterBank, hz_to_mel, mel_to_hz

from .librosa_figures import HZ, librosa_s


@pytest.mark.parametrize("formula", FORMULAS)
def test_frequencies_come_back(formula):
    hz = np.linspace(0, 20000, 99)
    np.testing.assert_allclose(mel_to_hz(hz_to_mel(hz, formula), formula), hz, 1e-9)
    assert (np.diff(hz_to_mel(hz, formula)) > 0).all()


@pytest.mark.parametrize("formula", FORMULAS)
def test_librosa(formula):
    wanted = librosa_s("hz_to_mel", formula == "htk")
    np.testing.assert_allclose(hz_to_mel(HZ, formula), wanted, 1e-9)


def test_the_area_of_a_normalized_filter_is_1():
    bank = FilterBank(10, 16000, 0, 8000, "htk", normalized=True)
    factors = bank.factors(4097)
    np.testing.assert_allclose(factors.sum(axis=1) * 8000 / 4096, 1, 1e-3)
    peaks = FilterBank(10, 16000, 0, 8000, "htk", normalized=False).factors(4097).max(axis=1)
    np.testing.assert_allclose(peaks, 1, 0.02)
