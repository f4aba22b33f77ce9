"""Augmentation of speech by the general operators: noise at a given ratio, and speed."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import source

from .made import tone_between_silence

SIGNALS = [tone_between_silence(0, samples, 0) for samples in (8000, 4000, 6001)]


def run(make, seed=3):
    with Pipeline(batch_size=3, num_threads=2, seed=seed) as pipe:
        pipe.set_outputs(*make(source(SIGNALS, "t")))
        outputs = pipe.run()
    return [[np.array(row) for row in output.rows()] for output in outputs]


def test_noise_of_a_ratio_to_the_signal():
    def noisy(audio):
        decibels = fn.random.uniform(range=[10.0, 30.0])
        power = fn.reductions.mean_square(audio)
        deviation = (power / 10.0 ** (decibels / 10.0)) ** 0.5
        return audio + fn.random.normal(audio) * deviation, decibels

    results, decibels = run(noisy)
    for result, ratio, signal in zip(results, decibels, SIGNALS, strict=True):
        measured = 10 * np.log10(np.mean(signal**2) / np.mean((result - signal) ** 2))
        assert measured == pytest.approx(ratio.item(), abs=0.4)
    again, _ = run(noisy)
    assert all((a == b).all() for a, b in zip(results, again, strict=True))
    others, _ = run(noisy, seed=4)
    assert all((a != b).any() for a, b in zip(results, others, strict=True))


def test_speed():
    def changed(audio):
        speed = fn.random.uniform(values=[0.9, 1.1])
        return fn.audio_resample(audio, scale=1.0 / speed), speed

    for result, speed, signal in zip(*run(changed), SIGNALS, strict=True):
        assert len(result) == np.ceil(len(signal) * (np.float32(1) / speed).item())
        tone = np.abs(np.fft.rfft(result * np.hanning(len(result)))).argmax() / len(result)
        assert tone == pytest.approx(speed.item() / (2 * np.pi), rel=1e-3)
