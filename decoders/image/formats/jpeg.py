"""JPEG headers: a walk over the marker segments up to the first scan.

Source: ITU-T T.81, annex B.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ....engine.errors import DecodeError
from ...errors import FETCH_AGAIN, decode_error
from . import exif
from .base import CONVERT, ImageHeader, checked_size, need

NAME = "JPEG"
START_OF_SCAN = 0xDA
JFIF_SEGMENT, EXIF_SEGMENT, ICC_SEGMENT, ADOBE_SEGMENT = 0xE0, 0xE1, 0xE2, 0xEE
SEQUENTIAL_FRAMES = frozenset({0xC0, 0xC1})  # of Huffman coding
PROGRESSIVE_FRAME = 0xC2
_LOSSLESS_FRAMES = frozenset({0xC3, 0xCB})
_HIERARCHICAL_FRAMES = frozenset({0xC5, 0xC6, 0xC7, 0xCD, 0xCE, 0xCF})
_BITS, _LOSSLESS_BITS = (8, 12), range(2, 17)
_END_OF_IMAGE = 0xD9
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_STANDALONE = frozenset(range(0xD0, 0xD9)) | {0x01}
_segment_head = struct.Struct(">BBH").unpack_from
_frame_head = struct.Struct(">BHHB").unpack_from

MAX_SCANS = 100
"""Largest number of scans of a file. The decoder visits every pixel once a scan, so that a small
file with thousands of scans keeps a core busy for minutes. Ordinary progressive files have 6 to 20
scans."""


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a JPEG file."""
    return head[:2] == b"\xff\xd8"


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, components and orientation."""
    orientation = 1
    frame: tuple[int, int, int, int] | None = None
    for marker, start, end in segments(view):
        if marker in _FRAMES:
            need(view, start + 6, NAME, "the frame header")
            frame = _frame_head(view, start)
            frame_at, frame_marker = start, marker
        elif (
            marker == EXIF_SEGMENT
            and orientation == 1
            and bytes(view[start : start + 4]) == b"Exif"
        ):
            orientation = exif.orientation(view[start:end])
        elif marker == START_OF_SCAN and frame is not None:
            holds_all = view[start:end][:1] == bytes(frame[3:])
            _check_scans(view, holds_all and frame_marker in SEQUENTIAL_FRAMES, end)
    if frame is None:
        raise decode_error(
            NAME, "no frame header before the first scan", expected="a start-of-frame marker"
        )
    bits, height, width, channels = frame
    if frame_marker in _HIERARCHICAL_FRAMES:
        raise decode_error(NAME, "hierarchical coding is not supported", remedy=CONVERT)
    is_lossless = frame_marker in _LOSSLESS_FRAMES
    if bits not in (_LOSSLESS_BITS if is_lossless else _BITS):
        expected = "2 to 16" if is_lossless else "8 or 12"
        raise decode_error(NAME, f"{bits} bits per sample", at=frame_at, expected=expected)
    if channels not in (1, 3, 4):
        raise decode_error(
            NAME, f"{channels} components", at=frame_at + 5, expected="1, 3 or 4", remedy=CONVERT
        )
    checked_size(NAME, height, width, frame_at + 1)
    space = "CMYK" if channels == 4 else ""
    is_progressive = frame_marker == PROGRESSIVE_FRAME
    is_rare = is_lossless or bits != 8
    return ImageHeader(
        NAME, height, width, channels, bits, orientation, space, is_progressive, is_rare
    )


def is_adobe(view: memoryview) -> bool:
    """Return whether an Adobe segment is present: such files store CMYK inverted."""
    return any(
        marker == ADOBE_SEGMENT and bytes(view[start : start + 5]) == b"Adobe"
        for marker, start, _ in segments(view)
    )


def frame(view: memoryview) -> tuple[int, int]:
    """Return the marker of the last frame header and its number of components; 0 for none."""
    found = (0, 0)
    for marker, start, end in segments(view):
        if marker in _FRAMES and start + 5 < end:
            found = marker, view[start + 5]
    return found


def holds_rgb(view: memoryview) -> bool:
    """Return whether three components are red, green and blue instead of YCbCr.

    The rule is that of libjpeg.
    """
    names = b""
    for marker, start, _ in segments(view):
        if marker == JFIF_SEGMENT and bytes(view[start : start + 5]) == b"JFIF\0":
            return False
        if marker == ADOBE_SEGMENT and bytes(view[start : start + 5]) == b"Adobe":
            return view[start + 11] == 0
        if marker in _FRAMES:
            names = bytes(view[start + 6 : start + 15 : 3])
    return names == b"RGB"


def has_end(view: memoryview) -> bool:
    """Return whether an end-of-image marker follows the first scan's header."""
    scan = max(end for _, _, end in segments(view))
    return bytes(view[scan:]).rfind(b"\xff\xd9") >= 0


def segments(view: memoryview) -> Iterator[tuple[int, int, int]]:
    """Yield (marker, start, end) of the content of each segment, up to the first scan's header.

    Stray bytes between segments are skipped, as libjpeg does.
    """
    offset, size = 2, len(view)
    while offset + 4 <= size:
        lead, marker, length = _segment_head(view, offset)
        if lead != 0xFF or marker == 0:
            offset = _next_lead(view, offset + 1)
            continue
        if marker == 0xFF:
            offset += 1  # fill byte
            continue
        if marker in _STANDALONE:
            offset += 2
            continue
        if marker == _END_OF_IMAGE:
            raise decode_error(
                NAME, "the image ends before its first scan", at=offset, remedy=FETCH_AGAIN
            )
        end = offset + 2 + length
        if length < 2 or end > size:
            raise _bad_segment(marker, offset, length, size)
        yield marker, offset + 4, end
        if marker == START_OF_SCAN:
            return
        offset = end
    raise decode_error(
        NAME, f"the data ends at byte {size} before the first scan", expected="a scan header"
    )


def _next_lead(view: memoryview, offset: int) -> int:
    """Return the offset of the next byte that may start a marker."""
    for start in range(offset, len(view), 4096):
        position = bytes(view[start : start + 4096]).find(b"\xff")
        if position >= 0:
            return start + position
    return len(view)


def _bad_segment(marker: int, offset: int, length: int, size: int) -> DecodeError:
    return decode_error(
        NAME,
        f"segment 0x{marker:02x} says it is {length} bytes long",
        at=offset,
        expected=f"2 to {size - offset - 2} (the data has {size} bytes)",
    )


def lead_bytes(data: NDArray[np.uint8], start: int) -> NDArray[np.intp]:
    """Return the offsets from `start` on of the bytes that may begin a marker: 0xFF, not the last.

    >>> lead_bytes(np.frombuffer(bytes.fromhex("ffd800ff00ff"), np.uint8), 1)
    array([3])
    """
    return start + np.flatnonzero(data[start:-1] == 0xFF)


def _check_scans(view: memoryview, is_single: bool, start: int) -> None:
    """Raise if a file has more scans than a decoder should be asked to go through.

    A sequential file whose first scan holds all components is done after this scan.
    """
    if is_single:
        return
    data = np.frombuffer(view, np.uint8)
    scans = 1 + np.count_nonzero(data[lead_bytes(data, start) + 1] == START_OF_SCAN)
    if scans > MAX_SCANS:
        raise decode_error(
            NAME,
            f"{scans} scans",
            expected=f"{MAX_SCANS} at most, because each scan visits all pixels",
            remedy="The file is damaged or made to keep decoders busy: leave it out or convert it.",
        )
