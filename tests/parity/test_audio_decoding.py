"""`fn.decoders.audio` against DALI's, on every format that DALI reads."""

import io
import struct

import numpy as np
import pytest

from penstock import types
from penstock.engine.graph.operator import OPERATORS

from ..operators.running import apply
from ..sounds import file_of, noise, speech_like
from .oracle import dali, dali_types

nvidia_dali = pytest.importorskip("nvidia.dali")

DECODER = OPERATORS["decoders.audio"]
SPEECH = speech_like(0.4, 44100, channels=2, seed=1)
FORMS = [
    ("WAV", "PCM_U8"),
    ("WAV", "PCM_16"),
    ("WAV", "PCM_24"),
    ("WAV", "PCM_32"),
    ("WAV", "FLOAT"),
    ("WAV", "DOUBLE"),
    ("FLAC", "PCM_16"),
    ("FLAC", "PCM_24"),
    ("OGG", "VORBIS"),
    ("OGG", "OPUS"),
]
FULL_SCALE = {"FLOAT": 1.0, "INT16": 2.0**15, "INT32": 2.0**31}


def both(data, dtype, **arguments):
    """Return signal and rate of DALI and of ours, as fractions of full scale."""
    theirs = dali(
        lambda node: nvidia_dali.fn.decoders.audio(
            node, dtype=getattr(dali_types(), dtype), **arguments
        ),
        [data],
    )
    ours = apply(DECODER, data, dtype=getattr(types, dtype), **arguments)
    (((signal,), layout), ((rate,), _)) = theirs
    assert layout == ""
    assert ours[0].dtype == signal.dtype
    assert ours[0].shape == signal.shape
    assert ours[1] == rate
    assert np.shape(ours[1]) == rate.shape
    return signal / FULL_SCALE[dtype], ours[0] / FULL_SCALE[dtype]


def file(signal, form, subtype):
    return file_of(signal, 48000 if subtype == "OPUS" else 44100, form, subtype)


@pytest.mark.parametrize(("form", "subtype"), FORMS)
@pytest.mark.parametrize("dtype", FULL_SCALE)
@pytest.mark.parametrize("downmix", [False, True])
def test_signals(form, subtype, dtype, downmix):
    if subtype in ("FLOAT", "DOUBLE") and dtype != "FLOAT" and not downmix:
        pytest.skip("DALI gives 0 for the integers of floating point files")
    theirs, ours = both(file(SPEECH, form, subtype), dtype, downmix=downmix)
    # Two versions of a lossy codec round differently, and so do means of integers.
    one = 1.01 / FULL_SCALE["INT16"] if dtype == "INT16" else 1e-9
    lossy = 1e-6 if subtype in ("VORBIS", "OPUS") else 0
    np.testing.assert_allclose(ours, theirs, atol=max(lossy, one), rtol=0)


@pytest.mark.parametrize("rate", [8000.0, 16000.0, 44100.0, 48000.0, 16000.5])
@pytest.mark.parametrize("quality", [0.0, 50.0, 100.0])
def test_resampled_speech(rate, quality):
    theirs, ours = both(
        file(SPEECH, "FLAC", "PCM_16"), "FLOAT", sample_rate=rate, quality=quality, downmix=True
    )
    np.testing.assert_allclose(ours, theirs, atol=6e-4, rtol=0)


@pytest.mark.parametrize("dtype", FULL_SCALE)
def test_resampled_noise(dtype):
    data = file(noise(0.4, 44100, channels=2), "WAV", "PCM_16")
    theirs, ours = both(data, dtype, sample_rate=16000.0)
    np.testing.assert_allclose(ours, theirs, atol=4e-3, rtol=0)


def wav_of_a_pipe():
    """Return a WAV file that FFmpeg wrote where it could not go back to tell the size."""
    av = pytest.importorskip("av")
    written = bytearray()

    class Pipe(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            written.extend(data)
            return len(data)

    with av.open(Pipe(), "w", format="wav") as output:
        stream = output.add_stream("pcm_s16le", rate=44100, layout="stereo")
        samples = np.ascontiguousarray((SPEECH * 32767).astype(np.int16).reshape(1, -1))
        frame = av.AudioFrame.from_ndarray(samples, "s16", "stereo")
        frame.sample_rate = 44100
        output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return bytes(written)


@pytest.mark.parametrize("size", [None, 0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE])
@pytest.mark.parametrize("missing", [0, 1, 3])
def test_wav_of_a_pipe(size, missing):
    content = wav_of_a_pipe()
    place = content.index(b"data") + 4
    assert content[place : place + 4] == b"\xff" * 4
    if size is not None:
        content = content[:place] + struct.pack("<I", size) + content[place + 4 :]
    data = np.frombuffer(content[: len(content) - missing], np.uint8)
    theirs, ours = both(data, "INT16")
    np.testing.assert_array_equal(ours, theirs)
    assert len(ours) == (0 if size == 0 else len(SPEECH) - bool(missing))
