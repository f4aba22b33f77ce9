"""PyAV, which is imported where the first video is opened."""

from __future__ import annotations

import errno
import importlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from ...engine.errors import DecodeError, MissingDependencyError, install_hint

OLDEST = (14, 2)
"""Release of PyAV. Older ones know neither the rotation nor the disposition of streams."""

_CONTAINERS = (
    "apng,asf,av1,avi,avs2,avs3,cavsvideo,dirac,dnxhd,dv,evc,flv,gif,gxf,h261,h263,h264,hevc,ivf,"
    "live_flv,m4v,matroska,mjpeg,mov,mpeg,mpegts,mpegvideo,mxf,nsv,nut,nuv,obu,ogg,rm,roq,swf,vc1,"
    "vc1test,vvc,wtv,yuv4mpegpipe"
)
"""FFmpeg's readers of single files. The others read playlists (HLS, DASH, ffconcat, SDP, IMF),
numbered pictures, devices and the network: they open what the bytes name."""

_SOUNDS = "aac,ac3,aiff,amr,ape,au,caf,dsf,dts,eac3,flac,mp3,mpc,mpc8,tak,truehd,tta,w64,wav,wv"
"""FFmpeg's readers of sounds without pictures."""

_MOST_PIXELS = 1 << 28
"""Of a frame, as of an image: a larger claim is taken for a decompression bomb."""

_OF_THE_MACHINE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors that tell nothing of the file."""


@cache
def pyav() -> Any:
    """Return the module `av`.

    Raises:
        MissingDependencyError: PyAV is not installed.
    """
    try:
        av = importlib.import_module("av")
    except ImportError as error:
        raise MissingDependencyError(
            f"FFmpeg's codecs need PyAV, which cannot be imported ({error}): "
            f"{install_hint('video')}"
        ) from error
    if version_of(av) < OLDEST:
        raise MissingDependencyError(
            f"PyAV {av.__version__} is too old: videos need PyAV {'.'.join(map(str, OLDEST))} or "
            f"later, as `{install_hint('video')}` installs"
        )
    importlib.import_module("av.logging").set_level(None)  # FFmpeg's messages per damaged packet
    return av


def version_of(av: Any) -> tuple[int, int]:
    """Return the release of PyAV: major and minor number."""
    major, minor = av.__version__.split(".")[:2]
    return int(major), int(minor)


@cache
def _lenient() -> dict[str, str]:
    """Return the arguments with which PyAV opens files whose metadata are no UTF-8."""
    # From PyAV 19 on such metadata are no error.
    return {"metadata_errors": "replace"} if version_of(pyav()) < (19, 0) else {}


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


def open_media(file: Any, *, sounds: bool = False) -> Any:
    """Open a video for reading, with readers that open nothing else.

    Args:
        file: path, or a file object.
        sounds: whether the file may be a sound without pictures.

    Raises:
        DecodeError: this is no video, or a playlist.
        OSError: the file cannot be opened.
    """
    av = pyav()
    limits = {
        "format_whitelist": f"{_CONTAINERS},{_SOUNDS}" if sounds else _CONTAINERS,
        "protocol_whitelist": "file" if isinstance(file, str) else "none",
    }
    try:
        return av.open(file, "r", container_options=limits, **_lenient())
    except av.error.FFmpegError as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        if error.errno in _OF_THE_MACHINE:
            raise OSError(error.errno, error.strerror, error.filename) from None
        if error.errno == errno.EINVAL:
            raise DecodeError(
                "FFmpeg cannot open it as a video: it is a playlist, a picture, or of another "
                "form that is not read as a video"
            ) from None
        raise DecodeError(f"FFmpeg cannot open it as a video: {error.strerror or error}") from None


def open_container(file: Any, kind: str = "video") -> tuple[Any, Any]:
    """Open a video for reading. Packets of other streams are not read, as far as possible.

    Args:
        file: path, or a file object.
        kind: of the stream: "video" or "audio".

    Returns:
        the container and its best stream of this kind: the default one, if the file marks one.

    Raises:
        DecodeError: this is no video, or it has no such stream; or its frames are too large.
        OSError: the file cannot be opened.
    """
    av = pyav()
    container = open_media(file)
    stream = container.streams.best(kind)
    if stream is None or stream.disposition & av.stream.Disposition.attached_pic:
        container.close()
        raise DecodeError(f"the file has no {kind} stream")
    if stream.codec_context is None:
        container.close()
        raise DecodeError(f"FFmpeg has no decoder for the {kind} stream")
    if kind == "video":
        width, height = stream.codec_context.width, stream.codec_context.height
        if width * height > _MOST_PIXELS:
            container.close()
            raise DecodeError(
                f"the video claims {height} x {width} pixels a frame; the limit is 2**28 pixels"
            )
        # FFmpeg refuses frames that grow beyond the limit later.
        stream.codec_context.options = {"max_pixels": str(_MOST_PIXELS)}
    stream.thread_type = "NONE"  # samples are decoded in parallel, each in one thread
    for other in container.streams:
        if other is not stream:
            with suppress(AttributeError):  # PyAV 14 cannot
                other.discard = av.stream.Discard.all
    return container, stream


def seek(container: Any, stream: Any, time: int) -> None:
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


def packets_of(container: Any, stream: Any) -> Iterator[Any]:
    """Yield the packets of a stream from here on.

    Raises:
        DecodeError: the container is damaged.
    """
    try:
        yield from container.demux(stream)
    except pyav().error.FFmpegError as error:
        if isinstance(error, MemoryError):
            raise
        raise DecodeError(
            f"FFmpeg cannot read on in it ({error.strerror or error}); the file may be damaged or "
            "cut off"
        ) from None


def decoded(packet: Any, context: Any = None) -> list[Any] | None:
    """Return the frames that a packet completes; None if the packet is damaged.

    Args:
        packet: of the stream.
        context: the codec context that decodes; by default the stream's own one.
    """
    try:
        return packet.decode() if context is None else context.decode(packet)  # type: ignore[no-any-return]
    except pyav().error.FFmpegError as error:
        if isinstance(error, MemoryError):
            raise
        return None
