"""Audio and video, encoded anew: FLAC by libsndfile, Opus and H.264 by FFmpeg.

The same input gives the same bytes: FFmpeg's flag `bitexact` keeps dates and random numbers out of
the files. x264 uses AVX-512 only for pictures whose width is a multiple of 128: for others, its
macroblock tree reads memory that nothing wrote (seen with x264 core 165).
"""

from __future__ import annotations

import io
from functools import cache
from itertools import chain
from pathlib import Path

from ....engine.errors import ArgumentError, DecodeError, imported
from ....formats.media import open_media, pyav
from ....formats.video.library import open_container
from ...sample import Encoded

AUDIO_CODECS = {"flac": "flac", "opus": "opus"}
"""Extension of the files of each codec."""

VIDEO_CODECS = {"h264": "mp4"}

_BITEXACT = {"fflags": "+bitexact"}
_CPU = Path("/proc/cpuinfo")
_OPUS_RATE = 48_000
_DEPTHS = {"PCM_24": "PCM_24", "PCM_32": "PCM_24", "FLOAT": "PCM_24", "DOUBLE": "PCM_24"}


def encode_audio(encoded: Encoded, codec: str) -> Encoded:
    """Return sound in another codec.

    FLAC has 16 or 24 bits, as many as the source has at least, so it changes no sample of a source
    of up to 24 bits. Opus has a rate of 48 kHz.

    Raises:
        DecodeError: the sound cannot be decoded. ArgumentError: FLAC cannot hold it.
        MissingDependencyError: soundfile or PyAV is not installed.
    """
    return Encoded(_flac(encoded) if codec == "flac" else _opus(encoded), AUDIO_CODECS[codec])


def _flac(encoded: Encoded) -> bytes:
    soundfile = imported("soundfile", "FLAC needs soundfile", "audio")
    out = io.BytesIO()
    try:
        with soundfile.SoundFile(io.BytesIO(encoded.data)) as file:
            subtype, rate = _DEPTHS.get(file.subtype, "PCM_16"), file.samplerate
            samples = file.read(dtype="int32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise DecodeError(f"the sound cannot be decoded: {error}") from None
    try:
        soundfile.write(out, samples, rate, subtype, format="FLAC")
    except soundfile.LibsndfileError as error:
        raise ArgumentError(f"FLAC cannot hold the sound: {error}") from None
    return out.getvalue()


def _opus(encoded: Encoded) -> bytes:
    av = pyav()
    out = io.BytesIO()
    try:
        with (
            open_media(io.BytesIO(encoded.data), sounds=True) as source,
            av.open(out, "w", "ogg", options=_BITEXACT) as target,
        ):
            channels = source.streams.audio[0].codec_context.layout.name
            stream = target.add_stream("libopus", rate=_OPUS_RATE, layout=channels)
            resampler = av.AudioResampler("flt", channels, _OPUS_RATE, 960)
            for frame in chain(source.decode(audio=0), [None]):
                for block in resampler.resample(frame):
                    target.mux(stream.encode(block))
            target.mux(stream.encode(None))
    except (av.FFmpegError, IndexError) as error:
        raise DecodeError(f"the sound cannot be encoded as Opus: {error}") from None
    return out.getvalue()


def encode_video(encoded: Encoded, codec: str) -> Encoded:
    """Return the pictures of a video as H.264 in an MP4 file; sound is left out.

    Raises:
        DecodeError: the video cannot be decoded, or has no even size.
        MissingDependencyError: PyAV is not installed.
    """
    av = pyav()
    out = io.BytesIO()
    try:
        source, pictures = open_container(io.BytesIO(encoded.data))
        with source, av.open(out, "w", "mp4", options=_BITEXACT) as target:
            options = _x264_options(pictures.width)
            stream = target.add_stream("libx264", rate=pictures.average_rate, options=options)
            stream.width, stream.height = pictures.width, pictures.height
            stream.pix_fmt = "yuv420p"
            stream.codec_context.thread_count = 1
            stream.codec_context.time_base = pictures.time_base
            for frame in source.decode(pictures):
                frame.pict_type = 0
                target.mux(stream.encode(frame))
            target.mux(stream.encode(None))
    except (av.FFmpegError, IndexError) as error:
        raise DecodeError(f"the video cannot be encoded as {codec}: {error}") from None
    return Encoded(out.getvalue(), VIDEO_CODECS[codec])


def _x264_options(width: int) -> dict[str, str]:
    """Return the options that keep x264 from AVX-512 where its result would depend on chance."""
    return {"x264-params": "asm=AVX2"} if width % 128 and _has_avx512() else {}


@cache
def _has_avx512() -> bool:
    return _CPU.exists() and "avx512" in _CPU.read_text()
