"""The features of audio against DALI: spectra, mel filters, cepstra, decibels, silence."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types
from penstock.operators.audio.spectrogram import Spectrogram

from ..operators.audio.made import noise, tone_between_silence
from ..operators.running import apply, run
from .oracle import dali, dali_types, run_dali

SIGNALS = [noise(1000), noise(700, seed=1), noise(90, seed=2), noise(1, seed=3), noise(513, seed=4)]
SPECTROGRAMS = [np.abs(noise(257 * n, seed=n)).reshape(257, n) for n in (1, 3, 8)]


def compare(name, samples, layout="", largest=1e-5, relative=1e-4, dtype="", **arguments):
    """Compare the results with DALI's; `largest` is relative to a sample's largest number."""
    ours, theirs = ({"dtype": getattr(t, dtype)} if dtype else {} for t in (types, dali_types()))
    ours = run(name, samples, layout, **arguments, **ours)
    theirs, _ = run_dali(name, samples, layout, **arguments, **theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        largest_number = np.abs(b[np.isfinite(b)]).max(initial=0)
        np.testing.assert_allclose(a, b, relative, largest * float(largest_number))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"power": 1},
        {"reflect_padding": False},
        {"nfft": 1024},
        {"nfft": 600},
        {"window_length": 400, "window_step": 160, "nfft": 512},
        {"window_length": 401, "window_step": 160},
        {"window_length": 96, "window_step": 7, "nfft": 97},
        {"window_length": 64, "window_step": 700, "power": 1},
        {"window_length": 16, "window_fn": np.hamming(16).tolist(), "window_step": 3},
    ],
)
def test_spectrogram(arguments):
    compare("spectrogram", SIGNALS, **arguments)


def test_time_before_frequency():
    ((theirs, layout),) = dali(_dali_by_time, SIGNALS)
    assert layout == "tf"
    for signal, their in zip(SIGNALS, theirs, strict=True):
        ours = apply(Spectrogram, signal, layout="tf")
        np.testing.assert_allclose(ours, their, 1e-4, 1e-5 * their.max())


def _dali_by_time(signal):
    from nvidia.dali import fn

    return fn.spectrogram(signal, layout="tf")


def test_windows_within_the_signal():
    whole = [signal for signal in SIGNALS if len(signal) >= 200]
    compare("spectrogram", whole, center_windows=False, window_length=200, window_step=90)


@pytest.mark.parametrize("shape", [(1000, 1), (1, 1000), (1, 1, 1000)])
def test_spectrogram_of_one_channel(shape):
    compare("spectrogram", [SIGNALS[0].reshape(shape)])


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize(
    "arguments", [{}, {"axis": 0}, {"axis": 1}, {"nfft": 64}, {"nfft": 8}, {"nfft": 21}]
)
def test_power_spectrum(arguments, power):
    compare("power_spectrum", [noise(600).reshape(20, 30)], power=power, **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"normalize": False},
        {"mel_formula": "htk"},
        {"nfilter": 40, "sample_rate": 16000.0, "freq_low": 20.0},
        {"nfilter": 80, "sample_rate": 16000.0, "freq_low": 100.0, "freq_high": 7600.0},
        {"sample_rate": 8000.0, "freq_high": -1.0, "mel_formula": "htk", "normalize": False},
    ],
)
def test_mel_filter_bank(arguments):
    compare("mel_filter_bank", SPECTROGRAMS, "ft", **arguments)


@pytest.mark.parametrize(
    ("shape", "layout"),
    [((257,), ""), ((257,), "f"), ((257, 4), ""), ((4, 257), "tf"), ((2, 257, 3), "")],
)
def test_axis_of_the_bins(shape, layout):
    data = np.abs(noise(int(np.prod(shape)))).reshape(shape)
    compare("mel_filter_bank", [data], layout, nfilter=30)


@pytest.mark.parametrize("lifter", [0.0, 22.0, -3.0])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("dct_type", [1, 2, 3, 4])
def test_mfcc(dct_type, normalize, lifter):
    if dct_type == 1 and normalize:
        return
    data = [noise(40 * n, seed=n).reshape(40, n) for n in (3, 1)]
    compare("mfcc", data, "ft", dct_type=dct_type, normalize=normalize, lifter=lifter)
    compare("mfcc", data, n_mfcc=13, dct_type=dct_type, normalize=normalize, lifter=lifter)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axis_of_mfcc(axis):
    compare("mfcc", [noise(24 * 7 * 5).reshape(24, 7, 5)], axis=axis, n_mfcc=6)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"multiplier": 20.0},
        {"reference": 1.0},
        {"reference": 0.01, "cutoff_db": -10.0},
        {"cutoff_db": -30.0},
        {"cutoff_db": 10.0},
        {"cutoff_db": -400.0},
        {"cutoff_db": -1e9},
    ],
)
def test_to_decibels(arguments):
    quiet = SPECTROGRAMS[1].copy()
    quiet[:3] = 0
    strange = SPECTROGRAMS[2].copy()
    strange[1], strange[2] = -1, np.nan
    infinite = SPECTROGRAMS[0].copy()
    infinite[7] = np.inf
    compare("to_decibels", [quiet, strange, -quiet, 0 * quiet, infinite], "ft", **arguments)


@pytest.mark.parametrize("border", ["zero", "clamp", "reflect"])
@pytest.mark.parametrize("dtype", ["FLOAT", "FLOAT64", "INT16", "UINT8"])
@pytest.mark.parametrize("source", ["float32", "int16", "float64"])
def test_preemphasis_filter(source, dtype, border):
    samples = [(300 * signal).astype(source) for signal in SIGNALS]
    if border == "reflect":  # of a single sample, DALI reads the memory behind
        samples = [sample for sample in samples if len(sample) > 1]
    named = {"dtype": dtype, "border": border}
    compare("preemphasis_filter", samples, largest=1e-6, preemph_coeff=0.9, **named)
    compare("preemphasis_filter", [samples[0].reshape(50, 20)], **named)
    coefficients = np.linspace(0, 1, len(samples)).astype(np.float32)
    compare("preemphasis_filter", samples, per_sample={"preemph_coeff": coefficients}, **named)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"window_length": 1},
        {"window_length": 100, "reset_interval": 200},
        {"window_length": 100, "reset_interval": -1, "cutoff_db": -40.0},
        {"reference_power": 1.0},
        {"reference_power": 1e9},
        {"cutoff_db": -3.0},
        {"cutoff_db": 10.0},
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int16", "int8"])
def test_nonsilent_region(dtype, arguments):
    scale = {"float32": 1, "int16": 30000, "int8": 100}[dtype]
    shapes = (3000, 5000, 4000), (0, 50, 0), (0, 300, 10), (900, 9000, 0), (60, 0, 0)
    samples = [(scale * tone_between_silence(*shape)).astype(dtype) for shape in shapes]
    theirs = dali(lambda x: _dali_region(x, arguments), samples)
    ours = run("nonsilent_region", samples, **arguments)
    for number, (start, length) in enumerate(ours):
        their_start, their_length = (int(theirs[output][0][number]) for output in (0, 1))
        assert int(length) == their_length
        if length:
            assert int(start) == their_start


def _dali_region(signal, arguments):
    from nvidia.dali import fn

    return fn.nonsilent_region(signal, **arguments)
