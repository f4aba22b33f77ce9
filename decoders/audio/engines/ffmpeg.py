"""Decode with FFmpeg, through PyAV: the formats that libsndfile does not know.

Files are decoded whole, because the containers state times that are rounded, and not the number of
samples. FFmpeg gets the name of the container, so that no other reader of FFmpeg sees the bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Bytes
from ....engine.errors import DecodeError, MissingDependencyError
from ....formats.media import open_media, pyav
from ...errors import decode_error
from ...video.sound import samples_of
from ..formats.base import CONVERT, AudioHeader, AudioStream
from .whole import WholeSignal

if TYPE_CHECKING:
    import av
    from av.container import InputContainer


def open_stream(format_name: str, source: Bytes | str, container: str) -> AudioStream:
    """Decode a file.

    Args:
        format_name: for errors.
        source: the bytes, or the path.
        container: FFmpeg's name of the format.

    Raises:
        DecodeError: the file is damaged, or has no sound.
        MissingDependencyError: PyAV is not installed.
    """
    file = source if isinstance(source, str) else io.BytesIO(source.data)
    try:
        opened = open_media(file, sounds=True, form=container)
    except MissingDependencyError as error:
        raise MissingDependencyError(f"{format_name}: {error}") from error
    except DecodeError as error:
        raise decode_error(format_name, str(error)) from None
    try:
        with opened:
            return _decoded(format_name, opened)
    except pyav().FFmpegError as error:
        if isinstance(error, MemoryError):
            raise
        raise decode_error(
            format_name, f"FFmpeg cannot decode it: {error.strerror or error}"
        ) from None


def _decoded(format_name: str, container: InputContainer) -> AudioStream:
    """Decode the best stream of sound."""
    stream = cast("av.AudioStream | None", container.streams.best("audio"))
    if stream is None or getattr(stream, "codec_context", None) is None:
        raise decode_error(format_name, "no sound that FFmpeg can decode", remedy=CONVERT)
    stream.codec_context.thread_type = "NONE"  # files are decoded in parallel, each in one thread
    codec = stream.codec_context
    rate, channels = int(codec.sample_rate), int(codec.layout.nb_channels)
    header = AudioHeader(format_name, 0, rate, channels, integers=False).checked()
    signal = WholeSignal(header)
    for block, own_rate in _blocks(format_name, container, stream):
        if (own_rate, block.shape[1]) != (rate, channels):
            raise decode_error(
                format_name,
                f"{block.shape[1]} channels at {own_rate} Hz follow {channels} at {rate} Hz",
                remedy=CONVERT,
            )
        signal.append(block)
    return signal.stream()


def _blocks(
    format_name: str, container: InputContainer, stream: av.AudioStream
) -> Iterator[tuple[NDArray[np.float32], int]]:
    """Yield the samples of each frame, and their rate."""
    packets = 0
    for packet in container.demux(stream):
        packets += packet.size > 0
        if packet.is_corrupt:
            raise decode_error(format_name, f"packet {packets} is damaged or cut off")
        for frame in packet.decode():
            yield samples_of(frame), frame.sample_rate
    if packets < stream.frames:
        raise decode_error(
            format_name, f"{packets} packets follow where the header says {stream.frames}"
        )
