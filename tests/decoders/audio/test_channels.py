"""Streams of selected channels, and of channels in several files."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from penstock.decoders.audio.channels import JoinedStream, SelectedStream
from penstock.decoders.audio.table import open_audio_file
from penstock.engine.errors import DecodeError

NOISE = np.random.default_rng(2).uniform(-0.5, 0.5, (400, 3)).astype(np.float32)


@pytest.fixture
def path(tmp_path):
    soundfile.write(tmp_path / "a.wav", NOISE, 8000, subtype="FLOAT")
    return str(tmp_path / "a.wav")


@pytest.mark.parametrize("channels", [[0], [2, 0], [1, 1], [-1]])
def test_selected(path, channels):
    with SelectedStream(open_audio_file(path), channels) as stream:
        assert stream.header.channels == len(channels)
        out = np.empty((100, len(channels)), np.float32)
        stream.read(50, out)
    whole = NOISE[50:150]
    expected = whole.mean(axis=1, keepdims=True) if channels == [-1] else whole[:, channels]
    np.testing.assert_allclose(out, expected, atol=1e-7)


def test_joined(tmp_path, path):
    soundfile.write(tmp_path / "b.wav", NOISE[:, :1], 8000, subtype="FLOAT")
    with JoinedStream([path, str(tmp_path / "b.wav")]) as stream:
        assert stream.header.channels == 4
        out = np.empty((400, 4), np.float32)
        stream.read(0, out)
    np.testing.assert_array_equal(out, np.concatenate([NOISE, NOISE[:, :1]], axis=1))
    soundfile.write(tmp_path / "b.wav", NOISE[:, :1], 16000)
    with pytest.raises(DecodeError, match="400 samples at 16000 Hz, but"):
        JoinedStream([path, str(tmp_path / "b.wav")])
