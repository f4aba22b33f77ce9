"""FFmpeg's readers of videos and sounds, through PyAV: imported where the first file is opened."""

from __future__ import annotations

import errno
import importlib
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from ..engine.errors import DecodeError, MissingDependencyError, install_hint
from .media_ends import MediaFile, refuse_cut

if TYPE_CHECKING:
    from av.container import InputContainer

OLDEST = (14, 2)
"""Release of PyAV. Older ones know neither the rotation nor the disposition of streams."""

_VIDEOS = (
    "apng,asf,av1,avi,avs2,avs3,cavsvideo,dirac,dnxhd,dv,evc,flv,gif,gxf,h261,h263,h264,hevc,ivf,"
    "live_flv,m4v,matroska,mjpeg,mov,mpeg,mpegts,mpegvideo,mxf,nsv,nut,nuv,obu,ogg,rm,roq,swf,vc1,"
    "vc1test,vvc,wtv,yuv4mpegpipe"
)
"""FFmpeg's readers of single files. The others read playlists (HLS, DASH, ffconcat, SDP, IMF),
numbered pictures, devices and the network: they open what the bytes name."""

_SOUNDS = "aac,ac3,aiff,amr,ape,au,caf,dsf,dts,eac3,flac,mp3,mpc,mpc8,tak,truehd,tta,w64,wav,wv"
"""FFmpeg's readers of sounds without pictures."""

_OF_THE_MACHINE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors that tell nothing of the file."""


@cache
def pyav() -> ModuleType:
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
            f"PyAV {av.__version__} is too old: FFmpeg's codecs need PyAV "
            f"{'.'.join(map(str, OLDEST))} or later, as `{install_hint('video')}` installs"
        )
    importlib.import_module("av.logging").set_level(None)  # FFmpeg's messages per damaged packet
    return av


def version_of(av: ModuleType) -> tuple[int, int]:
    """Return the release of PyAV: major and minor number."""
    major, minor = av.__version__.split(".")[:2]
    return int(major), int(minor)


@cache
def _lenient() -> dict[str, str]:
    """Return the arguments with which PyAV opens files whose metadata are no UTF-8."""
    # From PyAV 19 on such metadata are no error.
    return {"metadata_errors": "replace"} if version_of(pyav()) < (19, 0) else {}


def open_media(file: MediaFile, *, sounds: bool = False, form: str | None = None) -> InputContainer:
    """Open a video or a sound for reading, with readers that open nothing else.

    Args:
        file: path, or a file object.
        sounds: whether the file may be a sound without pictures.
        form: FFmpeg's name of the format, if no other reader shall see the bytes.

    Raises:
        DecodeError: this is no video, or a playlist; or the file is cut off, as far as it says so.
        OSError: the file cannot be opened.
    """
    av = pyav()
    refuse_cut(file)
    limits = {
        "format_whitelist": f"{_VIDEOS},{_SOUNDS}" if sounds else _VIDEOS,
        "protocol_whitelist": "file" if isinstance(file, str) else "none",
    }
    try:
        opened: InputContainer = av.open(
            file, "r", format=form, container_options=limits, **_lenient()
        )
    except av.error.FFmpegError as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        if error.errno in _OF_THE_MACHINE:
            raise OSError(error.errno, error.strerror, error.filename) from None
        kind = "sound" if sounds else "video"
        if error.errno == errno.EINVAL and form is None:
            raise DecodeError(
                f"FFmpeg cannot open it as a {kind}: it is a playlist, a picture, or of another "
                f"form that is not read as a {kind}"
            ) from None
        raise DecodeError(f"FFmpeg cannot open it as a {kind}: {error.strerror or error}") from None
    return opened
