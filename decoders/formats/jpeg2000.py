"""JPEG 2000 headers, of JP2 files and of raw codestreams.

Source: ITU-T T.800, annexes A (codestream) and I (JP2 boxes).
"""

from __future__ import annotations

import struct

from .base import CONVERT, Header, checked_size, decode_error, need, read

NAME = "JPEG 2000"
BOX_SIGNATURE = b"\x00\x00\x00\x0cjP  \r\n\x87\n"
CODESTREAM_START = b"\xff\x4f\xff\x51"
_GREY, _SRGB = 17, 16
_HEADER_BOX_HEAD = 8


def parse(view: memoryview) -> Header:
    """Size, channels and bits; a palette counts as the channels it maps to."""
    if bytes(view[:4]) == CODESTREAM_START:
        return _codestream(view, 0)
    palette, position = None, 0
    while position + 8 <= len(view):
        kind, start, end = _box(view, position)
        if kind == b"jp2h":
            palette = _palette(view, start, end)
        elif kind == b"jp2c":
            header = _codestream(view, start)
            if palette is None:
                return header
            return Header(NAME, header.height, header.width, *palette)
        position = end
    raise decode_error(
        NAME, f"the data ends at byte {len(view)}", expected="a codestream box (jp2c)"
    )


def as_jp2(view: memoryview, header: Header) -> bytes | memoryview:
    """Put a raw codestream into a JP2 file that names its colour space; leave JP2 as it is.

    Decoders have to guess the colour space of a raw codestream, and then refuse grey ones.
    """
    if bytes(view[:4]) != CODESTREAM_START:
        return view
    colour_space = _GREY if header.channels < 3 else _SRGB
    size = struct.pack(
        ">IIHBBBB", header.height, header.width, header.channels, header.bits - 1, 7, 0, 0
    )
    colour = struct.pack(">BBBI", 1, 0, 0, colour_space)
    headers = _make_box(b"ihdr", size) + _make_box(b"colr", colour)
    return b"".join(
        (
            BOX_SIGNATURE,
            _make_box(b"ftyp", b"jp2 \0\0\0\0jp2 "),
            _make_box(b"jp2h", headers),
            struct.pack(">I4s", len(view) + _HEADER_BOX_HEAD, b"jp2c"),
            view,
        )
    )


def _make_box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", len(content) + _HEADER_BOX_HEAD, kind) + content


def _box(view: memoryview, position: int) -> tuple[bytes, int, int]:
    """Kind, start and end of the content of the box at ``position``."""
    length, kind = read(">I4s", view, position, NAME, "a box header")
    start = position + _HEADER_BOX_HEAD
    if length == 1:
        (length,) = read(">Q", view, start, NAME, "a box header")
        start += 8
    end = len(view) if length == 0 else position + length
    if end < start:
        raise decode_error(NAME, f"box {kind!r} says it is {length} bytes long", at=position)
    need(view, end, NAME, f"box {kind!r}")
    return kind, start, end


def _palette(view: memoryview, position: int, end: int) -> tuple[int, int] | None:
    """(channels, bits) of the palette box inside the header box, if there is one."""
    while position + 8 <= end:
        kind, start, position = _box(view, position)
        if kind == b"pclr":
            _, columns, depth = read(">HBB", view, start, NAME, "the palette box")
            return columns, (depth & 0x7F) + 1
    return None


def _codestream(view: memoryview, start: int) -> Header:
    if bytes(view[start : start + 4]) != CODESTREAM_START:
        raise decode_error(NAME, "no codestream", at=start, expected="the bytes ff4fff51")
    right, bottom, left, top = read(">4I", view, start + 8, NAME, "the image size")
    channels, depth = read(">HB", view, start + 40, NAME, "the components")
    if not 1 <= channels <= 4:
        raise decode_error(
            NAME, f"{channels} components", at=start + 40, expected="1 to 4", remedy=CONVERT
        )
    checked_size(NAME, bottom - top, right - left, start + 8)
    return Header(NAME, bottom - top, right - left, channels, (depth & 0x7F) + 1)
