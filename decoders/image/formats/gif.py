"""GIF: the first picture of a file, in colors.

The decoder gets the file up to its first picture: an animation costs no more than a picture. Parts
of the screen that the picture does not cover are black, and transparency is dropped, as it is for
palettes of PNG.

Source: "Graphics Interchange Format, version 89a".
"""

from __future__ import annotations

from typing import NamedTuple

from ...errors import decode_error
from ..engines import codecs
from .base import Data, DecodeRequest, ImageHeader, StoredImage, checked_size, need, read_fields

NAME = "GIF"
_SCREEN_END = 13
_EXTENSION, _PICTURE, _TRAILER = 0x21, 0x2C, 0x3B
_HAS_COLORS = 0x80


class _Picture(NamedTuple):
    """The first picture: its place on the screen, and the offset behind its data."""

    top: int
    left: int
    height: int
    width: int
    end: int


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a GIF file."""
    return head[:6] in (b"GIF87a", b"GIF89a")


def parse_header(view: memoryview) -> ImageHeader:
    """Return the size of the screen; refuse a file whose first picture is not whole."""
    width, height = read_fields("<HH", view, 6, NAME, "the screen")
    checked_size(NAME, height, width, 6)
    picture = _first_picture(view)
    if picture.top + picture.height > height or picture.left + picture.width > width:
        raise decode_error(
            NAME,
            f"a picture of {picture.width} x {picture.height} pixels",
            expected=f"inside of the screen of {width} x {height} pixels",
        )
    return ImageHeader(NAME, height, width, 3, 8)


def decode(data: Data, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode the first picture.

    Raises:
        DecodeError: the data are damaged.
        MissingDependencyError: imagecodecs is missing.
    """
    end = _first_picture(data.data).end
    pixels = codecs.decode(NAME, data[:end].tobytes() + bytes([_TRAILER]), index=0)
    return StoredImage(pixels[..., :3], "RGB")


def _first_picture(view: memoryview) -> _Picture:
    (flags,) = read_fields("B", view, 10, NAME, "the screen")
    offset = _SCREEN_END + _color_bytes(flags)
    while True:
        need(view, offset + 2, NAME, "blocks before the first picture")
        if view[offset] == _PICTURE:
            left, top, width, height, flags = read_fields(
                "<HHHHB", view, offset + 1, NAME, "the first picture"
            )
            checked_size(NAME, height, width, offset + 5)
            end = _blocks_end(view, offset + 11 + _color_bytes(flags))
            return _Picture(top, left, height, width, end)
        if view[offset] != _EXTENSION:
            raise decode_error(
                NAME, f"a block of kind 0x{view[offset]:02x}", at=offset, expected="a picture"
            )
        offset = _blocks_end(view, offset + 2)


def _color_bytes(flags: int) -> int:
    """Return the size of a table of colors."""
    return 3 << (flags & 7) + 1 if flags & _HAS_COLORS else 0


def _blocks_end(view: memoryview, offset: int) -> int:
    """Return the offset behind the sub-blocks; the last one is empty."""
    size = 1
    while size:
        need(view, offset + 1, NAME, "sub-blocks")
        size = view[offset]
        offset += 1 + size
    return offset
