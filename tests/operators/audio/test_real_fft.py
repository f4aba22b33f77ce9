"""Spectra of frames: each size of a transform."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.context import HeapWorkspace
from penstock.operators.audio.real_fft import bins_of, frames_for

from .made import noise


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("nfft", [1, 2, 3, 4, 5, 7, 8, 11, 30, 49, 512, 1009])
def test_each_size(nfft, power):
    for count in (0, 1, 5):
        frames = frames_for(HeapWorkspace(), count, nfft)
        frames.numbers[...] = noise(count * nfft).reshape(count, nfft)
        wanted = np.abs(np.fft.rfft(frames.numbers.astype(np.float64))) ** power
        out = np.empty((count, bins_of(nfft)), np.float32)
        frames.write_spectra(out, power)
        np.testing.assert_allclose(out, wanted, 1e-4, 1e-6 * wanted.max(initial=0))
