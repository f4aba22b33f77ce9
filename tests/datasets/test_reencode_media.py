"""Audio and video, encoded anew."""

from __future__ import annotations

import io

import numpy as np
import pytest

from penstock.datasets import Encoded, Sample
from penstock.datasets.reencoding import Reencoding


def wave(subtype="PCM_16"):
    soundfile = pytest.importorskip("soundfile")
    samples = (np.sin(np.arange(8000) / 9) * 20000).astype(np.int16)
    out = io.BytesIO()
    soundfile.write(out, samples, 16000, subtype, format="WAV")
    return soundfile, samples, Encoded(out.getvalue(), "wav")


def test_flac_keeps_every_sample():
    soundfile, samples, sound = wave()
    audio = Reencoding(audio="flac")(Sample("a", {"audio": sound})).components["audio"]
    read, rate = soundfile.read(io.BytesIO(audio.data), dtype="int16")
    assert (audio.extension, rate) == ("flac", 16000)
    np.testing.assert_array_equal(read, samples)


def test_opus_is_small_and_the_same_every_time():
    pytest.importorskip("av")
    soundfile, samples, sound = wave()
    one, two = (Reencoding(audio="opus")(Sample("a", {"audio": sound})) for _ in range(2))
    assert one == two
    audio = one.components["audio"]
    read, rate = soundfile.read(io.BytesIO(audio.data))
    assert (audio.extension, rate) == ("opus", 48000)
    assert abs(len(read) - 3 * len(samples)) <= 960 * 2
    assert len(audio.data) < len(sound.data) / 2


def test_h264_holds_the_pictures():
    av = pytest.importorskip("av")
    out = io.BytesIO()
    with av.open(out, "w", "matroska") as target:
        stream = target.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for i in range(10):
            pixels = np.full((48, 64, 3), 20 * i, np.uint8)
            target.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, "rgb24")))
        target.mux(stream.encode(None))
    sample = Sample("a", {"video": Encoded(out.getvalue(), "mkv")})
    one, two = (Reencoding(video="h264")(sample).components["video"] for _ in range(2))
    assert one == two
    with av.open(io.BytesIO(one.data)) as read:
        assert read.streams.video[0].codec_context.name == "h264"
        levels = [frame.to_ndarray(format="rgb24").mean() for frame in read.decode(video=0)]
    np.testing.assert_allclose(levels, [20 * i for i in range(10)], atol=6)
