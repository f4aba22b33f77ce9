"""`fn.audio_resample` against DALI's: lengths, dtypes, and numbers within DALI's own rounding.

DALI adds up the positions of 1024 samples in float32. So its results are off by up to 4e-3 of full
scale for white noise, whose neighbors differ most, and by 1e-3 for speech.

If the result is unsigned, DALI takes the lowest number for the silence around a signal, and the
ends have clicks. Ours are silent at half range there, so the ends are not compared.
"""

import numpy as np
import pytest

from ..operators.running import run
from ..sounds import noise, speech_like
from .oracle import dali_types, run_dali

SPEECH = [speech_like(t, 16000, seed=i)[:, 0].astype("f4") for i, t in enumerate((0.3, 0.11, 1.0))]
NOISE = [noise(t, 16000, seed=i)[:, 0].astype("f4") for i, t in enumerate((0.3, 0.11, 1.0))]


SPEECH_ERROR, NOISE_ERROR = 1e-3, 4e-3
END = 32  # samples that the silence around a signal changes


def agree(samples, largest, per_sample=None, theirs=None, **arguments):
    wanted, _ = run_dali(
        "audio_resample", samples, per_sample=per_sample, **arguments | (theirs or {})
    )
    found = run("audio_resample", samples, per_sample=per_sample, **arguments)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        inner = slice(END, -END) if one.dtype.kind == "u" else slice(None)
        difference = one[inner].astype("f8") - other[inner]
        assert np.abs(difference).max(initial=0) <= largest


@pytest.mark.parametrize("rates", [(16000, 8000), (16000, 22050), (48000, 16000), (16000, 15999)])
@pytest.mark.parametrize("quality", [0.0, 50.0, 100.0])
def test_rates(rates, quality):
    arguments = {"in_rate": rates[0], "out_rate": rates[1], "quality": quality}
    agree(SPEECH, SPEECH_ERROR, **arguments)
    agree(NOISE, NOISE_ERROR, **arguments)


@pytest.mark.parametrize("scale", [0.5, 0.9, 1.0, 1.1, 1 / 3, 0.777, 2.5, 0.0])
def test_factors(scale):
    agree(SPEECH, SPEECH_ERROR, scale=scale)
    agree(NOISE, NOISE_ERROR, scale=scale)


def test_lengths_and_factors_a_sample():
    agree(NOISE, NOISE_ERROR, per_sample={"out_length": [np.int64(n) for n in (1, 0, 17000)]})
    agree(NOISE, NOISE_ERROR, per_sample={"scale": [np.float32(n) for n in (0.3, 1.7, 0.95)]})


def test_channels():
    stereo = [np.stack([s, -0.5 * s], 1) for s in SPEECH]
    agree(stereo, SPEECH_ERROR, in_rate=16000, out_rate=11025)


@pytest.mark.parametrize("source", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_integers(source):
    limits = np.iinfo(source)
    numbers = [
        np.clip(
            (s + 1) / 2 * (limits.max - limits.min) + limits.min, limits.min, limits.max
        ).astype(source)
        for s in SPEECH
    ]
    agree(numbers, 1 + SPEECH_ERROR * (limits.max - limits.min), scale=0.75)
    agree(numbers, SPEECH_ERROR, scale=0.75, dtype=np.float32, theirs={"dtype": dali_types().FLOAT})


@pytest.mark.parametrize("target", ["INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32"])
def test_floats_to_integers(target):
    limits = np.iinfo(target.lower())
    loud = [1.5 * s for s in SPEECH]
    theirs = {"dtype": getattr(dali_types(), target)}
    agree(
        loud,
        1 + SPEECH_ERROR * (limits.max - limits.min),
        scale=0.75,
        dtype=target.lower(),
        theirs=theirs,
    )
