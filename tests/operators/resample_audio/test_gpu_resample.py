"""`audio_resample` on the GPU: dtypes, channels, ratios and errors of samples."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.testing.agreement import agree

from ...sounds import noise

NOISE = [noise(t, 8000, seed=i).astype("f4")[:, 0] for i, t in enumerate((0.05, 0.02, 0.03))]
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "f4"]


def of_type(signal, dtype):
    if dtype == "f4":
        return signal
    limits = np.iinfo(dtype)
    scaled = (np.clip(signal, -1, 1) + 1) / 2 * (float(limits.max) - limits.min) + limits.min
    return np.clip(scaled, limits.min, limits.max).astype(dtype)


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_every_pair_of_types(device_stage, source, target):
    if not device_stage and source != target and "f4" not in (source, target):
        pytest.skip("the emulation compiles every pair, so it does those with floats")
    rows = [of_type(signal, source) for signal in NOISE]
    # Sums are rounded in another order: by a step of 8 or 16 bits, or some of float32.
    largest = 2e-6 if target == "f4" else max(1.0, 2e-6 * float(np.iinfo(target).max))
    agree("audio_resample", rows, largest=largest, scale=0.8, dtype=types.to_dali_type(target))


@pytest.mark.parametrize("arguments", [{"in_rate": 44100, "out_rate": 16000}, {"out_length": 77}])
@pytest.mark.parametrize("quality", [0.0, 100.0])
@pytest.mark.parametrize("antialias", [False, True])
def test_channels_and_qualities(device_stage, arguments, quality, antialias):
    rows = [np.stack([signal, -signal, signal[::-1]], 1) for signal in NOISE]
    agree("audio_resample", rows, largest=2e-5, quality=quality, antialias=antialias, **arguments)
