"""`fn.power_spectrum`: axes, sizes and powers."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.audio.power_spectrum import PowerSpectrum
from penstock.testing.operators import OperatorConformance

from ..running import apply
from .made import noise


class TestConformance(OperatorConformance):
    operator = "power_spectrum"
    layout = "ct"
    inputs = ([noise(60).reshape(2, 30), noise(34, seed=1).reshape(2, 17), noise(8).reshape(8, 1)],)
    bad = [
        ({"axis": 2}, "axis 2 is outside"),
        ({"power": 0}, "from 1 to 2"),
    ]


@pytest.mark.parametrize("nfft", [0, 7, 12, 16, 1])
@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_each_vector_along_the_axis(axis, nfft):
    data = noise(4 * 7 * 9).reshape(4, 7, 9)
    wanted = np.abs(np.fft.rfft(data.astype(np.float64), nfft or None, axis))
    for power in (1, 2):
        result = apply(PowerSpectrum, data, axis=axis, nfft=nfft, power=power)
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, wanted**power, 1e-4, 1e-5)


def test_integers():
    data = np.arange(12, dtype=np.int16)
    wanted = np.abs(np.fft.rfft(data)) ** 2
    np.testing.assert_allclose(apply(PowerSpectrum, data), wanted, 1e-5)


def test_empty_axes():
    with pytest.raises(ArgumentError, match="the axis 1 is empty; give nfft"):
        apply(PowerSpectrum, np.zeros((3, 0), np.float32))
    assert not apply(PowerSpectrum, np.zeros((3, 0), np.float32), nfft=8).any()
    assert apply(PowerSpectrum, np.zeros((0, 8), np.float32)).shape == (0, 5)
