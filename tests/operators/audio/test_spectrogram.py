"""`fn.spectrogram`: windows, borders, sizes of the transform, and librosa's numbers."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from penstock.engine.errors import ArgumentError
from penstock.operators.audio import spectrogram
from penstock.operators.audio.spectrogram import Spectrogram, hann
from penstock.testing.operators import OperatorConformance

from ..running import apply
from .librosa_figures import HOP, SIGNAL, librosa_s, periodic_hann
from .made import noise

RAGGED = [noise(700), noise(513, seed=1), noise(90, seed=2), noise(1, seed=3)]


class TestConformance(OperatorConformance):
    operator = "spectrogram"
    layout = "t"
    inputs = (RAGGED,)
    arguments = {"window_length": 64, "window_step": 20}
    bad = [
        ({"center_windows": False}, "signal has 1 samples, but a window has 64"),
        ({"nfft": 32}, "nfft is 32; it must be at least window_length"),
        ({"nfft": 0}, "nfft is 0"),
        ({"layout": "xy"}, "'layout' must be 'ft' or 'tf', but"),
        ({"power": 3}, "from 1 to 2"),
        ({"window_fn": (1.0, 2.0)}, "window_fn has 2 numbers"),
        ({"window_step": 0}, "at least 1"),
        ({"window_length": 0}, "at least 1"),
    ]
    bad_inputs = (([[noise(70), noise(0)]], "the signal is empty"),)
    largest = 2e-3  # the largest number is 350


@pytest.mark.parametrize("reflect", [True, False])
@pytest.mark.parametrize("nfft", [64, 63, 80, 97, 128, 400, 1])
def test_a_transform_of_each_window(nfft, reflect):
    signal, length, step = noise(300), min(nfft, 60), 17
    mode = {"mode": "reflect"} if reflect else {"mode": "constant"}
    padded = np.pad(signal.astype(np.float64), length, **mode)[length - length // 2 :]
    windows = sliding_window_view(padded, length)[::step][: 300 // step + 1]
    wanted = np.abs(np.fft.rfft(windows * hann(length), nfft)).T
    arguments = {"nfft": nfft, "window_length": length, "window_step": step}
    arguments["reflect_padding"] = reflect
    for power in (1, 2):
        result = apply(Spectrogram, signal, power=power, **arguments)
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, wanted**power, 1e-4, 1e-5 * wanted.max() ** power)
        by_time = apply(Spectrogram, signal, power=power, layout="tf", **arguments)
        np.testing.assert_array_equal(by_time, result.T)


def test_long_signals_are_transformed_in_parts(tuned):
    arguments = {"window_length": 32, "window_step": 8}
    for layout in ("ft", "tf"):
        whole = apply(Spectrogram, noise(2000), layout=layout, **arguments)
        tuned(spectrogram, MAX_WINDOW_ELEMENTS=32 * 9)
        np.testing.assert_array_equal(
            apply(Spectrogram, noise(2000), layout=layout, **arguments), whole
        )


@pytest.mark.parametrize("reflect", [True, False])
@pytest.mark.parametrize(("length", "nfft"), [(512, 512), (400, 512), (300, 300)])
def test_librosa(length, nfft, reflect):
    wanted = librosa_s("stft", length, nfft, reflect)
    result = apply(
        Spectrogram,
        SIGNAL,
        power=1,
        nfft=nfft,
        window_length=length,
        window_step=HOP,
        window_fn=periodic_hann(length).tolist(),
        reflect_padding=reflect,
    )
    np.testing.assert_allclose(result, wanted, 1e-3, 1e-5 * wanted.max())


@pytest.mark.parametrize("shape", [(50, 1), (1, 50), (1, 50, 1)])
@pytest.mark.parametrize("dtype", ["int16", "float64", "uint8"])
def test_one_channel_of_any_type(dtype, shape):
    signal = (20 + 9 * noise(50)).astype(dtype)
    wanted = apply(Spectrogram, signal.astype(np.float32), window_length=20)
    np.testing.assert_array_equal(
        apply(Spectrogram, signal.reshape(shape), window_length=20), wanted
    )


@pytest.mark.parametrize(
    ("shape", "message"),
    [((0,), "signal is empty"), ((0, 1), "signal is empty"), ((5, 2), "takes one channel")],
)
def test_refused_signals(shape, message):
    with pytest.raises(ArgumentError, match=message):
        apply(Spectrogram, np.zeros(shape, np.float32))


def test_values_that_are_not_finite_stay_in_their_windows():
    signal = noise(400)
    clean = apply(Spectrogram, signal, window_length=32, window_step=16)
    for value in (np.nan, np.inf):
        signal[200] = value
        result = apply(Spectrogram, signal, window_length=32, window_step=16)
        touched = ~np.isfinite(result).all(axis=0)
        assert touched.sum() in (2, 3)
        np.testing.assert_array_equal(result[:, ~touched], clean[:, ~touched])


def test_silence_has_no_power():
    assert not apply(Spectrogram, np.zeros(3000, np.int16)).any()
