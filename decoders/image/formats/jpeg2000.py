"""JPEG 2000 headers, of JP2 files and of raw codestreams.

Source: ITU-T T.800, annexes A (codestream) and I (JP2 boxes).
"""

from __future__ import annotations

import struct

from ...errors import decode_error
from ..engines import opencv
from .base import (
    CONVERT,
    Data,
    DecodeRequest,
    ImageHeader,
    StoredImage,
    checked_size,
    need,
    read_fields,
)

NAME = "JPEG 2000"
_BOX_SIGNATURE = b"\x00\x00\x00\x0cjP  \r\n\x87\n"
_CODESTREAM_START = b"\xff\x4f\xff\x51"
_GRAY, _SRGB = 17, 16
_HEADER_BOX_HEAD = 8


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a JP2 file or as a raw codestream."""
    return head[:12] == _BOX_SIGNATURE or head[:4] == _CODESTREAM_START


def decode(data: Data, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file."""
    return opencv.decode(_as_jp2(data.data, header), header, request)


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, channels and bits; a palette counts as the channels that it maps to."""
    if bytes(view[:4]) == _CODESTREAM_START:
        return _codestream(view, 0)
    palette, offset = None, 0
    while offset + 8 <= len(view):
        box, start, end = _box(view, offset)
        if box == b"jp2h":
            palette = _palette(view, start, end)
        elif box == b"jp2c":
            header = _codestream(view, start)
            if palette is None:
                return header
            return ImageHeader(NAME, header.height, header.width, *palette)
        offset = end
    raise decode_error(
        NAME, f"the data ends at byte {len(view)}", expected="a codestream box (jp2c)"
    )


def _as_jp2(view: memoryview, header: ImageHeader) -> bytes | memoryview:
    """Return a JP2 file that names the color space of a raw codestream; return JP2 unchanged.

    Decoders have to guess the color space of a raw codestream, and then refuse gray ones.
    """
    if bytes(view[:4]) != _CODESTREAM_START:
        return view
    color_space = _GRAY if header.channels < 3 else _SRGB
    size = struct.pack(
        ">IIHBBBB", header.height, header.width, header.channels, header.bits - 1, 7, 0, 0
    )
    color = struct.pack(">BBBI", 1, 0, 0, color_space)
    headers = _make_box(b"ihdr", size) + _make_box(b"colr", color)
    return b"".join(
        (
            _BOX_SIGNATURE,
            _make_box(b"ftyp", b"jp2 \0\0\0\0jp2 "),
            _make_box(b"jp2h", headers),
            struct.pack(">I4s", len(view) + _HEADER_BOX_HEAD, b"jp2c"),
            view,
        )
    )


def _make_box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", len(content) + _HEADER_BOX_HEAD, name) + content


def _box(view: memoryview, offset: int) -> tuple[bytes, int, int]:
    """Return the name of the box at `offset`, and start and end of its content."""
    length, name = read_fields(">I4s", view, offset, NAME, "a box header")
    start = offset + _HEADER_BOX_HEAD
    if length == 1:
        (length,) = read_fields(">Q", view, start, NAME, "a box header")
        start += 8
    end = len(view) if length == 0 else offset + length
    if end < start:
        raise decode_error(NAME, f"box {name!r} says it is {length} bytes long", at=offset)
    need(view, end, NAME, f"box {name!r}")
    return name, start, end


def _palette(view: memoryview, offset: int, end: int) -> tuple[int, int] | None:
    """Return (channels, bits) of the palette box inside the header box; None without one."""
    while offset + 8 <= end:
        box, start, offset = _box(view, offset)
        if box == b"pclr":
            _, columns, depth = read_fields(">HBB", view, start, NAME, "the palette box")
            return columns, (depth & 0x7F) + 1
    return None


def _codestream(view: memoryview, start: int) -> ImageHeader:
    if bytes(view[start : start + 4]) != _CODESTREAM_START:
        raise decode_error(NAME, "no codestream", at=start, expected="the bytes ff4fff51")
    right, bottom, left, top = read_fields(">4I", view, start + 8, NAME, "the image size")
    channels, depth = read_fields(">HB", view, start + 40, NAME, "the components")
    if not 1 <= channels <= 4:
        raise decode_error(
            NAME, f"{channels} components", at=start + 40, expected="1 to 4", remedy=CONVERT
        )
    checked_size(NAME, bottom - top, right - left, start + 8)
    return ImageHeader(NAME, bottom - top, right - left, channels, (depth & 0x7F) + 1)
