"""TIFF headers: the first image directory of classic TIFF and BigTIFF files.

Source: TIFF 6.0 (Adobe, 1992) and the BigTIFF description by the libtiff project.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from .base import CONVERT, Header, checked_size, decode_error, need, read
from .exif import valid_orientation

NAME = "TIFF"

WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC = 256, 257, 258, 259, 262
FILL_ORDER, STRIP_OFFSETS, ORIENTATION, SAMPLES, STRIP_SIZES = 266, 273, 274, 277, 279
PLANAR, TILE_OFFSETS, TILE_SIZES, EXTRA_SAMPLES = 284, 324, 325, 338

MIN_IS_WHITE, PALETTE = 0, 3
_PHOTOMETRICS_OF_DEEP_SAMPLES = (0, 1, 2)

# Field types whose values are unsigned integers: BYTE, SHORT, LONG, LONG8.
_INTEGER_TYPES = {1: "B", 3: "H", 4: "I", 16: "Q"}


@dataclass(frozen=True, slots=True)
class Entry:
    """Where the values of one tag are: ``count`` fields of ``struct`` type ``code``."""

    code: str
    count: int
    at: int


@dataclass(frozen=True, slots=True)
class Directory:
    """The integer tags of the first image in the file."""

    view: memoryview
    order: str
    entries: dict[int, Entry] = field(default_factory=dict)

    def values(self, tag: int) -> tuple[int, ...]:
        """All values of ``tag``; none if the file does not have it."""
        entry = self.entries.get(tag)
        if entry is None:
            return ()
        layout = f"{self.order}{entry.count}{entry.code}"
        need(self.view, entry.at + struct.calcsize(layout), NAME, f"the values of tag {tag}")
        return struct.unpack_from(layout, self.view, entry.at)

    def value(self, tag: int, default: int) -> int:
        """The first value of ``tag``."""
        entry = self.entries.get(tag)
        if entry is None or entry.count == 0:
            return default
        (value,) = read(self.order + entry.code, self.view, entry.at, NAME, f"tag {tag}")
        return int(value)


def parse(view: memoryview) -> Header:
    """Size, channels, bits and orientation."""
    directory = read_directory(view)
    if not {WIDTH, HEIGHT} <= directory.entries.keys():
        raise decode_error(
            NAME, "the first directory has no image size", expected="tags 256 and 257"
        )
    height, width = directory.value(HEIGHT, 0), directory.value(WIDTH, 0)
    checked_size(NAME, height, width, directory.entries[HEIGHT].at)
    channels, bits = directory.value(SAMPLES, 1), directory.value(BITS, 1)
    if not 1 <= channels <= 4:
        raise decode_error(NAME, f"{channels} samples per pixel", expected="1 to 4", remedy=CONVERT)
    if directory.value(PHOTOMETRIC, 1) == PALETTE:
        channels, bits = 3, 8
    orientation = valid_orientation(directory.value(ORIENTATION, 1))
    return Header(NAME, height, width, channels, bits, orientation)


def refuse_unsupported(directory: Directory, header: Header) -> None:
    """Complain about kinds that the library would turn into wrong pixels without a word."""
    if header.bits <= 8:
        return
    photometric = directory.value(PHOTOMETRIC, 1)
    if photometric not in _PHOTOMETRICS_OF_DEEP_SAMPLES:
        raise decode_error(
            NAME,
            f"photometric interpretation {photometric} with {header.bits} bits per sample",
            expected="0, 1 or 2 (grey or RGB)",
            remedy=CONVERT,
        )
    if header.channels == 2:
        raise decode_error(
            NAME, f"grey with alpha in {header.bits} bits", expected="8 bits", remedy=CONVERT
        )
    if header.channels > 1 and directory.value(PLANAR, 1) != 1:
        raise decode_error(
            NAME,
            f"separate planes of {header.bits} bits per sample",
            expected="interleaved samples (planar configuration 1)",
            remedy=CONVERT,
        )


def read_directory(view: memoryview) -> Directory:
    """The first directory of the file."""
    order = "<" if bytes(view[:2]) == b"II" else ">"
    is_big = read(order + "H", view, 2, NAME, "the file header")[0] == 43
    offset_code, count_code, inline = ("Q", "Q", 8) if is_big else ("I", "H", 4)
    (start,) = read(order + offset_code, view, 8 if is_big else 4, NAME, "the file header")
    (count,) = read(order + count_code, view, start, NAME, "the image directory")
    entry = struct.Struct(f"{order}HH{offset_code}")
    stride = entry.size + inline
    start += struct.calcsize(order + count_code)
    need(view, start + count * stride, NAME, f"the image directory of {count} entries")
    directory = Directory(view, order)
    for position in range(start, start + count * stride, stride):
        tag, kind, length = entry.unpack_from(view, position)
        code = _INTEGER_TYPES.get(kind)
        if code is None:
            continue
        at = position + entry.size
        if length * struct.calcsize(code) > inline:
            (at,) = struct.unpack_from(order + offset_code, view, at)
        directory.entries.setdefault(tag, Entry(code, length, at))
    return directory
