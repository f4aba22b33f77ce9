"""PyAV, which is imported where the first video is opened."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from ...engine.errors import DecodeError, MissingDependencyError, install_hint


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
            f"videos are decoded by PyAV, which cannot be imported ({error}): "
            f"{install_hint('video')}"
        ) from error
    importlib.import_module("av.logging").set_level(None)  # FFmpeg's messages per damaged packet
    return av


def open_container(file: Any) -> tuple[Any, Any]:
    """Open a video for reading.

    Args:
        file: path, or a file object.

    Returns:
        the container and its best video stream.

    Raises:
        DecodeError: this is no video, or it has no video stream.
        OSError: the file cannot be opened.
    """
    av = pyav()
    try:
        container = av.open(file, "r", metadata_errors="replace")
    except av.error.FFmpegError as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        raise DecodeError(f"FFmpeg cannot open it as a video: {error.strerror or error}") from None
    stream = container.streams.best("video")
    if stream is None or stream.disposition & av.stream.Disposition.attached_pic:
        container.close()
        raise DecodeError("the file has no video stream")
    if stream.codec_context is None:
        container.close()
        raise DecodeError("FFmpeg has no decoder for the video stream")
    stream.thread_type = "NONE"  # samples are decoded in parallel, each in one thread
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
