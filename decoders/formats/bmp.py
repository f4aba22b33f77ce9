"""BMP headers.

Source: Microsoft's description of BITMAPFILEHEADER, BITMAPCOREHEADER and BITMAPINFOHEADER.
"""

from __future__ import annotations

import numpy as np

from .base import CONVERT, Header, checked_size, decode_error, need, read

NAME = "BMP"
_CORE_HEADER = 12
_INFO_HEADER = 40
_UNCOMPRESSED, _BITFIELDS, _ALPHA_BITFIELDS = 0, 3, 6
_BITS_PER_PIXEL = (1, 2, 4, 8, 16, 24, 32)


def parse(view: memoryview) -> Header:
    """Size and channels; uncompressed pixels must all be there."""
    pixels_at, header_size = read("<II", view, 10, NAME, "the file header")
    width, height, bits, compression = _geometry(view, header_size)
    if bits not in _BITS_PER_PIXEL:
        allowed = ", ".join(map(str, _BITS_PER_PIXEL))
        raise decode_error(
            NAME, f"{bits} bits per pixel", at=28, expected=f"one of {allowed}", remedy=CONVERT
        )
    checked_size(NAME, abs(height), width, 18)
    if compression in (_UNCOMPRESSED, _BITFIELDS, _ALPHA_BITFIELDS):
        row = (width * bits + 31) // 32 * 4
        need(view, pixels_at + row * (abs(height) - 1) + (width * bits + 7) // 8, NAME, "pixels")
    return Header(NAME, abs(height), width, _channels(view, header_size, bits, compression), 8)


def _geometry(view: memoryview, header_size: int) -> tuple[int, int, int, int]:
    """Width, height (negative: top row first), bits per pixel, compression."""
    if header_size == _CORE_HEADER:
        width, height, _, bits = read("<HHHH", view, 18, NAME, "the core header")
        return width, height, bits, _UNCOMPRESSED
    if header_size < _INFO_HEADER:
        raise decode_error(
            NAME, f"an information header of {header_size} bytes", at=14, expected="12 or >= 40"
        )
    width, height, _, bits, compression = read("<iiHHI", view, 18, NAME, "the information header")
    return width, height, bits, compression


def _channels(view: memoryview, header_size: int, bits: int, compression: int) -> int:
    if bits <= 8:
        return 1 if _is_grey_palette(view, header_size, bits) else 3
    return 4 if bits == 32 and compression in (_BITFIELDS, _ALPHA_BITFIELDS) else 3


def _is_grey_palette(view: memoryview, header_size: int, bits: int) -> bool:
    entry, count = (3, 0) if header_size == _CORE_HEADER else (4, _colours_used(view))
    start = 14 + header_size
    count = min(count or 1 << bits, 1 << bits)
    need(view, start + entry * count, NAME, "the palette")
    palette = np.frombuffer(view, np.uint8, entry * count, start).reshape(count, entry)
    return bool((palette[:, :1] == palette[:, 1:3]).all())


def _colours_used(view: memoryview) -> int:
    (count,) = read("<I", view, 46, NAME, "the information header")
    return int(count)
