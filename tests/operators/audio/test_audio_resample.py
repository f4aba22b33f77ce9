"""`fn.audio_resample`: lengths, numbers, dtypes and refusals."""

from typing import ClassVar

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..running import run


def tone(rate, seconds=0.1, frequency=440.0, dtype=np.float32):
    return (0.5 * np.sin(2 * np.pi * frequency * np.arange(int(rate * seconds)) / rate)).astype(
        dtype
    )


class TestConformance(OperatorConformance):
    operator = "audio_resample"
    layout = ""
    inputs = ([tone(8000), tone(8000, 0.05), tone(8000, 0.033, 100.0), np.zeros(0, "f4")],)
    arguments: ClassVar = {"in_rate": 8000.0, "out_rate": 11025.0}
    per_sample: ClassVar = {
        "in_rate": [8000.0, 16000.0, 7999.5, 8000.0],
        "out_rate": [1e3, 2e4, 7e3, 1.0],
    }
    largest = 2e-6
    bad = (
        ({"in_rate": 0.0}, "rates must be positive"),
        ({"out_rate": -1.0}, "rates must be positive"),
        ({"in_rate": [np.float32(np.nan)] * 4}, "finite"),
        ({"out_rate": 1e30}, "at most 1073741824"),
    )
    bad_inputs = (
        ([[np.zeros((2, 3, 4), np.float32)] * 2], "must have 1 or 2 dimensions .* has 3"),
        ([[np.zeros(9, np.float64)] * 2], "one of the types .* float64"),
    )


class TestAntialiasing(OperatorConformance):
    operator = "audio_resample"
    layout = ""
    inputs = ([tone(8000), tone(8000, 0.05), tone(8000, 0.033, 100.0)],)
    arguments: ClassVar = {"antialias": True, "scale": 0.37, "dtype": np.int16}
    per_sample: ClassVar = {"scale": [0.25, 1.5, 0.0]}
    largest = 1  # of 16 bits


@pytest.mark.parametrize("rates", [(8000, 16000), (16000, 8000), (44100, 16000), (16000, 15999)])
def test_a_tone_stays_a_tone(device, rates):
    before, after = rates
    (out,) = run("audio_resample", [tone(before)], in_rate=before, out_rate=after, device=device)
    wanted = tone(after)
    assert len(out) == -(-int(before * 0.1) * after // before)
    inner = slice(64, min(len(out), len(wanted)) - 64)
    np.testing.assert_allclose(out[inner], wanted[inner], atol=2e-3)


def test_channels_are_resampled_one_by_one(device):
    left, right = tone(8000), tone(8000, frequency=900.0)
    (both,) = run("audio_resample", [np.stack([left, right], 1)], scale=1.5, device=device)
    for channel, signal in enumerate((left, right)):
        (alone,) = run("audio_resample", [signal], scale=1.5, device=device)
        np.testing.assert_array_equal(both[:, channel], alone)


def test_the_length_can_be_given(device):
    for length in (0, 1, 100, 1601):
        (out,) = run("audio_resample", [tone(8000)], out_length=length, device=device)
        assert out.shape == (length,)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "f4"])
def test_dtypes_map_their_full_ranges(device, dtype):
    ramp = np.linspace(-1, 1, 33, dtype="f4")
    (numbers,) = run("audio_resample", [ramp], scale=1.0, dtype=np.dtype(dtype), device=device)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        assert numbers[-1] == limits.max
        assert numbers[0] == (0 if limits.min == 0 else -limits.max)
    (back,) = run("audio_resample", [numbers], scale=1.0, dtype=np.float32, device=device)
    np.testing.assert_allclose(back, ramp, atol=1 / 100 if dtype[1] == "1" else 1e-4)


def test_louder_than_full_scale_is_clipped(device):
    loud = np.array([1.5, -1.5, np.nan], "f4")
    (out,) = run("audio_resample", [loud[:2]], scale=1.0, dtype=np.int16, device=device)
    assert out.tolist() == [32767, -32768]
    (out,) = run("audio_resample", [loud[2:]], scale=1.0, dtype=np.int16, device=device)
    assert out.tolist() == [-32768]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "none of them"),
        ({"in_rate": 1}, "given are in_rate"),
        ({"scale": 1, "out_length": 3}, "out_length, scale"),
        ({"scale": 1, "in_rate": 1, "out_rate": 1}, "in_rate, out_rate, scale"),
        ({"scale": 1, "dtype": np.float64}, "dtype must be"),
        ({"scale": 1, "quality": 101}, "quality"),
        ({"out_length": -1}, "0 or more"),
        ({"scale": -0.5}, "0 or more"),
    ],
)
def test_arguments_are_refused(device, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("audio_resample", [tone(8000)], **arguments, device=device)


@pytest.mark.parametrize("sample", [np.zeros((2, 2, 2), "f4"), np.zeros(3), np.zeros((), "f4")])
def test_samples_are_refused(device, sample):
    with pytest.raises(ArgumentError, match="1 or 2 dimensions"):
        run("audio_resample", [sample], scale=1.0, device=device)
