"""WebP headers: the RIFF container and the first bytes of each kind of bitstream.

Source: RFC 9649.
"""

from __future__ import annotations

import struct

from . import exif
from .base import Header, checked_size, decode_error, read

NAME = "WebP"
_EXIF_FLAG, _ALPHA_FLAG = 0x08, 0x10
_CHUNKS_AT = 12
_VP8_START_CODE = b"\x9d\x01\x2a"
_VP8L_SIGNATURE = 0x2F


def parse(view: memoryview) -> Header:
    """Size, alpha and orientation; an animation counts as its first frame."""
    (riff_size,) = read("<I", view, 4, NAME, "the RIFF header")
    if riff_size + 8 > len(view):
        raise decode_error(
            NAME,
            f"the data ends at byte {len(view)}",
            at=4,
            expected=f"{riff_size + 8} bytes as the RIFF header says",
        )
    kind, _ = read("<4sI", view, _CHUNKS_AT, NAME, "the first chunk")
    if kind == b"VP8X":
        return _extended(view, riff_size + 8)
    if kind == b"VP8L":
        return _lossless(view)
    if kind == b"VP8 ":
        return _lossy(view)
    raise decode_error(
        NAME, f"first chunk is {kind!r}", at=_CHUNKS_AT, expected="VP8, VP8L or VP8X"
    )


def _lossy(view: memoryview) -> Header:
    start_code, width, height = read("<3sHH", view, _CHUNKS_AT + 11, NAME, "the VP8 frame header")
    if start_code != _VP8_START_CODE:
        raise decode_error(
            NAME, f"start code {start_code.hex()}", at=_CHUNKS_AT + 11, expected="9d012a"
        )
    # The upper two bits of each are a scaling hint for the player.
    height, width = checked_size(NAME, height & 0x3FFF, width & 0x3FFF, _CHUNKS_AT + 14)
    return Header(NAME, height, width, 3, 8)


def _lossless(view: memoryview) -> Header:
    signature, fields = read("<BI", view, _CHUNKS_AT + 8, NAME, "the VP8L header")
    if signature != _VP8L_SIGNATURE:
        raise decode_error(NAME, f"signature 0x{signature:02x}", at=_CHUNKS_AT + 8, expected="0x2f")
    width, height = (fields & 0x3FFF) + 1, (fields >> 14 & 0x3FFF) + 1
    return Header(NAME, height, width, 4 if fields >> 28 & 1 else 3, 8)


def _extended(view: memoryview, end: int) -> Header:
    flags, packed = read("<I6s", view, _CHUNKS_AT + 8, NAME, "the VP8X chunk")
    width = int.from_bytes(packed[:3], "little") + 1
    height = int.from_bytes(packed[3:], "little") + 1
    orientation = _exif_orientation(view[:end]) if flags & _EXIF_FLAG else 1
    return Header(NAME, height, width, 4 if flags & _ALPHA_FLAG else 3, 8, orientation)


def _exif_orientation(view: memoryview) -> int:
    position = _CHUNKS_AT
    while position + 8 <= len(view):
        kind, length = struct.unpack_from("<4sI", view, position)
        if kind == b"EXIF":
            return exif.orientation(view[position + 8 : position + 8 + length])
        position += 8 + length + (length & 1)
    return 1
