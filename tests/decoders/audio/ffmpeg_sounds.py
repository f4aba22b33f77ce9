"""Sounds that FFmpeg encodes, in any of its containers."""

from __future__ import annotations

import io

import av
import numpy as np
import pytest

from penstock.decoders.audio.table import open_audio

RATE = 16000
TONE = (0.5 * np.sin(np.arange(20_000) * 0.05)).astype(np.float32)
LOSSLESS = ("alac", "wavpack")
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
    if codec in LOSSLESS:
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
