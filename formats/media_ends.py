"""Where a file of video or sound ends by its own words.

FFmpeg takes cut files of these containers and codecs for shorter ones, without an error. Files of
others, such as MP4, fail when they are opened, or at the packet that is cut.

Sources: RFC 3533 (Ogg); SMPTE ST 377-1 (MXF); "OpenDML AVI
File Format Extensions", Matrox, 1996; "Advanced Systems Format (ASF) Specification", Microsoft;
"IVF", the WebM project; ETSI TS 102 366 (AC-3); RFC 4867 (AMR); "WavPack 4 & 5 Binary File Format".
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

from ..engine.errors import DecodeError
from .matroska import Read, matroska_end

MediaFile = str | BinaryIO
"""A path, or an open file."""

_MOST_STEPS = 1 << 20
"""Frames that are gone through: 9 hours of AC-3."""

_UNKNOWN_RIFF = 0xFFFF0000
_RIFF_SLACK = 64
"""Bytes that writers of AVI count too many: the head of the chunk, or padding."""

_MOST_OGG_PAGE = 65307
_PARTITION = bytes.fromhex("060e2b34020501010d01020101")  # of MXF
_ASF_DATA = bytes.fromhex("3626b2758e66cf11a6d900aa0062ce6c")
_ASF_PROPERTIES = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")
_IS_BROADCAST = 1  # flag of files whose sizes mean nothing
_MOST_ASF_HEADER = 1 << 16
_ASF_HEADER = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_AC3_RATES = (
    32,
    40,
    48,
    56,
    64,
    80,
    96,
    112,
    128,
    160,
    192,
    224,
    256,
    320,
    384,
    448,
    512,
    576,
    640,
)
_AC3_HZ = (48000, 44100, 32000)
_LAST_AC3 = 10  # the version of the bit stream; above it is E-AC-3, which states sizes
_AMR_SIZES = {
    b"#!AMR\n": (13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1),
    b"#!AMR-WB\n": (18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1),
}
"""Bytes of a frame by its type."""

_AMR_UNUSED = 0x83  # bits of a frame's first byte that are 0


def refuse_cut(file: MediaFile) -> None:
    """Raise DecodeError if a file ends before the place that its headers name.

    Args:
        file: path, or a file object, which keeps its position.
    """
    if isinstance(file, str):
        with open(file, "rb") as opened:
            _refuse_cut(opened)
        return
    position = file.tell()
    _refuse_cut(file)
    file.seek(position)


def _refuse_cut(file: BinaryIO) -> None:
    size = file.seek(0, io.SEEK_END)

    def read(start: int, count: int) -> bytes:
        file.seek(min(start, size))
        return file.read(count)

    head = read(0, 16)
    for signature, what, end_of in _ENDS:
        if head.startswith(signature):
            end = end_of(read, size)
            if end is not None and end > size:
                raise DecodeError(
                    f"the data ends at byte {size}, and the file's {what} at byte {end} or later: "
                    "it is cut off"
                )
            return


def _mxf(read: Read, size: int) -> int | None:
    head = read(0, 80)
    length = head[16:17]
    values = 17 + (length[0] & 0x7F if length and length[0] & 0x80 else 0)
    footer = int.from_bytes(head[values + 24 : values + 32], "big")
    return footer + 1 if footer else None  # 0 where a writer was stopped


def _asf(read: Read, size: int) -> int | None:
    start = int.from_bytes(read(16, 8), "little")
    header, head = read(0, min(start, _MOST_ASF_HEADER)), read(start, 24)
    flags = header[max(0, header.find(_ASF_PROPERTIES)) + 88 :][:1]
    length = int.from_bytes(head[16:], "little")
    is_stated = head[:16] == _ASF_DATA and not (flags and flags[0] & _IS_BROADCAST)
    return start + length if is_stated and length > len(head) else None


def _walk(read: Read, start: int, size: int, size_of: Callable[[bytes], int]) -> int | None:
    """Return the end of the last of frames that follow one another; None for bytes between."""
    for _ in range(_MOST_STEPS):
        if start >= size:
            return start
        length = size_of(read(start, 8))
        if length <= 0:
            return None
        start += length
    return None


def _ogg(read: Read, size: int) -> int | None:
    start = max(0, size - _MOST_OGG_PAGE)
    tail = read(start, _MOST_OGG_PAGE)
    page = tail.rfind(b"OggS")
    if page < 0:
        return None
    segments = tail[page + 26 : page + 27]
    table = page + 27 + (segments[0] if segments else 0)
    return start + table + sum(tail[page + 27 : table])


def _avi(read: Read, size: int) -> int | None:
    end = 0
    while read(end, 4) == b"RIFF":  # long files have several
        length = int.from_bytes(read(end + 4, 4), "little")
        if not 0 < length < _UNKNOWN_RIFF:  # of a writer that was stopped, or could not seek
            return None
        end += 8 + length
    return end - _RIFF_SLACK if end else None


def _ivf(read: Read, size: int) -> int | None:
    start = int.from_bytes(read(6, 2), "little")
    return _walk(read, start, size, lambda head: 12 + int.from_bytes(head[:4], "little"))


def _ac3(read: Read, size: int) -> int | None:
    return _walk(read, 0, size, _ac3_size)


def _ac3_size(head: bytes) -> int:
    if len(head) < 6 or head[:2] != b"\x0bw":
        return 0
    if head[5] >> 3 > _LAST_AC3:
        return 2 * (((head[2] & 7) << 8 | head[3]) + 1)
    hertz, code = head[4] >> 6, head[4] & 0x3F
    if hertz == 3 or code >> 1 >= len(_AC3_RATES):
        return 0
    words = 1536 * 1000 * _AC3_RATES[code >> 1] // _AC3_HZ[hertz] // 16
    return 2 * (words + (hertz == 1 and code & 1))


def _wavpack(read: Read, size: int) -> int | None:
    return _walk(
        read,
        0,
        size,
        lambda head: 8 + int.from_bytes(head[4:], "little") if head[:4] == b"wvpk" else 0,
    )


def _amr(read: Read, size: int) -> int | None:
    name = next((name for name in _AMR_SIZES if read(0, len(name)) == name), b"")
    if not name:
        return None

    def size_of(head: bytes) -> int:
        is_frame = not head[0] & _AMR_UNUSED
        return _AMR_SIZES[name][head[0] >> 3 & 15] if is_frame else 0

    return _walk(read, len(name), size, size_of)


_ENDS: tuple[tuple[bytes, str, Callable[[Read, int], int | None]], ...] = (
    (b"\x1aE\xdf\xa3", "segment ends", matroska_end),
    (_PARTITION, "footer starts", _mxf),
    (_ASF_HEADER, "data end", _asf),
    (b"OggS", "last page ends", _ogg),
    (b"RIFF", "last chunk ends", _avi),
    (b"DKIF", "last frame ends", _ivf),
    (b"\x0bw", "last frame ends", _ac3),
    (b"wvpk", "last block ends", _wavpack),
    (b"#!AMR", "last frame ends", _amr),
)
"""The first bytes of a file, what tells its end, and the function that returns the end.

The functions return None where the file does not say it.
"""
