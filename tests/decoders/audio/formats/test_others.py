"""AAC, M4A and their kind, decoded by FFmpeg."""

from __future__ import annotations

import io
import sys

import av
import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import DecodeError, MissingDependencyError
from penstock.formats.media import pyav

from ..ffmpeg_sounds import LOSSLESS, RATE, TONE, decoded, encoded

OTHERS = {
    "adts": "aac",
    "ipod": "aac",
    "mp4": "alac",
    "asf": "wmav2",
    "matroska": "libopus",
    "webm": "libvorbis",
    "ac3": "ac3",
    "wv": "wavpack",
    "ogg": "libspeex",
}


def by_ffmpeg(content):
    with av.open(io.BytesIO(content)) as container:
        blocks = []
        for frame in container.decode(audio=0):
            block = frame.to_ndarray()
            if block.dtype.kind == "i":
                block = block / -float(np.iinfo(block.dtype).min)
            blocks.append(block.reshape(-1))
    return np.concatenate(blocks).astype(np.float32)


@pytest.mark.parametrize("container", OTHERS)
def test_formats_that_ffmpeg_decodes(container):
    codec = OTHERS[container]
    content = encoded(container, codec)
    _, found = decoded(content)
    np.testing.assert_array_equal(found[:, 0], by_ffmpeg(content))
    if codec in LOSSLESS:
        np.testing.assert_allclose(found[: len(TONE), 0], TONE, atol=1e-4)


def test_a_window_of_m4a():
    content = np.frombuffer(encoded("ipod", "aac"), np.uint8)
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(
            *fn.decoders.audio(np.array(content), offset=0.5, duration=0.25),
        )
        signal, rate = pipe.run()
        assert rate.at(0) == RATE
        expected = by_ffmpeg(content.tobytes())[8000:12000]
        np.testing.assert_array_equal(np.asarray(signal.at(0))[:, 0], expected)


def test_m4a_that_is_cut_off():
    content = encoded("ipod", "aac")
    with pytest.raises(DecodeError, match="M4A: "):
        decoded(content[: len(content) // 2])


def test_a_missing_library_is_named(monkeypatch):
    content = encoded("adts", "aac")
    pyav.cache_clear()
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingDependencyError, match=r"AAC: .* need PyAV.*\[video\]"):
        decoded(content)
    pyav.cache_clear()
