"""The features of a batch of speech, from the signal to padded bands, on both devices."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import source

from .made import noise, tone_between_silence

SIGNALS = [
    np.concatenate([np.zeros(300), 0.1 * noise(1500, seed=1), np.zeros(200)]).astype(np.float32),
    tone_between_silence(100, 900, 400) + 0.01 * noise(1400, seed=2),
    0.5 * noise(700, seed=3),
]


def log_mels(audio):
    spectrogram = fn.spectrogram(audio, nfft=128, window_length=100, window_step=40)
    bands = fn.mel_filter_bank(spectrogram, nfilter=20, sample_rate=8000.0)
    return fn.to_decibels(bands, cutoff_db=-60.0)


def outputs(device, make):
    with Pipeline(batch_size=len(SIGNALS), num_threads=2, seed=9) as pipe:
        audio = source(SIGNALS, "t")
        start, length = fn.nonsilent_region(audio, window_length=64)
        audio = fn.slice(audio.gpu() if device == "gpu" else audio, start, length, axes=[0])
        pipe.set_outputs(make(fn.preemphasis_filter(audio)))
        (result,) = pipe.run()
        return [np.array(row) for row in result.as_cpu().rows()], result.layout()


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("whole", [False, True])
def test_normalized_and_padded_bands(device_stage, whole, ddof):
    def make(audio):
        bands = fn.normalize(log_mels(audio), axes=[1], batch=whole, ddof=ddof)
        return fn.pad(bands, axis_names="t", align=[16], fill_value=-9.0)

    plain, _ = outputs("cpu", log_mels)
    rows, layout = outputs("cpu", make)
    assert layout == "ft"
    longest = max(row.shape[1] for row in plain)
    assert {row.shape for row in rows} == {(20, -(-longest // 16) * 16)}
    everything = np.concatenate(plain, axis=1)
    for row, bands in zip(rows, plain, strict=True):
        of = everything if whole else bands
        mean, deviation = of.mean(1, keepdims=True), of.std(1, keepdims=True, ddof=ddof)
        windows = bands.shape[1]
        np.testing.assert_allclose(row[:, :windows], (bands - mean) / deviation, 1e-3, 1e-3)
        assert (row[:, windows:] == -9).all()
    on_gpu, gpu_layout = outputs("gpu", make)
    assert gpu_layout == layout
    for row, wanted in zip(on_gpu, rows, strict=True):
        np.testing.assert_allclose(row, wanted, atol=2e-3)


def test_cepstra(device_stage):
    def make(audio):
        return fn.mfcc(log_mels(audio), n_mfcc=13, normalize=True, lifter=22.0)

    rows, gpu_rows = outputs("cpu", make)[0], outputs("gpu", make)[0]
    for row, wanted in zip(gpu_rows, rows, strict=True):
        assert row.shape[0] == 13
        np.testing.assert_allclose(row, wanted, 1e-3, 1e-3 * np.abs(wanted).max())


def test_slices_of_regions_on_the_gpu(device_stage):
    with Pipeline(batch_size=len(SIGNALS), num_threads=2) as pipe:
        audio = source(SIGNALS, "t").gpu()
        start, length = fn.nonsilent_region(audio, window_length=64)
        speech = fn.slice(audio, start.cpu(), length.cpu(), axes=[0])
        pipe.set_outputs(speech, start, length)
        rows, starts, lengths = ([*output.as_cpu().rows()] for output in pipe.run())
    for row, start, length, signal in zip(rows, starts, lengths, SIGNALS, strict=True):
        np.testing.assert_array_equal(row, signal[start : start + length])
