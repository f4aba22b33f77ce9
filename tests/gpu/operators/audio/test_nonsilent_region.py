"""`nonsilent_region` on the GPU: both outputs, for windows of each size."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.testing.agreement import agree

from ....operators.audio.made import noise, tone_between_silence

SIGNALS = [
    tone_between_silence(100, 300, 400),
    noise(300),
    np.zeros(130, np.float32),
    np.full(9, np.nan, np.float32),
    noise(0),
    noise(1),
]


@pytest.mark.parametrize("window", [1, 33, 300, 5000])
@pytest.mark.parametrize("arguments", [{"cutoff_db": -3.0}, {"reference_power": 0.3}])
def test_windows(device_stage, arguments, window):
    agree("nonsilent_region", SIGNALS, window_length=window, **arguments)


@pytest.mark.parametrize("dtype", ["i2", "f2"])
def test_dtypes(device_stage, dtype):
    signals = [(99 * signal).astype(dtype) for signal in SIGNALS[:2]]
    agree("nonsilent_region", signals, window_length=40)
