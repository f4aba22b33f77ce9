"""`spectrogram` on the GPU: sizes of the transform, memory, layouts and dtypes."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.audio import gpu_spectrogram
from penstock.operators.audio.gpu_spectrogram import Transform, fft_size
from penstock.testing.agreement import agree

from .made import noise

SIGNALS = [noise(300), noise(61, seed=1), noise(2, seed=2), noise(1, seed=3)]


def compare(signals=SIGNALS, layout="ft", **arguments):
    nfft = arguments.get("nfft", arguments["window_length"])
    power = arguments.get("power", 2)
    largest = 1e-6 * (4 * nfft) ** power  # of the largest possible number
    agree("spectrogram", signals, largest=largest, arguments={"layout": layout, **arguments})


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("nfft", [1, 2, 3, 8, 9, 30, 64])
def test_sizes(device_stage, nfft, power):
    length = max(nfft - 3, 1)
    compare(window_length=length, window_step=7, nfft=nfft, power=power)


@pytest.mark.parametrize("layout", ["ft", "tf"])
@pytest.mark.parametrize("reflect", [True, False])
@pytest.mark.parametrize("nfft", [30, 64])
def test_borders_and_layouts(device_stage, nfft, reflect, layout):
    arguments = {"window_length": nfft - 2, "window_step": 5, "nfft": nfft}
    compare(layout=layout, reflect_padding=reflect, **arguments)
    whole = [signal for signal in SIGNALS if len(signal) > nfft]
    compare(whole, layout=layout, center_windows=False, **arguments)


@pytest.mark.parametrize("nfft", [32, 45])
def test_transforms_in_global_memory(device_stage, nfft, tuned):
    tuned(gpu_spectrogram, MAX_SHARED_BYTES=0, MAX_GLOBAL_BLOCKS=3)
    compare(window_length=nfft, window_step=4)


def test_a_usual_size(device_stage):
    compare([noise(2000)], window_length=400, window_step=160)


def test_few_blocks_serve_all_windows(device_stage, tuned):
    tuned(gpu_spectrogram, MAX_BLOCKS=2)
    compare(window_length=64, window_step=3)


@pytest.mark.parametrize("dtype", ["i2", "f2", "f8"])
def test_dtypes(device_stage, dtype):
    signals = [(3 * signal + 9).astype(dtype).reshape(-1, 1) for signal in SIGNALS]
    agree("spectrogram", signals, largest=0.05, window_length=16, window_step=9)


def test_values_that_are_not_finite_stay_in_their_windows(device_stage):
    signal = noise(300)
    signal[150] = np.nan
    compare([signal], window_length=64, window_step=8)


def test_sizes_of_transforms():
    assert [fft_size(points) for points in (1, 2, 3, 5, 8, 9, 200)] == [1, 2, 8, 16, 8, 32, 512]
    assert (Transform(400, 2, False).points, Transform(401, 2, False).points) == (200, 401)
