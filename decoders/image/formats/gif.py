"""GIF: the first picture of a file, in colors.

The decoder gets the first picture alone: an animation costs no more than a picture. Parts of the
screen that the picture does not cover have the background's color, or are black without one. A
picture that reaches over the screen enlarges it, as browsers do. Transparency is dropped, as it is
for palettes of PNG.

Blemishes that leave all pixels intact are passed over: a missing end, bytes behind the picture, and
bytes between blocks.

Source: "Graphics Interchange Format, version 89a"; bytes between blocks, version 87a.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Bytes
from ...errors import decode_error
from ..engines import pillow
from .base import DecodeRequest, ImageHeader, StoredImage, checked_size, need, read_fields

NAME = "GIF"
_FLAGS_AT, _BACKGROUND_AT, _SCREEN_END = 10, 11, 13
_PICTURE, _TRAILER = b",;"
_BLOCK = re.compile(rb"[!,;]")  # the start of an extension, of a picture, or of the trailer
_HAS_COLORS, _IS_INTERLACED = 0x80, 0x40


class _Picture(NamedTuple):
    """The first picture: its place on the screen, its flags, and its place in the file."""

    top: int
    left: int
    height: int
    width: int
    flags: int
    colors_start: int

    @property
    def codes_start(self) -> int:
        return self.colors_start + _color_bytes(self.flags)


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a GIF file."""
    return head[:6] in (b"GIF87a", b"GIF89a")


def parse_header(view: memoryview) -> ImageHeader:
    """Return the size of the screen, or of more where the first picture reaches over it."""
    width, height = read_fields("<HH", view, 6, NAME, "the screen")
    picture = _first_picture(view)
    height = max(height, picture.top + picture.height)
    width = max(width, picture.left + picture.width)
    return ImageHeader(NAME, height, width, 3, 8)


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode the first picture.

    Raises:
        DecodeError: the data are damaged.
        MissingDependencyError: Pillow is missing.
    """
    view = data.data
    picture = _first_picture(view)
    (code_bits,) = read_fields("B", view, picture.codes_start, NAME, "the first picture")
    indices = pillow.gif_indices(
        NAME,
        _blocks(view, picture.codes_start + 1),
        (picture.height, picture.width),
        code_bits,
        bool(picture.flags & _IS_INTERLACED),
    )
    pixels = cv2.applyColorMap(indices, _colors(view, picture)[:, None])
    if pixels.shape[:2] == (header.height, header.width):
        return StoredImage(pixels, "RGB")
    out = np.full((header.height, header.width, 3), _background(view), np.uint8)
    bottom, right = picture.top + picture.height, picture.left + picture.width
    out[picture.top : bottom, picture.left : right] = pixels
    return StoredImage(out, "RGB")


def _first_picture(view: memoryview) -> _Picture:
    (flags,) = read_fields("B", view, _FLAGS_AT, NAME, "the screen")
    offset = _SCREEN_END + _color_bytes(flags)
    while start := _BLOCK.search(view, offset):
        offset, kind = start.start(), view[start.start()]
        if kind == _PICTURE:
            left, top, width, height, flags = read_fields(
                "<HHHHB", view, offset + 1, NAME, "the first picture"
            )
            checked_size(NAME, height, width, offset + 5)
            return _Picture(top, left, height, width, flags, offset + 10)
        if kind == _TRAILER:
            raise decode_error(NAME, "a file without a picture", at=offset)
        offset = _blocks_end(view, offset + 2)
    raise decode_error(NAME, f"the data ends at byte {len(view)} before the first picture")


def _color_bytes(flags: int) -> int:
    """Return the size of a table of colors."""
    return 3 << (flags & 7) + 1 if flags & _HAS_COLORS else 0


def _colors(view: memoryview, picture: _Picture) -> NDArray[np.uint8]:
    """Return 256 colors, RGB: the picture's, else the file's, else shades of gray."""
    start, size = picture.colors_start, _color_bytes(picture.flags)
    if not size:
        start, size = _SCREEN_END, _color_bytes(view[_FLAGS_AT])
    if not size:
        return np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    colors = np.zeros((256, 3), np.uint8)
    colors.reshape(-1)[:size] = np.frombuffer(view[start : start + size], np.uint8)
    return colors


def _background(view: memoryview) -> NDArray[np.uint8]:
    """Return the color of the screen, RGB: an entry of the file's table, or black."""
    number, size = view[_BACKGROUND_AT], _color_bytes(view[_FLAGS_AT])
    start = _SCREEN_END + 3 * number
    return np.frombuffer(view[start : start + 3] if 3 * number < size else bytes(3), np.uint8)


def _blocks_end(view: memoryview, offset: int) -> int:
    """Return the offset behind the sub-blocks; the last one is empty."""
    size = 1
    while size:
        need(view, offset + 1, NAME, "sub-blocks")
        size = view[offset]
        offset += 1 + size
    return offset


def _blocks(view: memoryview, start: int) -> bytes:
    """Return the sub-blocks of a picture; the last one is shortened where the file ends in it."""
    offset = start
    while offset < len(view) and view[offset]:
        last, offset = offset, offset + 1 + view[offset]
    if offset <= len(view):
        return bytes(view[start:offset])
    return b"".join((view[start:last], bytes([len(view) - last - 1]), view[last + 1 :]))
