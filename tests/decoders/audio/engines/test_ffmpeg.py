"""FFmpeg as a decoder of audio: damage, and containers that are other than they say."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.audio.engines import ffmpeg
from penstock.engine.errors import DecodeError

from ..ffmpeg_sounds import RATE, encoded


def test_bytes_and_files_are_decoded_alike(tmp_path):
    content = encoded("ipod", "aac")
    path = tmp_path / "a.m4a"
    path.write_bytes(content)
    streams = [ffmpeg.open_stream("M4A", np.frombuffer(content, np.uint8), "mov")]
    streams.append(ffmpeg.open_stream("M4A", str(path), "mov"))
    assert {stream.header.rate for stream in streams} == {RATE}
    blocks = [np.empty((stream.header.frames, 1), np.float32) for stream in streams]
    for stream, block in zip(streams, blocks, strict=True):
        stream.read(0, block)
    np.testing.assert_array_equal(*blocks)


def test_a_playlist_is_no_sound(tmp_path):
    secret = tmp_path / "secret.wav"
    secret.write_bytes(encoded("wav", "pcm_s16le"))
    playlist = f"ffconcat version 1.0\nfile {secret}\n".encode()
    with pytest.raises(DecodeError, match="M4A: FFmpeg cannot open it as a sound"):
        ffmpeg.open_stream("M4A", np.frombuffer(playlist, np.uint8), "mov")


def test_a_file_whose_packets_are_missing():
    content = encoded("ipod", "aac")
    with pytest.raises(DecodeError, match="M4A: "):
        ffmpeg.open_stream("M4A", np.frombuffer(content[:-4000], np.uint8), "mov")
