"""JPEG headers: a walk over the marker segments up to the first scan.

Source: ITU-T T.81, annex B.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from ...engine.errors import DecodeError
from . import exif
from .base import CONVERT, FETCH_AGAIN, Header, checked_size, decode_error, need

NAME = "JPEG"
START_OF_SCAN = 0xDA
_END_OF_IMAGE = 0xD9
_JFIF_SEGMENT = 0xE0
_EXIF_SEGMENT = 0xE1
_ADOBE_SEGMENT = 0xEE
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_STANDALONE = frozenset(range(0xD0, 0xD9)) | {0x01}
_segment_head = struct.Struct(">BBH").unpack_from
_frame_head = struct.Struct(">BHHB").unpack_from


def parse(view: memoryview) -> Header:
    """Size, components and orientation."""
    orientation = 1
    frame: tuple[int, int, int, int] | None = None
    for marker, start, end in segments(view):
        if marker in _FRAMES:
            need(view, start + 6, NAME, "the frame header")
            frame = _frame_head(view, start)
            frame_at = start
        elif (
            marker == _EXIF_SEGMENT
            and orientation == 1
            and bytes(view[start : start + 4]) == b"Exif"
        ):
            orientation = exif.orientation(view[start:end])
    if frame is None:
        raise decode_error(
            NAME, "no frame header before the first scan", expected="a start-of-frame marker"
        )
    bits, height, width, channels = frame
    if bits != 8:
        raise decode_error(
            NAME, f"{bits} bits per sample", at=frame_at, expected="8", remedy=CONVERT
        )
    if channels not in (1, 3, 4):
        raise decode_error(
            NAME, f"{channels} components", at=frame_at + 5, expected="1, 3 or 4", remedy=CONVERT
        )
    checked_size(NAME, height, width, frame_at + 1)
    return Header(NAME, height, width, channels, bits, orientation)


def is_adobe(view: memoryview) -> bool:
    """Whether an Adobe segment is present: such files store CMYK inverted."""
    return any(
        marker == _ADOBE_SEGMENT and bytes(view[start : start + 5]) == b"Adobe"
        for marker, start, _ in segments(view)
    )


def holds_rgb(view: memoryview) -> bool:
    """Whether three components are red, green and blue instead of YCbCr, as libjpeg tells."""
    names = b""
    for marker, start, _ in segments(view):
        if marker == _JFIF_SEGMENT and bytes(view[start : start + 5]) == b"JFIF\0":
            return False
        if marker == _ADOBE_SEGMENT and bytes(view[start : start + 5]) == b"Adobe":
            return view[start + 11] == 0
        if marker in _FRAMES:
            names = bytes(view[start + 6 : start + 15 : 3])
    return names == b"RGB"


def has_end(view: memoryview) -> bool:
    """Whether an end-of-image marker follows the first scan's header."""
    scan = max(end for _, _, end in segments(view))
    return bytes(view[scan:]).rfind(b"\xff\xd9") >= 0


def segments(view: memoryview) -> Iterator[tuple[int, int, int]]:
    """(marker, start, end) of every segment's content, up to the first scan's header with it."""
    position, size = 2, len(view)
    while position + 4 <= size:
        lead, marker, length = _segment_head(view, position)
        if lead != 0xFF:
            raise decode_error(NAME, f"byte 0x{lead:02x}", at=position, expected="a marker (0xff)")
        if marker == 0xFF:
            position += 1  # fill byte
            continue
        if marker in _STANDALONE:
            position += 2
            continue
        if marker == _END_OF_IMAGE:
            raise decode_error(
                NAME, "the image ends before its first scan", at=position, remedy=FETCH_AGAIN
            )
        end = position + 2 + length
        if length < 2 or end > size:
            raise _bad_segment(marker, position, length, size)
        yield marker, position + 4, end
        if marker == START_OF_SCAN:
            return
        position = end
    raise decode_error(
        NAME, f"the data ends at byte {size} before the first scan", expected="a scan header"
    )


def _bad_segment(marker: int, position: int, length: int, size: int) -> DecodeError:
    return decode_error(
        NAME,
        f"segment 0x{marker:02x} says it is {length} bytes long",
        at=position,
        expected=f"2 to {size - position - 2} (the data has {size} bytes)",
    )
