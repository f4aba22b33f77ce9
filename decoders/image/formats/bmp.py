"""BMP headers: of Windows (40 to 124 bytes) and of OS/2 (12 bytes, and 16 to 64).

Sources: Microsoft's description of BITMAPFILEHEADER, BITMAPCOREHEADER, BITMAPINFOHEADER,
BITMAPV4HEADER and BITMAPV5HEADER; the OS/2 Presentation Manager Programming Reference.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array
from ...errors import decode_error
from . import jpeg, png
from .base import CONVERT, ImageHeader, checked_size, need, read_fields

NAME = "BMP"
UNCOMPRESSED, RLE8, RLE4, BITFIELDS, JPEG, PNG, ALPHA_BITFIELDS = range(7)
RLE24 = 24
"""Our own number of OS/2's compression, because its number in the file is that of JPEG."""

_FILE_HEADER = 14
_CORE_HEADER = 12
_SHORTEST_OS2_HEADER = 16
_INFO_HEADER = 40
_HEADER_WITH_MASKS, _HEADER_WITH_ALPHA_MASK = 52, 56
_INDEX_BITS = (1, 2, 4, 8)
_BITS_PER_PIXEL = (1, 2, 4, 8, 16, 24, 32)
_BITS_OF_COMPRESSION = {
    UNCOMPRESSED: _BITS_PER_PIXEL,
    RLE8: (8,),
    RLE4: (4,),
    BITFIELDS: (16, 32),
    JPEG: (0, 24),
    PNG: (0, 24, 32),
    ALPHA_BITFIELDS: (16, 32),
    RLE24: (24,),
}
_MASKS = {16: (0x7C00, 0x03E0, 0x001F, 0), 32: (0xFF0000, 0xFF00, 0xFF, 0)}
_EMBEDDED = {JPEG: jpeg.parse_header, PNG: png.parse_header}


class BmpLayout(NamedTuple):
    """The fields that the pixels depend on.

    Attributes:
        height, width: in pixels.
        is_top_down: whether the top line comes first.
        bits: a pixel.
        compression: one of the constants of this module.
        pixels_at: offset of the pixels.
        palette: blue, green and red, (entries, 3); no entries above 8 bits a pixel.
        masks: bits of red, green, blue and alpha in a pixel of 16 or 32 bits.
    """

    height: int
    width: int
    is_top_down: bool
    bits: int
    compression: int
    pixels_at: int
    palette: NDArray[np.uint8]
    masks: tuple[int, int, int, int]

    @property
    def is_gray(self) -> bool:
        """Whether all colors of the palette are gray."""
        return self.bits <= 8 and bool((self.palette[:, :1] == self.palette[:, 1:]).all())

    @property
    def channels(self) -> int:
        """The number of channels of `ANY_DATA`."""
        if self.bits <= 8:
            return 1 if self.is_gray else 3
        return 4 if self.masks[3] else 3


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a BMP file."""
    return head[:2] == b"BM"


def parse_header(view: memoryview) -> ImageHeader:
    """Return size and channels; refuse a file without all of its uncompressed pixels."""
    layout = read_layout(view)
    if layout.compression in _EMBEDDED:
        header = _EMBEDDED[layout.compression](view[layout.pixels_at :])
        return replace(header, format=NAME, orientation=1)
    return ImageHeader(NAME, layout.height, layout.width, layout.channels, 8)


def read_layout(view: memoryview) -> BmpLayout:
    """Return the fields that the pixels depend on; refuse forms that no decoder here knows."""
    pixels_at, header_size = read_fields("<II", view, 10, NAME, "the file header")
    width, height, bits, compression, colors = _information(view, header_size)
    if bits not in _BITS_OF_COMPRESSION.get(compression, ()):
        raise _unsupported(bits, compression)
    checked_size(NAME, abs(height), width, 18)
    masks, colors_at = _masks(view, header_size, bits, compression)
    palette, end = _palette(view, header_size, bits, colors, colors_at, pixels_at)
    pixels_at = pixels_at or end
    if pixels_at < _FILE_HEADER + header_size or (bits in _INDEX_BITS and pixels_at <= colors_at):
        raise decode_error(
            NAME, f"the pixels begin at byte {pixels_at}, inside the headers or colors", at=10
        )
    need(view, pixels_at + 1, NAME, "pixels")
    if compression in (UNCOMPRESSED, BITFIELDS, ALPHA_BITFIELDS):
        last = (width * bits + 7) // 8
        need(view, pixels_at + line_bytes(width, bits) * (abs(height) - 1) + last, NAME, "pixels")
    return BmpLayout(abs(height), width, height < 0, bits, compression, pixels_at, palette, masks)


def line_bytes(width: int, bits: int) -> int:
    """Return the number of bytes of a line that is not compressed: a multiple of 4."""
    return (width * bits + 31) // 32 * 4


def _information(view: memoryview, header_size: int) -> tuple[int, int, int, int, int]:
    """Return width, height (negative: top line first), bits, compression and palette entries."""
    if header_size == _CORE_HEADER:
        width, height, _, bits = read_fields("<HHHH", view, 18, NAME, "the core header")
        return width, height, bits, UNCOMPRESSED, 0
    if header_size < _SHORTEST_OS2_HEADER:
        raise decode_error(
            NAME, f"an information header of {header_size} bytes", at=14, expected="12 or >= 16"
        )
    need(view, _FILE_HEADER + header_size, NAME, "the information header")
    # OS/2 may end the header after any field: the others are 0.
    header = bytes(view[_FILE_HEADER : _FILE_HEADER + min(header_size, _INFO_HEADER)])
    fields = memoryview(header.ljust(_INFO_HEADER, b"\0"))
    width, height, _, bits, compression = read_fields("<iiHHI", fields, 4, NAME, "the header")
    (colors,) = read_fields("<I", fields, 32, NAME, "the header")
    if compression == JPEG and bits == 24 and header_size == 64:
        compression = RLE24
    return width, height, bits, compression, colors


def _unsupported(bits: int, compression: int) -> Exception:
    if compression == BITFIELDS and bits == 1:
        return decode_error(
            NAME, "Huffman compression of OS/2 is not supported", at=30, remedy=CONVERT
        )
    if compression not in _BITS_OF_COMPRESSION:
        return decode_error(
            NAME,
            f"compression {compression} is not supported",
            at=30,
            expected="0 to 6",
            remedy=CONVERT,
        )
    allowed = ", ".join(map(str, _BITS_OF_COMPRESSION[compression]))
    return decode_error(
        NAME,
        f"{bits} bits per pixel",
        at=28,
        expected=f"one of {allowed} with compression {compression}",
        remedy=CONVERT,
    )


def _masks(
    view: memoryview, header_size: int, bits: int, compression: int
) -> tuple[tuple[int, int, int, int], int]:
    """Return the masks of red, green, blue and alpha, and the offset behind headers and masks."""
    end = _FILE_HEADER + header_size
    if compression not in (BITFIELDS, ALPHA_BITFIELDS):
        return _MASKS.get(bits, (0, 0, 0, 0)), end
    has_alpha = compression == ALPHA_BITFIELDS or header_size >= _HEADER_WITH_ALPHA_MASK
    layout = "<IIII" if has_alpha else "<III"
    masks = read_fields(layout, view, _FILE_HEADER + _INFO_HEADER, NAME, "the color masks")
    if header_size < _HEADER_WITH_MASKS:
        end = _FILE_HEADER + _INFO_HEADER + 4 * len(masks)
    red, green, blue, alpha = (*masks, 0)[:4]
    return (red, green, blue, alpha), end


def _palette(
    view: memoryview, header_size: int, bits: int, colors: int, start: int, pixels_at: int
) -> tuple[Array, int]:
    """Return the colors, and the offset behind them; above 8 bits there are none to use."""
    entry = 3 if header_size == _CORE_HEADER else 4
    if bits not in _INDEX_BITS:
        return np.empty((0, 3), np.uint8), start + entry * colors
    count = min(colors or 1 << bits, 1 << bits)
    if pixels_at > start:
        count = min(count, (pixels_at - start) // entry)
    need(view, start + entry * count, NAME, "the palette")
    palette = np.frombuffer(view, np.uint8, entry * count, start).reshape(count, entry)
    return palette[:, :3], start + entry * max(count, colors)
