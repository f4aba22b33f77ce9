"""The strips or tiles of a TIFF file: where they are, and whether they may be decoded at all.

The library decodes one strip or tile at a time. Before, each is found inside the data, and its size
is bounded: no claim of the file makes a decoder take more memory or time than the picture needs.

Source: TIFF 6.0 (Adobe, 1992), sections 3, 7, 13, 15 and 21; TIFF Technical Note 2 (JPEG);
ITU-T T.6.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....engine.errors import DecodeError
from ...errors import decode_error
from ..engines import turbojpeg
from . import jpeg, jpeg2000, jpegxl, png, tiff, webp
from .base import ImageHeader, need, read_fields
from .tiff_forms import FAX_GROUP_4, JPEGS, NONE, OLD_JPEG

_FAX_HOLE = b"\0\0"  # no valid sequence of Group 4 codes has so many zeros
_FAX_END = re.compile("0*1(0{11}1)*0*")  # the rest of end codes, whose first zeros are in the hole
_END_BYTES = 16  # six end codes of 12 bits, and some fill
_LOW_BIT_FIRST = 2  # fill order
_MOST_BYTES = 1 << 32  # of all decoded strips or tiles: 16-bit RGBA of the most pixels, twice
_MOST_BYTES_OF_SMALL = 1 << 24  # tiles may be much larger than a small picture
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PLAIN_FRAMES = jpeg.SEQUENTIAL_FRAMES | {jpeg.PROGRESSIVE_FRAME}
_FIRST_DATA = 8  # bytes of the shorter file header
_BLOCK = 16  # JPEG codes whole blocks, so that some writers state whole blocks

_HEADERS: dict[int, Callable[[memoryview], ImageHeader]] = {
    33003: jpeg2000.parse_header,
    33004: jpeg2000.parse_header,
    33005: jpeg2000.parse_header,
    34712: jpeg2000.parse_header,
    34933: png.parse_header,
    50001: webp.parse_header,
    50002: jpegxl.parse_header,
    52546: jpegxl.parse_header,
}
"""Parsers of compressions that are image files of their own, with a size of their own."""


CHECKED = frozenset({FAX_GROUP_4, *JPEGS, *_HEADERS})
"""Compressions whose strips and tiles `check_strip` checks."""


class Strip(NamedTuple):
    """One strip or tile.

    Attributes:
        number: number of the strip or tile in the file.
        plane: number of the sample that it holds, if each sample has a plane of its own.
        top, left: row and column of the first pixel.
        height, width: height and width of the part inside the picture.
        start, size: extent in the file; its samples are 0 if both are 0.
    """

    number: int
    plane: int
    top: int
    left: int
    height: int
    width: int
    start: int
    size: int


class StripGrid(NamedTuple):
    """The shape of all strips or tiles of an image.

    Attributes:
        planes: number of planes; 1 for interleaved samples.
        samples: number of samples of a pixel in a strip or tile.
        height, width: height and width of a strip or tile.
        rows, columns: number of strips or tiles of a plane, from top to bottom and left to right.
        is_tiled: whether these are tiles, which are whole at the edges of the picture too.
        bits: bits of a sample.
        container: bits of a decoded sample.
        subsampling: columns and lines of pixels that share the chroma samples, of YCbCr.
    """

    planes: int
    samples: int
    height: int
    width: int
    rows: int
    columns: int
    is_tiled: bool
    bits: int
    container: int
    subsampling: tuple[int, int] | None

    def nbytes_of(self, strip: Strip) -> int:
        """Return the decoded size of a strip or tile."""
        return self.nbytes(self.height if self.is_tiled else strip.height)

    def nbytes(self, height: int) -> int:
        """Return the decoded size of `height` lines of a strip or tile."""
        if self.subsampling is not None:
            across, down = self.subsampling
            units = -(-height // down) * -(-self.width // across)
            return units * (across * down + 2) * self.bits // 8
        return height * ((self.width * self.samples * self.bits + 7) // 8)


def read_grid(directory: tiff.TiffDirectory, header: ImageHeader) -> StripGrid:
    """Return the grid of an image; refuse one that would take too much memory."""
    samples, bits = directory.value(tiff.SAMPLES), directory.value(tiff.BITS)
    is_planar = directory.value(tiff.PLANAR) == 2 and samples > 1
    is_tiled = tiff.TILE_WIDTH in directory.fields
    if is_tiled:
        height, width = directory.value(tiff.TILE_HEIGHT), directory.value(tiff.TILE_WIDTH)
        if height < 1 or width < 1:
            raise decode_error(tiff.NAME, f"tiles of {width} x {height} pixels")
    else:
        width = header.width
        height = min(directory.value(tiff.STRIP_LINES) or header.height, header.height)
    subsampling = None
    if directory.value(tiff.PHOTOMETRIC) == tiff.YCBCR and not is_planar and samples == 3:
        across, down = (*directory.values(tiff.SUBSAMPLING), 2, 2)[:2]
        subsampling = (across or 1, down or 1)
    grid = StripGrid(
        samples if is_planar else 1,
        1 if is_planar else samples,
        height,
        width,
        -(-header.height // height),
        -(-header.width // width),
        is_tiled,
        bits,
        1 << (max(bits, 8) - 1).bit_length(),
        subsampling,
    )
    _refuse_bomb(grid, header, samples)
    return grid


def _refuse_bomb(grid: StripGrid, header: ImageHeader, samples: int) -> None:
    total = grid.planes * grid.rows * grid.columns * grid.samples
    nbytes = total * grid.height * grid.width * grid.container // 8
    picture = header.height * header.width * samples * grid.container // 8
    if nbytes > min(_MOST_BYTES, max(8 * picture, _MOST_BYTES_OF_SMALL)):
        raise decode_error(
            tiff.NAME,
            f"strips or tiles of {nbytes} bytes for {header.width} x {header.height} pixels of "
            f"{samples} samples",
            expected=f"{_MOST_BYTES} bytes at most, and tiles that the picture fills",
            remedy="If the image is genuine, cut it into tiles first.",
        )


def read_strips(
    directory: tiff.TiffDirectory, header: ImageHeader, grid: StripGrid, compression: int
) -> list[Strip]:
    """Return all strips or tiles; raise unless all lie inside the data."""
    count = grid.planes * grid.rows * grid.columns
    strips, total = [], len(directory.view)
    for number, (start, size) in enumerate(_extents(directory, grid, count, compression)):
        plane, place = divmod(number, grid.rows * grid.columns)
        row, column = divmod(place, grid.columns)
        top, left = row * grid.height, column * grid.width
        height = min(grid.height, header.height - top)
        width = min(grid.width, header.width - left)
        if compression == NONE:  # bytes behind the pixels may be missing
            size = min(size, grid.nbytes(grid.height if grid.is_tiled else height))
        if start < _FIRST_DATA and size:
            raise decode_error(tiff.NAME, f"strip or tile {number} starts inside the file header")
        if start + size > total:
            need(directory.view, start + size, tiff.NAME, f"strip or tile {number}")
        strips.append(Strip(number, plane, top, left, height, width, start, size))
    return strips


def _extents(
    directory: tiff.TiffDirectory, grid: StripGrid, count: int, compression: int
) -> list[tuple[int, int]]:
    """Return (offset, size) of each strip or tile; refuse more data than the file has."""
    offsets = directory.values(tiff.STRIP_OFFSETS) or directory.values(tiff.TILE_OFFSETS)
    sizes = directory.values(tiff.STRIP_SIZES) or directory.values(tiff.TILE_SIZES)
    total = len(directory.view)
    if not offsets and compression == OLD_JPEG:  # one stream of JPEG holds the whole picture
        offsets, sizes = directory.values(tiff.OLD_JPEG_START), ()
        count = min(count, len(offsets))
    if not offsets:
        raise decode_error(
            tiff.NAME, "no pixel data", expected="strip or tile offsets (tag 273 or 324)"
        )
    if not sizes and len(offsets) == 1:
        sizes = (max(0, total - offsets[0]),)
    elif not sizes and compression == NONE:
        sizes = (grid.nbytes(grid.height),) * len(offsets)
    if len(sizes) < min(count, len(offsets)):
        raise decode_error(tiff.NAME, f"{len(offsets)} strip offsets but {len(sizes)} sizes")
    if len(offsets) < count:
        raise decode_error(tiff.NAME, f"{len(offsets)} strips or tiles", expected=f"{count}")
    ends = _ends(directory, offsets, sizes)
    extents = [
        (start, size or (ends[start] - start if start else 0))  # (0, 0) is a hole
        for start, size in zip(offsets[:count], sizes[:count], strict=True)
    ]
    used = sum(size for _, size in set(extents))  # writers may store equal tiles once
    if used > total and compression != NONE:
        raise decode_error(
            tiff.NAME,
            f"strips or tiles of {used} bytes in all",
            expected=f"{total} at most, the size of the data",
        )
    return extents


def _ends(
    directory: tiff.TiffDirectory, offsets: tuple[int, ...], sizes: tuple[int, ...]
) -> dict[int, int]:
    """Return where strips end whose writer left the sizes at 0: where the next thing starts."""
    total = len(directory.view)
    if all(sizes):
        return {}
    starts = {directory.start, total, *offsets, *(field.at for field in directory.fields.values())}
    following = sorted(start for start in starts if start <= total)
    return {
        start: following[min(bisect_right(following, start), len(following) - 1)]
        for start in offsets
    }


def check_strip(
    directory: tiff.TiffDirectory, grid: StripGrid, compression: int, strip: Strip
) -> None:
    """Raise for damage that the library passes over, and for a size that is not the picture's."""
    data = directory.view[strip.start : strip.start + strip.size]
    try:
        if compression == FAX_GROUP_4:
            _check_fax(data, is_mirrored=directory.value(tiff.FILL_ORDER) == _LOW_BIT_FIRST)
        elif compression in JPEGS:
            _check_jpeg(directory, data, grid, strip)
        elif compression in _HEADERS:
            _check_samples(_HEADERS[compression](data), grid)
    except DecodeError as error:
        raise damaged(strip, str(error)) from error


def damaged(strip: Strip, problem: str) -> DecodeError:
    """Return the error of a strip or tile."""
    words = problem.rstrip(".")
    return decode_error(
        tiff.NAME, f"strip or tile {strip.number} is damaged ({words})", at=strip.start
    )


def _check_fax(data: memoryview, *, is_mirrored: bool) -> None:
    """Raise for zeros inside the codes; zeros before the end codes fill bytes."""
    content = bytes(data).rstrip(b"\0")
    hole = content.find(_FAX_HOLE)
    if hole < 0:
        return
    rest = content[hole:].lstrip(b"\0")
    bits = "".join(f"{byte:08b}"[:: -1 if is_mirrored else 1] for byte in rest[:_END_BYTES])
    if len(rest) > _END_BYTES or not _FAX_END.fullmatch(bits):
        raise DecodeError(f"a run of zeros inside the CCITT data, {hole} bytes from its start")


def _check_jpeg(
    directory: tiff.TiffDirectory, data: memoryview, grid: StripGrid, strip: Strip
) -> None:
    """Check one strip together with the tables that all strips share."""
    tables = bytes(directory.values(tiff.JPEG_TABLES))[:-2]
    content = memoryview(tables + bytes(data[2:]) if tables else bytes(data))
    for marker, start, _ in jpeg.segments(content):
        if marker in _FRAMES:
            bits, height, width, components = read_fields(
                ">BHHB", content, start, jpeg.NAME, "the frame"
            )
            _check_size(height, width, grid, strip)
            if bits == 8 and components in (1, 3, 4) and marker in _PLAIN_FRAMES:
                header = jpeg.parse_header(content)
                turbojpeg.check_pixels(np.frombuffer(content, np.uint8), header)
            return
    raise DecodeError("no frame header before the first scan")


def _check_samples(header: ImageHeader, grid: StripGrid) -> None:
    """Raise for more samples than the strip has: some writers take its axes for other ones."""
    if header.height * header.width * header.channels > grid.height * grid.width * grid.samples:
        raise DecodeError(
            f"{header.width} x {header.height} pixels in {header.channels} channels; expected "
            f"{grid.width} x {grid.height} in {grid.samples}"
        )


def _check_size(height: int, width: int, grid: StripGrid, strip: Strip) -> None:
    least = strip.height, strip.width
    most = grid.height + _BLOCK, grid.width + _BLOCK
    if not (least[0] <= height < most[0] and least[1] <= width < most[1]):
        raise DecodeError(f"{width} x {height} pixels; expected {grid.width} x {strip.height}")
