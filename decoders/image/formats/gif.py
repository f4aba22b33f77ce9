"""GIF: the first picture of a file, in colors.

The decoder gets the first picture alone: an animation costs no more than a picture. Parts of the
screen that the picture does not cover are black. Transparency is dropped, as it is for palettes of
PNG.

Source: "Graphics Interchange Format, version 89a".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import decode_error
from ..engines import codecs
from .base import Data, DecodeRequest, ImageHeader, StoredImage, checked_size, need, read_fields

NAME = "GIF"
_FLAGS_AT, _SCREEN_END = 10, 13
_EXTENSION, _PICTURE, _TRAILER = 0x21, 0x2C, 0x3B
_HAS_COLORS = 0x80


class _Picture(NamedTuple):
    """The first picture: its place on the screen, and its place in the file."""

    top: int
    left: int
    height: int
    width: int
    start: int
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
    view = data.data
    picture = _first_picture(view)
    screen = view[: _SCREEN_END + _color_bytes(view[_FLAGS_AT])]
    file = b"".join((screen, view[picture.start : picture.end], bytes([_TRAILER])))
    pixels = codecs.decode(NAME, file, index=0)
    out = np.zeros((header.height, header.width, 3), np.uint8)
    bottom, right = picture.top + picture.height, picture.left + picture.width
    covered = np.s_[picture.top : bottom, picture.left : right]
    if pixels.shape[:2] != out.shape[:2]:
        raise decode_error(NAME, f"the library decoded {pixels.shape}", expected=f"{out.shape}")
    out[covered] = pixels[covered][..., :3]
    return StoredImage(out, "RGB")


def _first_picture(view: memoryview) -> _Picture:
    (flags,) = read_fields("B", view, _FLAGS_AT, NAME, "the screen")
    offset = _SCREEN_END + _color_bytes(flags)
    while True:
        need(view, offset + 2, NAME, "blocks before the first picture")
        if view[offset] == _PICTURE:
            left, top, width, height, flags = read_fields(
                "<HHHHB", view, offset + 1, NAME, "the first picture"
            )
            checked_size(NAME, height, width, offset + 5)
            end = _blocks_end(view, offset + 11 + _color_bytes(flags))
            return _Picture(top, left, height, width, offset, end)
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
