"""Make TIFF data ready for OpenCV, and check what OpenCV does not.

OpenCV's reader turns 8-bit images upright whatever it is told, multiplies colours by an
unassociated alpha, and hands out whatever it has when a compressed strip is damaged.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import cv2
from numpy.typing import NDArray

from .formats import tiff
from .formats.base import Header, decode_error, need

_DEFLATE = (8, 32946)
_UPRIGHT = 1
_ASSOCIATED_ALPHA = 1
_MSB_FIRST = 1
_CHUNK = 1 << 14  # Deflate expands a thousandfold at most: 16 MiB at a time


def prepared(view: memoryview, header: Header) -> bytearray | memoryview:
    """``view``, or a copy that reads as upright and as having its colours already weighted.

    Raises:
        DecodeError: a strip or tile is outside the data or damaged, or the kind is unsupported.
    """
    directory = tiff.read_directory(view)
    tiff.refuse_unsupported(directory, header)
    _check_parts(directory)
    changes = {tiff.ORIENTATION: _UPRIGHT, tiff.EXTRA_SAMPLES: _ASSOCIATED_ALPHA}
    changes = {
        tag: wanted for tag, wanted in changes.items() if directory.value(tag, wanted) != wanted
    }
    if not changes:
        return view
    copy = bytearray(view)
    for tag, wanted in changes.items():
        entry = directory.entries[tag]
        struct.pack_into(directory.order + entry.code, copy, entry.at, wanted)
    return copy


def finished(image: NDArray[Any], view: memoryview) -> NDArray[Any]:
    """Invert deep samples whose zero means white: the library inverts only shallow ones."""
    is_deep_integer = image.dtype.kind == "u" and image.dtype.itemsize > 1
    if is_deep_integer and (
        tiff.read_directory(view).value(tiff.PHOTOMETRIC, 1) == tiff.MIN_IS_WHITE
    ):
        return cv2.bitwise_not(image)
    return image


def _check_parts(directory: tiff.Directory) -> None:
    """Every strip or tile lies inside the data; Deflate ones are read against their checksum."""
    offsets = directory.values(tiff.STRIP_OFFSETS) or directory.values(tiff.TILE_OFFSETS)
    sizes = directory.values(tiff.STRIP_SIZES) or directory.values(tiff.TILE_SIZES)
    if not offsets:
        raise decode_error(
            tiff.NAME, "no pixel data", expected="strip or tile offsets (tag 273 or 324)"
        )
    if sizes and len(sizes) != len(offsets):
        raise decode_error(tiff.NAME, f"{len(offsets)} strip offsets but {len(sizes)} sizes")
    is_deflate = (
        directory.value(tiff.COMPRESSION, 1) in _DEFLATE
        and directory.value(tiff.FILL_ORDER, _MSB_FIRST) == _MSB_FIRST
    )
    parts = dict.fromkeys(zip(offsets, sizes, strict=False))  # writers may share equal tiles
    total = sum(size for _, size in parts)
    if total > len(directory.view):
        raise decode_error(
            tiff.NAME,
            f"strips or tiles of {total} bytes in all",
            expected=f"{len(directory.view)} at most, the size of the data",
        )
    for number, (start, size) in enumerate(parts):
        need(directory.view, start + size, tiff.NAME, f"strip or tile {number}")
        if is_deflate:
            _check_deflate(directory.view[start : start + size], number, start)


def _check_deflate(part: memoryview, number: int, start: int) -> None:
    decoder = zlib.decompressobj()
    try:
        for position in range(0, len(part), _CHUNK):
            decoder.decompress(part[position : position + _CHUNK])
    except zlib.error as error:
        raise decode_error(
            tiff.NAME, f"strip or tile {number} is damaged ({error})", at=start
        ) from error
    if not decoder.eof:
        raise decode_error(
            tiff.NAME, f"the compressed data of strip or tile {number} is cut off", at=start
        )
