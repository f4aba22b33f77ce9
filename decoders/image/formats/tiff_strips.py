"""Check that every strip or tile of a TIFF decodes to its full size.

OpenCV ignores the errors of libtiff for 8-bit images: a strip that cannot be decoded comes out
black. So each strip is checked before. In times of OpenCV's own decode the check takes 0.6 (JPEG
in TIFF), 0.9 (Deflate), 1.2 (PackBits) and 3.6 (LZW).

Strips of LZW are checked after the decode, if possible: the end of a strip that cannot be decoded
comes out as zeros, so that only strips whose last sample is zero need the check.

CCITT fax compression (3 and 4) has no checksum, and its decoders continue behind wrong codes, in
other libraries as well. Of such a strip the extent in the file is checked. Group 4 (4) is searched
for zeros, too: 14 in a row at most occur in valid data, before the code that ends a strip.

Source: TIFF 6.0 (Adobe, 1992), sections 9, 13 and 15; TIFF Technical Note 2 (JPEG); ITU-T T.6.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Container
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.errors import DecodeError
from ...errors import decode_error
from ..engines import turbojpeg
from . import jpeg, tiff
from .base import ImageHeader, need
from .tiff_lzw import lzw_length

_NONE, _LZW, _JPEG = 1, 5, 7
_PLAIN_FORMS = ((1, 1), (3, 2))  # samples and photometric interpretation of gray and RGB
_FAX, _FAX_GROUP_4 = (3, 4), 4
_FAX_HOLE = b"\0\0"  # no valid sequence of Group 4 codes has so many zeros
_PACKBITS_PADDING = b"\0\x80"  # a zero fills up to an even size; 0x80 stands for nothing
_BIT_REVERSED = 2  # fill order
_CHUNK = 1 << 14  # Deflate expands a thousandfold at most: 16 MiB at a time
_REVERSED_BITS = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class StripGrid(NamedTuple):
    """The shape of the strips or tiles of an image.

    Attributes:
        total: number of strips or tiles.
        nbytes: decoded size of a strip or tile that lies inside the image.
        last_nbytes: decoded size of the last strip of each plane.
        per_plane: number of strips of a plane.
        height, width: of a strip or tile in pixels.
    """

    total: int
    nbytes: int
    last_nbytes: int
    per_plane: int
    height: int
    width: int

    def nbytes_of(self, number: int) -> int:
        """Return the decoded size of one strip or tile."""
        is_last = number % self.per_plane == self.per_plane - 1
        return self.last_nbytes if is_last else self.nbytes


def check_strips(
    directory: tiff.TiffDirectory, header: ImageHeader, numbers: Container[int] | None = None
) -> None:
    """Raise DecodeError unless every strip or tile is there and decodes to its full size.

    Args:
        directory: of the image.
        header: of the image.
        numbers: of the strips whose decoded size is checked; None for all.
    """
    compression = directory.value(tiff.COMPRESSION, _NONE)
    if compression not in (_NONE, _JPEG, *_FAX, *_LENGTHS):
        raise decode_error(
            tiff.NAME,
            f"compression {compression} is not supported",
            expected="none (1), CCITT fax (3, 4), LZW (5), JPEG (7), Deflate (8, 32946) or "
            "PackBits (32773)",
            remedy="Convert the file to one of these, or to PNG.",
        )
    grid = _grid(directory, header)
    for number, (start, size) in enumerate(_extents(directory, grid.total)):
        need(directory.view, start + size, tiff.NAME, f"strip or tile {number}")
        if numbers is not None and number not in numbers:
            continue
        strip = directory.view[start : start + size]
        if compression == _JPEG:
            _check_jpeg(directory, strip, grid, number, start)
        elif compression == _FAX_GROUP_4:
            _check_fax(strip, number, start)
        elif compression not in _FAX:
            _check_length(directory, compression, strip, grid.nbytes_of(number), number, start)


def shows_lost_ends(directory: tiff.TiffDirectory, header: ImageHeader) -> bool:
    """Return whether a strip that decodes in part has a zero as last sample of the pixels.

    That holds for strips of 8-bit gray and RGB, where libtiff fills the rest of a strip with zeros,
    and neither a palette nor an inversion changes the zeros.
    """
    form = header.channels, directory.value(tiff.PHOTOMETRIC, tiff.MIN_IS_WHITE)
    return (
        directory.value(tiff.COMPRESSION, _NONE) == _LZW
        and header.bits == 8
        and form in _PLAIN_FORMS
        and directory.value(tiff.PLANAR, 1) == 1
        and tiff.TILE_OFFSETS not in directory.fields
    )


def doubtful_strips(
    directory: tiff.TiffDirectory, header: ImageHeader, pixels: NDArray[Any]
) -> list[int]:
    """Return the numbers of the strips whose last sample is zero in OpenCV's pixels."""
    grid = _grid(directory, header)
    ends = np.arange(1, grid.total + 1) * grid.height
    last = pixels[np.minimum(ends, header.height) - 1, -1].reshape(grid.total, -1)
    numbers: list[int] = np.flatnonzero(last[:, 0] == 0).tolist()  # blue comes first
    return numbers


def _grid(directory: tiff.TiffDirectory, header: ImageHeader) -> StripGrid:
    samples = directory.value(tiff.SAMPLES, 1)
    is_planar = directory.value(tiff.PLANAR, 1) == 2 and samples > 1
    planes, per_pixel = (samples, 1) if is_planar else (1, samples)
    bits = directory.value(tiff.BITS, 1)

    def nbytes(height: int, width: int) -> int:
        if directory.value(tiff.PHOTOMETRIC, 1) == tiff.YCBCR and not is_planar:
            across, down = (*directory.values(tiff.SUBSAMPLING), 2, 2)[:2]
            if across and down:
                return -(-height // down) * -(-width // across) * (across * down + 2) * bits // 8
        return height * ((width * per_pixel * bits + 7) // 8)

    if tiff.TILE_OFFSETS in directory.fields and tiff.STRIP_OFFSETS not in directory.fields:
        height, width = directory.value(tiff.TILE_HEIGHT, 0), directory.value(tiff.TILE_WIDTH, 0)
        if height < 1 or width < 1:
            raise decode_error(tiff.NAME, f"tiles of {width} x {height} pixels")
        per_plane = -(-header.height // height) * -(-header.width // width)
        last = nbytes(height, width)
    else:
        width = header.width
        height = min(directory.value(tiff.STRIP_LINES, header.height), header.height) or 1
        per_plane = -(-header.height // height)
        last = nbytes(header.height - (per_plane - 1) * height, width)
    return StripGrid(planes * per_plane, nbytes(height, width), last, per_plane, height, width)


def _extents(directory: tiff.TiffDirectory, count: int) -> list[tuple[int, int]]:
    """Return (offset, size) of each strip or tile; refuse more data than the file has."""
    offsets = directory.values(tiff.STRIP_OFFSETS) or directory.values(tiff.TILE_OFFSETS)
    sizes = directory.values(tiff.STRIP_SIZES) or directory.values(tiff.TILE_SIZES)
    total = len(directory.view)
    if not offsets:
        raise decode_error(
            tiff.NAME, "no pixel data", expected="strip or tile offsets (tag 273 or 324)"
        )
    if not sizes and len(offsets) == 1:
        sizes = (max(0, total - offsets[0]),)
    if len(sizes) != len(offsets):
        raise decode_error(tiff.NAME, f"{len(offsets)} strip offsets but {len(sizes)} sizes")
    if len(offsets) < count:
        raise decode_error(tiff.NAME, f"{len(offsets)} strips or tiles", expected=f"{count}")
    extents = list(zip(offsets[:count], sizes[:count], strict=True))
    used = sum(size for _, size in set(extents))  # writers may store equal tiles once
    if used > total:
        raise decode_error(
            tiff.NAME,
            f"strips or tiles of {used} bytes in all",
            expected=f"{total} at most, the size of the data",
        )
    return extents


def _check_length(
    directory: tiff.TiffDirectory,
    compression: int,
    strip: memoryview,
    nbytes: int,
    number: int,
    start: int,
) -> None:
    if compression == _NONE:
        length = len(strip)
    else:
        if directory.value(tiff.FILL_ORDER, 1) == _BIT_REVERSED:
            strip = memoryview(bytes(strip).translate(_REVERSED_BITS))
        try:
            length = _LENGTHS[compression](strip, nbytes)
        except ValueError as error:
            raise decode_error(
                tiff.NAME, f"strip or tile {number} is damaged ({error})", at=start
            ) from error
    if length < nbytes:
        raise decode_error(
            tiff.NAME,
            f"strip or tile {number} holds {length} bytes",
            at=start,
            expected=f"{nbytes} bytes of pixels",
        )


def _check_fax(strip: memoryview, number: int, start: int) -> None:
    hole = bytes(strip).rstrip(b"\0").find(_FAX_HOLE)
    if hole >= 0:
        raise decode_error(
            tiff.NAME,
            f"strip or tile {number} is damaged (a run of zeros inside the CCITT data)",
            at=start + hole,
        )


def _deflate_length(strip: memoryview, nbytes: int) -> int:
    decoder = zlib.decompressobj()
    length = 0
    try:
        for offset in range(0, len(strip), _CHUNK):
            length += len(decoder.decompress(strip[offset : offset + _CHUNK]))
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not decoder.eof:
        raise ValueError("the compressed data are cut off")
    return length


def _packbits_length(strip: memoryview, nbytes: int) -> int:
    data, length, offset, end = bytes(strip), 0, 0, len(strip)
    while length < nbytes and offset < end:
        head = data[offset]
        if head < 128:
            offset += head + 2
            length += head + 1
        elif head > 128:
            offset += 2
            length += 257 - head
        else:
            offset += 1
    if offset > end:
        raise ValueError("the compressed data are cut off")
    if length > nbytes:
        raise ValueError("the last run goes beyond the end of the pixels")
    if data[offset:].strip(_PACKBITS_PADDING):
        raise ValueError(f"the pixels end at byte {offset} of {end}")
    return length


def _check_jpeg(
    directory: tiff.TiffDirectory, strip: memoryview, grid: StripGrid, number: int, start: int
) -> None:
    """Decode one strip together with the tables that all strips share."""
    tables = bytes(directory.values(tiff.JPEG_TABLES))[:-2]
    data = tables + bytes(strip[2:]) if tables else bytes(strip)
    try:
        header = jpeg.parse_header(memoryview(data))
        turbojpeg.check_pixels(np.frombuffer(data, np.uint8), header)
    except DecodeError as error:
        raise decode_error(
            tiff.NAME, f"strip or tile {number} is damaged ({error})", at=start
        ) from error
    height = grid.height
    if grid.nbytes_of(number) != grid.nbytes:
        height = height * grid.nbytes_of(number) // grid.nbytes
    if header.height < height or header.width < grid.width:
        raise decode_error(
            tiff.NAME,
            f"strip or tile {number} has {header.width} x {header.height} pixels",
            at=start,
            expected=f"{grid.width} x {height}",
        )


_LENGTHS: dict[int, Callable[[memoryview, int], int]] = {
    _LZW: lzw_length,
    8: _deflate_length,
    32773: _packbits_length,
    32946: _deflate_length,
}
"""Functions that return the decoded length of a strip, by compression. They may stop at the length
that is needed, and raise ValueError for damaged data."""
