"""BMP headers.

Source: Microsoft's description of BITMAPFILEHEADER, BITMAPCOREHEADER and BITMAPINFOHEADER.
"""

from __future__ import annotations

import numpy as np

from ...errors import decode_error
from .base import CONVERT, ImageHeader, checked_size, need, read_fields

NAME = "BMP"
_CORE_HEADER = 12
_INFO_HEADER = 40
_UNCOMPRESSED, _BITFIELDS, _ALPHA_BITFIELDS = 0, 3, 6
_BITS_PER_PIXEL = (1, 2, 4, 8, 16, 24, 32)


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a BMP file."""
    return head[:2] == b"BM"


def parse_header(view: memoryview) -> ImageHeader:
    """Return size and channels; refuse a file without all of its uncompressed pixels."""
    pixels_at, header_size = read_fields("<II", view, 10, NAME, "the file header")
    width, height, bits, compression = _geometry(view, header_size)
    if bits not in _BITS_PER_PIXEL:
        allowed = ", ".join(map(str, _BITS_PER_PIXEL))
        raise decode_error(
            NAME, f"{bits} bits per pixel", at=28, expected=f"one of {allowed}", remedy=CONVERT
        )
    checked_size(NAME, abs(height), width, 18)
    if compression in (_UNCOMPRESSED, _BITFIELDS, _ALPHA_BITFIELDS):
        line = (width * bits + 31) // 32 * 4
        need(view, pixels_at + line * (abs(height) - 1) + (width * bits + 7) // 8, NAME, "pixels")
    return ImageHeader(NAME, abs(height), width, _channels(view, header_size, bits, compression), 8)


def _geometry(view: memoryview, header_size: int) -> tuple[int, int, int, int]:
    """Return width, height (negative: top line first), bits per pixel and compression."""
    if header_size == _CORE_HEADER:
        width, height, _, bits = read_fields("<HHHH", view, 18, NAME, "the core header")
        return width, height, bits, _UNCOMPRESSED
    if header_size < _INFO_HEADER:
        raise decode_error(
            NAME, f"an information header of {header_size} bytes", at=14, expected="12 or >= 40"
        )
    width, height, _, bits, compression = read_fields(
        "<iiHHI", view, 18, NAME, "the information header"
    )
    return width, height, bits, compression


def _channels(view: memoryview, header_size: int, bits: int, compression: int) -> int:
    if bits <= 8:
        return 1 if _is_gray_palette(view, header_size, bits) else 3
    return 4 if bits == 32 and compression in (_BITFIELDS, _ALPHA_BITFIELDS) else 3


def _is_gray_palette(view: memoryview, header_size: int, bits: int) -> bool:
    entry, count = (3, 0) if header_size == _CORE_HEADER else (4, _colors_used(view))
    start = 14 + header_size
    count = min(count or 1 << bits, 1 << bits)
    need(view, start + entry * count, NAME, "the palette")
    palette = np.frombuffer(view, np.uint8, entry * count, start).reshape(count, entry)
    return bool((palette[:, :1] == palette[:, 1:3]).all())


def _colors_used(view: memoryview) -> int:
    (count,) = read_fields("<I", view, 46, NAME, "the information header")
    return int(count)
