"""The table of audio formats: a new format of libsndfile is one module and one row here."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import partial

from ...engine.arrays import Bytes
from ...engine.errors import SourceError
from ..errors import EMPTY, decode_error
from .engines.sndfile import SndfileStream
from .formats import aiff, au, caf, flac, mp3, ogg, sphere, w64, wav
from .formats.base import CONVERT, SIGNATURE_BYTES, AudioFormat, AudioStream
from .formats.others import OTHERS

_BY_MODULE = tuple(
    AudioFormat(
        module.NAME,
        module.recognize,
        module.open_stream,
        getattr(module, "open_file", None) or partial(SndfileStream, module.NAME),
    )
    for module in (wav, flac, ogg, aiff, mp3, au, caf, w64, sphere)
)
FORMATS: dict[str, AudioFormat] = {row.name: row for row in (*_BY_MODULE, *OTHERS)}
"""Every format by its name; a file is of the first format that recognizes its first bytes."""

_MOST_ZEROS = 1 << 16
"""Zeros before the first frame of MPEG audio, which tools that remove a tag leave behind."""


def open_audio(data: Bytes) -> AudioStream:
    """Open a whole file in memory.

    Raises:
        DecodeError: the format is unknown, or the file is damaged or cut off.
        MissingDependencyError: soundfile is not installed, and the file is no plain WAV; or PyAV
            is not installed, which decodes AAC and its kind.
    """

    def read(start: int, size: int) -> bytes:
        return data[start : start + size].tobytes()

    return _format_of_file(read).open(data)


def open_audio_file(path: str) -> AudioStream:
    """Open a local file, of which no more is read than is decoded.

    Raises:
        OSError: the file cannot be read. SourceError if it is no regular file.
        DecodeError: the format is unknown, or the file is damaged where it is read.
        MissingDependencyError: soundfile or PyAV is not installed.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):  # to open a pipe would block
        raise SourceError(f"{path} is no regular file")
    with open(path, "rb") as file:

        def read(start: int, size: int) -> bytes:
            file.seek(start)
            return file.read(size)

        audio_format = _format_of_file(read)
    return audio_format.open_file(path)


def _format_of_file(read: Callable[[int, int], bytes]) -> AudioFormat:
    """Return the format of a file; `read` returns bytes from an offset on."""
    tags = mp3.behind_tags(read)
    head = read(tags, SIGNATURE_BYTES)
    if head[:1] == b"\0":
        rest = head.lstrip(b"\0")
        if len(rest) < SIGNATURE_BYTES // 2:
            rest = read(tags, _MOST_ZEROS).lstrip(b"\0")
        head = rest if mp3.recognize(rest) else head
    return format_of(head, is_tagged=tags > 0)


def format_of(head: bytes, *, is_tagged: bool = False) -> AudioFormat:
    """Return the format of a file by its first bytes.

    Args:
        head: the first `SIGNATURE_BYTES` bytes, behind the tag if there is one.
        is_tagged: whether an ID3 tag precedes them; unknown bytes behind it are taken for padding
            before MP3 frames.
    """
    for candidate in FORMATS.values():
        if candidate.recognize(head):
            return candidate
    if is_tagged:
        return FORMATS[mp3.NAME]
    if not head:
        raise decode_error("audio", "no data (0 bytes)", expected=", ".join(FORMATS), remedy=EMPTY)
    raise decode_error(
        "audio",
        f"unknown format: the data starts with {head[:12]!r}",
        expected=", ".join(FORMATS),
        remedy=f"Check that the sample is a whole file of audio. {CONVERT}",
    )
