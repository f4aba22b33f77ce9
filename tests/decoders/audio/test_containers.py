"""AU, CAF, W64 and SPHERE; AAC and its kind: files that FFmpeg and libsndfile wrote."""

from __future__ import annotations

import io

import av
import numpy as np
import pytest
import soundfile

from penstock import Pipeline, fn
from penstock.decoders.audio.table import open_audio
from penstock.engine.errors import DecodeError

RATE = 16000
TONE = (0.5 * np.sin(np.arange(20_000) * 0.05)).astype(np.float32)

PLAIN = {"au": "pcm_s16be", "caf": "pcm_s16be", "w64": "pcm_s16le", "aiff": "pcm_s16be"}
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
_LOSSLESS = ("alac", "wavpack")
_RATES = {"libopus": 48000, "ac3": 48000, "wmav2": 44100}


def encoded(container: str, codec: str) -> bytes:
    """Encode the tone with FFmpeg."""
    rate = _RATES.get(codec, RATE)
    file = io.BytesIO()
    try:
        output = av.open(file, "w", format=container)
        stream = output.add_stream(codec, rate=rate, layout="mono")
    except (av.FFmpegError, ValueError, LookupError):
        pytest.skip(f"this FFmpeg does not write {codec} in {container}")
    stream.bit_rate = 96000
    if codec in _LOSSLESS:
        stream.codec_context.format = "s16p"
    with output:
        samples = (TONE * 32767).astype(np.int16)[np.newaxis]
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate, frame.pts = rate, 0
        resampler = av.AudioResampler(
            stream.codec_context.format, "mono", rate, frame_size=stream.codec_context.frame_size
        )
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            output.mux(stream.encode(part))
        output.mux(stream.encode(None))
    return file.getvalue()


def by_ffmpeg(content: bytes) -> np.ndarray:
    with av.open(io.BytesIO(content)) as container:
        blocks = []
        for frame in container.decode(audio=0):
            block = frame.to_ndarray()
            if block.dtype.kind == "i":
                block = block / -float(np.iinfo(block.dtype).min)
            blocks.append(block.reshape(-1))
    return np.concatenate(blocks).astype(np.float32)


def decoded(content: bytes) -> tuple[str, np.ndarray]:
    with open_audio(np.frombuffer(content, np.uint8)) as stream:
        out = np.empty((stream.header.frames, stream.header.channels), np.float32)
        stream.read(0, out)
        return stream.header.format, out


@pytest.mark.parametrize("container", PLAIN)
def test_containers_of_plain_samples(container: str) -> None:
    content = encoded(container, PLAIN[container])
    _, found = decoded(content)
    np.testing.assert_allclose(found[:, 0], TONE, atol=1e-4)
    with pytest.raises(DecodeError, match=r"the data ends at byte \d+ inside the samples"):
        decoded(content[:-2000])


def test_sphere() -> None:
    file = io.BytesIO()
    soundfile.write(file, TONE, RATE, format="NIST", subtype="PCM_16")
    content = file.getvalue()
    name, found = decoded(content)
    assert name == "SPHERE"
    np.testing.assert_allclose(found[:, 0], TONE, atol=1e-4)
    with pytest.raises(DecodeError, match="the data ends at byte"):
        decoded(content[:-10])
    compressed = content.replace(b"-s3 pcm", b"-s26 pcm,embedded-shorten-v2.00")
    with pytest.raises(DecodeError, match=r"compressed: pcm,embedded-shorten.*sph2pipe"):
        decoded(compressed)


@pytest.mark.parametrize("container", OTHERS)
def test_formats_that_ffmpeg_decodes(container: str) -> None:
    codec = OTHERS[container]
    content = encoded(container, codec)
    _, found = decoded(content)
    np.testing.assert_array_equal(found[:, 0], by_ffmpeg(content))
    if codec in _LOSSLESS:
        np.testing.assert_allclose(found[: len(TONE), 0], TONE, atol=1e-4)


def test_a_window_of_m4a() -> None:
    content = np.frombuffer(encoded("ipod", "aac"), np.uint8)
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(
            *fn.decoders.audio(np.array(content), offset=0.5, duration=0.25),
        )
        signal, rate = pipe.run()
        assert rate.at(0) == RATE
        expected = by_ffmpeg(content.tobytes())[8000:12000]
        np.testing.assert_array_equal(np.asarray(signal.at(0))[:, 0], expected)


def test_m4a_that_is_cut_off() -> None:
    content = encoded("ipod", "aac")
    with pytest.raises(DecodeError, match="M4A: "):
        decoded(content[: len(content) // 2])


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n" + bytes(90), b"plain text of 20 bytes"])
def test_unknown_formats_are_not_called_damaged(content: bytes) -> None:
    with pytest.raises(DecodeError, match="unknown format") as failure:
        decoded(content)
    assert "damaged" not in str(failure.value)
    assert "FLAC" in str(failure.value)
