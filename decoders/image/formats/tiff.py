"""TIFF headers: the first image directory of classic TIFF and BigTIFF files.

Source: TIFF 6.0 (Adobe, 1992) and the BigTIFF description by the libtiff project.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from dataclasses import field as attribute

from ...errors import decode_error
from .base import ImageHeader, checked_size, need, read_fields
from .exif import valid_orientation

NAME = "TIFF"

WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER = 256, 257, 258, 259, 262, 266
STRIP_OFFSETS, ORIENTATION, SAMPLES, STRIP_LINES, STRIP_SIZES = 273, 274, 277, 278, 279
PLANAR, PREDICTOR, COLOR_MAP = 284, 317, 320
TILE_WIDTH, TILE_HEIGHT, TILE_OFFSETS, TILE_SIZES, INK_SET = 322, 323, 324, 325, 332
SAMPLE_FORMAT, JPEG_TABLES, SUBSAMPLING, DEPTH, TILE_DEPTH = 339, 347, 530, 32997, 32998
OLD_JPEG_START, OLD_JPEG_SIZE = 513, 514

_DEFAULTS = {
    BITS: 1, COMPRESSION: 1, FILL_ORDER: 1, ORIENTATION: 1, SAMPLES: 1, PLANAR: 1, PREDICTOR: 1,
    INK_SET: 1, SAMPLE_FORMAT: 1, DEPTH: 1, TILE_DEPTH: 1,
}  # fmt: skip
"""The values of absent tags; of all others 0."""

_FAXES = (2, 3, 4)  # compressions of CCITT, in which white is 0

# Photometric interpretations: what the samples mean.
MIN_IS_WHITE, MIN_IS_BLACK, RGB, PALETTE, MASK, SEPARATED, YCBCR = range(7)
CIE_LAB, ICC_LAB, LOG_L, LOG_LUV = 8, 9, 32844, 32845
_COLORS_OF_THREE = (YCBCR, CIE_LAB, ICC_LAB, LOG_LUV)
_OTHER_INKS = 2

# Field types whose values are unsigned integers: BYTE, SHORT, LONG, UNDEFINED, LONG8.
_INTEGER_TYPES = {1: "B", 3: "H", 4: "I", 7: "B", 16: "Q"}


@dataclass(frozen=True, slots=True)
class TiffField:
    """The location of one tag's values.

    Attributes:
        code: type of a value, for `struct`.
        count: number of values.
        at: offset of the first value in the file.
    """

    code: str
    count: int
    at: int


@dataclass(frozen=True, slots=True)
class TiffDirectory:
    """The integer tags of the first image in the file.

    Attributes:
        view: the whole file.
        order: byte order, for `struct`.
        start: offset of the directory in the file.
        fields: the tags' values, by tag.
    """

    view: memoryview
    order: str
    start: int
    fields: dict[int, TiffField] = attribute(default_factory=dict)

    def values(self, tag: int) -> tuple[int, ...]:
        """Return all values of `tag`; none if the file does not have the tag."""
        field = self.fields.get(tag)
        if field is None:
            return ()
        size = field.count * struct.calcsize(field.code)
        need(self.view, field.at + size, NAME, f"the values of tag {tag}")
        layout = f"{self.order}{field.count}{field.code}"
        return struct.unpack_from(layout, self.view, field.at)

    def value(self, tag: int) -> int:
        """Return the first value of `tag`, or the default of the format."""
        field = self.fields.get(tag)
        if field is None or field.count == 0:
            if tag != PHOTOMETRIC:
                return _DEFAULTS.get(tag, 0)
            return MIN_IS_WHITE if self.value(COMPRESSION) in _FAXES else MIN_IS_BLACK
        (value,) = read_fields(self.order + field.code, self.view, field.at, NAME, f"tag {tag}")
        return int(value)


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a classic TIFF file or as a BigTIFF file."""
    return head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, channels, bits and orientation."""
    directory = read_directory(view)
    if not {WIDTH, HEIGHT} <= directory.fields.keys():
        raise decode_error(
            NAME, "the first directory has no image size", expected="tags 256 and 257"
        )
    height, width = directory.value(HEIGHT), directory.value(WIDTH)
    checked_size(NAME, height, width, directory.fields[HEIGHT].at)
    channels, bits = directory.value(SAMPLES), directory.value(BITS)
    photometric = directory.value(PHOTOMETRIC)
    if photometric == PALETTE:
        channels, bits = 3, 8
    elif photometric in _COLORS_OF_THREE:
        channels = 3
    elif holds_cmyk(directory):
        channels = 4
    elif photometric == LOG_L or channels == 0:
        channels = 1
    orientation = valid_orientation(directory.value(ORIENTATION))
    return ImageHeader(NAME, height, width, channels, bits, orientation)


def holds_cmyk(directory: TiffDirectory) -> bool:
    """Return whether the samples are cyan, magenta, yellow and black."""
    return (
        directory.value(PHOTOMETRIC) == SEPARATED
        and directory.value(SAMPLES) >= 4
        and directory.value(INK_SET) != _OTHER_INKS
    )


def read_directory(view: memoryview) -> TiffDirectory:
    """Return the first directory of the file."""
    order = "<" if bytes(view[:2]) == b"II" else ">"
    is_big = read_fields(order + "H", view, 2, NAME, "the file header")[0] == 43
    offset_code, count_code, inline = ("Q", "Q", 8) if is_big else ("I", "H", 4)
    (start,) = read_fields(order + offset_code, view, 8 if is_big else 4, NAME, "the file header")
    (count,) = read_fields(order + count_code, view, start, NAME, "the image directory")
    entry = struct.Struct(f"{order}HH{offset_code}")
    stride = entry.size + inline
    directory = TiffDirectory(view, order, start)
    start += struct.calcsize(order + count_code)
    need(view, start + count * stride, NAME, f"the image directory of {count} entries")
    for offset in range(start, start + count * stride, stride):
        tag, field_type, length = entry.unpack_from(view, offset)
        code = _INTEGER_TYPES.get(field_type)
        if code is None:
            continue
        at = offset + entry.size
        if length * struct.calcsize(code) > inline:
            (at,) = struct.unpack_from(order + offset_code, view, at)
        directory.fields.setdefault(tag, TiffField(code, length, at))
    return directory
