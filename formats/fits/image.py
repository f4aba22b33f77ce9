"""Images in FITS files: what their headers say, and the numbers that their bytes stand for.

The stored numbers are big-endian. BSCALE and BZERO turn them into the image's numbers, of the type
that CFITSIO gives them. The unsigned types are stored as the signed ones, shifted by half of their
range, and int8 as uint8. If BLANK names an integer that stands for an unknown number, the numbers
are floats, and NaN in its place, as in Astropy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from ...engine.arrays import Array, DType
from ...engine.errors import DecodeError
from .header import FitsHeader

_STORED = {8: "u1", 16: ">i2", 32: ">i4", 64: ">i8", -32: ">f4", -64: ">f8"}
_SHIFTED = {
    (8, -128.0): "i1",
    (16, 2.0**15): "u2",
    (32, 2.0**31): "u4",
    (64, 2.0**63): "u8",
}
_MOST_DIMENSIONS = 32
_MOST_BYTES = (1 << 63) - 1
_AT_ONCE = 1 << 16  # elements that are scaled at once: their float64 stay in the cache


@dataclass(frozen=True)
class FitsImage:
    """An image of a file.

    Attributes:
        shape: shape of the image, the axis that runs fastest last.
        stored: type of the stored numbers.
        dtype: type of the image's numbers, in native byte order.
        scale, zero: number = scale * stored number + zero.
        offset, size: place of its bytes in the file; of a compressed image, that of the whole HDU.
        compressed: whether tiles are compressed: see `tiles`.
        blank: the stored number that stands for NaN; None without one.
    """

    shape: tuple[int, ...]
    stored: DType
    dtype: DType
    scale: float
    zero: float
    offset: int
    size: int
    compressed: bool
    blank: int | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the stored numbers, not compressed."""
        return prod(self.shape) * self.stored.itemsize

    @property
    def in_place(self) -> bool:
        """Whether the stored bytes become the numbers in one memory: see `complete`."""
        shifted = _SHIFTED.get((_bitpix(self.stored), self.zero))
        return self.blank is None and self.scale == 1 and (self.zero == 0 or shifted is not None)

    def complete(self, numbers: Array) -> None:
        """Turn the stored bytes into numbers, in place; `in_place` must be true.

        Args:
            numbers: array of the image's type, with the file's bytes; C-contiguous.
        """
        if numbers.itemsize > 1:
            numbers.byteswap(inplace=True)
        if self.zero:
            bits = numbers.view(f"u{numbers.itemsize}")
            np.bitwise_xor(bits, bits.dtype.type(1 << (8 * bits.itemsize - 1)), out=bits)

    def convert(self, stored: Array, numbers: Array) -> None:
        """Write the numbers that stored ones stand for.

        Args:
            stored: numbers of the type `stored`, in any byte order.
            numbers: array to be filled: of the image's shape and type; C-contiguous.
        """
        if self.in_place:
            numbers.view(stored.dtype.newbyteorder(">"))[...] = stored
            self.complete(numbers)
            return
        source, target = stored.reshape(-1), numbers.reshape(-1)
        for at in range(0, target.size, _AT_ONCE):
            part = source[at : at + _AT_ONCE]
            values = part.astype(np.float64) * self.scale + self.zero
            if self.blank is not None:
                values[part == self.blank] = np.nan
            target[at : at + _AT_ONCE] = values


def read_image(header: FitsHeader, offset: int, data: int, size: int) -> FitsImage:
    """Return the image that a header describes.

    Args:
        header: header of the HDU.
        offset, data: positions in the file of the header, and of the data that follow.
        size: size of the data in bytes.

    Raises:
        DecodeError: the HDU holds no image, or its header contradicts itself.
    """
    compressed = is_compressed(header)
    if not compressed and header.text("XTENSION") not in ("", "IMAGE", "IUEIMAGE"):
        raise DecodeError(
            f"FITS: the HDU is of the type {header.text('XTENSION')!r}, which is no image"
        )
    z = "Z" if compressed else ""
    bitpix = header.integer(f"{z}BITPIX")
    if bitpix not in _STORED:
        raise DecodeError(f"FITS: {z}BITPIX is {bitpix}; it must be one of {[*_STORED]}")
    count = header.integer(f"{z}NAXIS")
    if not 0 < count <= _MOST_DIMENSIONS:
        raise DecodeError(
            f"FITS: the image has {count} axes; from 1 to {_MOST_DIMENSIONS} are read. Often the "
            "first HDU is empty, and hdu_indices=[2] is the image"
        )
    shape = tuple(header.integer(f"{z}NAXIS{axis}") for axis in range(count, 0, -1))
    stored = np.dtype(_STORED[bitpix])
    if min(shape) < 0 or prod(max(n, 1) for n in shape) * stored.itemsize > _MOST_BYTES:
        raise DecodeError(f"FITS: an image of the shape {shape} cannot be")
    scale, zero = header.number("BSCALE", 1.0), header.number("BZERO", 0.0)
    blank = _blank(header, bitpix, scale, zero)
    dtype = _type_of_numbers(bitpix, scale, zero, blank)
    extent = (offset, data - offset + size) if compressed else (data, 0)
    image = FitsImage(shape, stored, dtype, scale, zero, *extent, compressed, blank)
    if compressed:
        return image
    if size < image.nbytes or header.flag("GROUPS"):
        raise DecodeError("FITS: random groups are no image; only images are read")
    return replace(image, size=image.nbytes)


def is_compressed(header: FitsHeader) -> bool:
    """Return whether a header is of an image that is stored as a table of compressed tiles."""
    return header.text("XTENSION") in ("BINTABLE", "A3DTABLE") and header.flag("ZIMAGE")


def _bitpix(stored: DType) -> int:
    return (-8 if stored.kind == "f" else 8) * stored.itemsize


def _blank(header: FitsHeader, bitpix: int, scale: float, zero: float) -> int | None:
    """Return the integer that stands for NaN; None in images of floats and of unsigned types."""
    if bitpix < 0 or (scale == 1 and (bitpix, zero) in _SHIFTED):
        return None
    try:
        return header.integer("BLANK")
    except DecodeError:  # there is none, or it is no integer and stands for nothing
        return None


def _type_of_numbers(bitpix: int, scale: float, zero: float, blank: int | None) -> DType:
    """Return the smallest type that holds all numbers that can be."""
    plain = np.dtype(_STORED[bitpix]).newbyteorder("=")
    if blank is not None:
        return np.dtype(np.float32 if bitpix <= 16 else np.float64)
    if bitpix < 0 or (scale == 1 and zero == 0):
        return plain
    if scale == 1 and (bitpix, zero) in _SHIFTED:
        return np.dtype(_SHIFTED[bitpix, zero])
    if bitpix == 64:
        return np.dtype(np.float64)
    whole = scale == int(scale) and zero == int(zero) and zero <= 2.0**31
    if not whole:
        return np.dtype(np.float32 if bitpix <= 16 else np.float64)
    limits = np.iinfo(plain)
    ends = [scale * float(end) + zero for end in (limits.min, limits.max)]
    for name in ("i2", "u2", "i4", "u4"):
        if np.iinfo(name).min <= min(ends) and max(ends) <= np.iinfo(name).max:
            return np.dtype(name)
    return np.dtype(np.float64)
