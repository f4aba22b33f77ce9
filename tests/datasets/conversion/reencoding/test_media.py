"""Audio and video, encoded anew."""

from __future__ import annotations

import ctypes
import io

import numpy as np
import pytest

from penstock.datasets import Encoded, Sample
from penstock.datasets.conversion.reencoding.reencoding import Reencoding


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


def video(frames):
    av = pytest.importorskip("av")
    out = io.BytesIO()
    with av.open(out, "w", "matroska") as target:
        stream = target.add_stream("mpeg4", rate=25)
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        for pixels in frames:
            target.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, "rgb24")))
        target.mux(stream.encode(None))
    return av, Sample("a", {"video": Encoded(out.getvalue(), "mkv")})


def test_h264_holds_the_pictures():
    av, sample = video([np.full((48, 64, 3), 20 * i, np.uint8) for i in range(10)])
    one = Reencoding(video="h264")(sample).components["video"]
    with av.open(io.BytesIO(one.data)) as read:
        assert read.streams.video[0].codec_context.name == "h264"
        levels = [frame.to_ndarray(format="rgb24").mean() for frame in read.decode(video=0)]
    np.testing.assert_allclose(levels, [20 * i for i in range(10)], atol=6)


def test_h264_is_the_same_whatever_the_memory_held_before():
    texture = np.random.default_rng(0).integers(0, 256, (60, 96, 3), np.uint8)
    moving = [np.roll(texture, 3 * i, 1).repeat(2, 0).repeat(2, 1) for i in range(8)]
    _, sample = video(moving)
    libc, perturb = ctypes.CDLL(None), -6  # glibc's M_PERTURB: what malloc fills memory with
    files = set()
    try:
        for value in (0, 1, 90, 255):
            libc.mallopt(perturb, value)
            files.add(Reencoding(video="h264")(sample).components["video"].data)
    finally:
        libc.mallopt(perturb, 0)
    assert len(files) == 1
