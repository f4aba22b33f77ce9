"""The mel scale of pitch, and banks of triangular filters on the scale."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ...engine.arrays import Float64s
from .axis_matrix import AxisMatrix

FORMULAS = ("slaney", "htk")
_LINEAR_HZ = 200 / 3  # Hz in a mel of Slaney's scale, below 1000 Hz
_KNEE_HZ = 1000.0
_KNEE_MEL = _KNEE_HZ / _LINEAR_HZ
_STEP = np.log(6.4) / 27  # logarithm of the ratio of frequencies one mel apart, above 1000 Hz


def hz_to_mel(hz: object, formula: str) -> Float64s:
    """Return frequencies on the mel scale.

    The formula "htk" is O'Shaughnessy's, 2595 * log10(1 + hz / 700). "slaney" is that of Slaney's
    Auditory Toolbox: linear up to 1000 Hz, and logarithmic above.

    >>> hz_to_mel([0, 500, 1000, 6400], "slaney").round(3).tolist()
    [0.0, 7.5, 15.0, 42.0]
    """
    hz = np.asarray(hz, np.float64)
    if formula == "htk":
        return np.asarray(2595 * np.log10(1 + hz / 700))
    above = _KNEE_MEL + np.log(np.maximum(hz, _KNEE_HZ) / _KNEE_HZ) / _STEP
    return np.asarray(np.where(hz < _KNEE_HZ, hz / _LINEAR_HZ, above))


def mel_to_hz(mel: object, formula: str) -> Float64s:
    """Return the frequencies of numbers on the mel scale; see `hz_to_mel`.

    >>> mel_to_hz([7.5, 42], "slaney").round(3).tolist()
    [500.0, 6400.0]
    """
    mel = np.asarray(mel, np.float64)
    if formula == "htk":
        return np.asarray(700 * (10 ** (mel / 2595) - 1))
    above = _KNEE_HZ * np.exp(_STEP * (mel - _KNEE_MEL))
    return np.asarray(np.where(mel < _KNEE_MEL, mel * _LINEAR_HZ, above))


@dataclass(frozen=True)
class FilterBank:
    """Triangular filters, whose corners have equal distances on the mel scale.

    Attributes:
        filters: number of filters.
        sample_rate: of the signal, in Hz.
        low, high: the first corner of the first filter, and the last corner of the last one, in Hz.
        formula: one of `FORMULAS`.
        normalized: whether the area of a filter is 1; otherwise its peak is 1.
    """

    filters: int
    sample_rate: float
    low: float
    high: float
    formula: str
    normalized: bool

    def factors(self, bins: int) -> Float64s:
        """Return the filters' factors of the bins of a spectrum: (filters, bins).

        The spectrum is that of a transform of 2 * (bins - 1) samples.
        """
        low_mel, high_mel = hz_to_mel([self.low, self.high], self.formula).tolist()
        corners = mel_to_hz(np.linspace(low_mel, high_mel, self.filters + 2), self.formula)
        low, peak, high = (corners[i : i + self.filters, np.newaxis] for i in range(3))
        hz = np.arange(bins) * self.sample_rate / max(2 * (bins - 1), 1)
        factors = np.minimum((hz - low) / (peak - low), (high - hz) / (high - peak)).clip(0)
        result: Float64s = factors * (2 / (high - low) if self.normalized else 1.0)
        return result


@cache
def filter_matrix(bank: FilterBank, bins: int) -> AxisMatrix:
    """Return the matrix that applies a bank of filters to a spectrum of `bins` bins."""
    return AxisMatrix(bank.factors(bins))
