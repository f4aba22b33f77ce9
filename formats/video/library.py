"""The streams of videos in PyAV's containers."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, TypeVar, cast, overload

from ...engine.errors import DecodeError
from ..media import open_media, pyav
from ..media_ends import MediaFile

if TYPE_CHECKING:
    from fractions import Fraction

    from av import AudioFrame, AudioStream, Packet, VideoCodecContext, VideoFrame, VideoStream
    from av.container import InputContainer

_MOST_PIXELS = 1 << 28
"""Of a frame, as of an image: a larger claim is taken for a decompression bomb."""


def has_gpu_frames() -> bool:
    """Return whether this PyAV hands out frames in the memory of NVIDIA's GPUs."""
    av = pyav()
    try:
        hwaccel = importlib.import_module("av.codec.hwaccel")
    except ImportError:  # before PyAV 14
        return False
    context = importlib.import_module("av.video.codeccontext").VideoCodecContext
    knows = hasattr(av.VideoFrame, "sw_format") and hasattr(context, "reorder_depth")
    return knows and "cuda" in hwaccel.hwdevices_available()


Track = TypeVar("Track", "VideoStream", "AudioStream")


@overload
def open_container(
    file: MediaFile, kind: Literal["video"] = "video"
) -> tuple[InputContainer, VideoStream]: ...


@overload
def open_container(
    file: MediaFile, kind: Literal["audio"]
) -> tuple[InputContainer, AudioStream]: ...


def open_container(
    file: MediaFile, kind: Literal["video", "audio"] = "video"
) -> tuple[InputContainer, VideoStream | AudioStream]:
    """Open a video for reading. Packets of other streams are not read, as far as possible.

    Args:
        file: path, or a file object.
        kind: kind of the stream: "video" or "audio".

    Returns:
        the container and its best stream of this kind: the default one, if the file marks one.

    Raises:
        DecodeError: this is no video, or it has no such stream; or its frames are too large.
        OSError: the file cannot be opened.
    """
    av = pyav()
    container = open_media(file)
    # Of this kind, which PyAV's types do not tell.
    stream = cast("VideoStream | AudioStream | None", container.streams.best(kind))
    if stream is None or stream.disposition & av.stream.Disposition.attached_pic:
        container.close()
        raise DecodeError(f"the file has no {kind} stream")
    if getattr(stream, "codec_context", None) is None:  # whatever PyAV's types say
        container.close()
        raise DecodeError(f"FFmpeg has no decoder for the {kind} stream")
    if stream.type == "video":
        width, height = stream.codec_context.width, stream.codec_context.height
        if width * height > _MOST_PIXELS:
            container.close()
            raise DecodeError(
                f"the video claims {height} x {width} pixels a frame; the limit is 2**28 pixels"
            )
        # FFmpeg refuses frames that grow beyond the limit later.
        stream.codec_context.options = {"max_pixels": str(_MOST_PIXELS)}
    stream.codec_context.thread_type = "NONE"  # samples are decoded in parallel, each in one thread
    for other in container.streams:
        if other is not stream:
            with suppress(AttributeError):  # PyAV 14 cannot
                other.discard = av.stream.Discard.all
    return container, stream


def time_base_of(stream: VideoStream | AudioStream) -> Fraction:
    """Return the unit of a stream's times, in seconds."""
    assert stream.time_base is not None  # of a stream in a container
    return stream.time_base


def seek(container: InputContainer, stream: VideoStream | AudioStream, time: int) -> None:
    """Go to the last key frame that is not behind a time, in units of the stream.

    Raises:
        DecodeError: the container cannot seek.
    """
    try:
        container.seek(time, stream=stream)
    except pyav().error.FFmpegError as error:
        raise DecodeError(
            f"FFmpeg cannot seek in it ({error.strerror or error}); copy the stream into MP4 or "
            "Matroska, as `ffmpeg -i IN -c copy OUT.mp4` does"
        ) from None


def packets_of(container: InputContainer, stream: Track) -> Iterator[Packet[Track]]:
    """Yield the packets of a stream from here on.

    Raises:
        DecodeError: the container is damaged.
    """
    try:
        for packet in container.demux(stream):
            # A packet without data would end the decoder's work, as the one behind the last does.
            if packet.size or packet.pts is packet.dts is None:
                yield packet
    except pyav().error.FFmpegError as error:
        if isinstance(error, MemoryError):
            raise
        raise DecodeError(
            f"FFmpeg cannot read on in it ({error.strerror or error}); the file may be damaged or "
            "cut off"
        ) from None


def _may_be_whole(packet: Packet[VideoStream] | Packet[AudioStream]) -> bool:
    """Return whether FFmpeg may call a whole packet corrupt: one behind a joint of two files."""
    return packet.stream is not None and packet.stream.container.format.name == "mpegts"


@overload
def decoded(packet: Packet[AudioStream]) -> list[AudioFrame] | None: ...


@overload
def decoded(
    packet: Packet[VideoStream] | None, context: VideoCodecContext | None = None
) -> list[VideoFrame] | None: ...


def decoded(
    packet: Packet[VideoStream] | Packet[AudioStream] | None,
    context: VideoCodecContext | None = None,
) -> list[VideoFrame] | list[AudioFrame] | None:
    """Return the frames that a packet completes; None if the packet is damaged or cut off.

    Args:
        packet: packet of the stream; None for the frames that the context holds back.
        context: the codec context that decodes; by default the stream's own one.
    """
    if packet is not None and packet.is_corrupt and not _may_be_whole(packet):
        return None
    try:
        if context is not None:
            return context.decode(packet)
        return None if packet is None else packet.decode()
    except pyav().error.FFmpegError as error:
        if isinstance(error, MemoryError):
            raise
        return None
