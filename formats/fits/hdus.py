"""The way through a FITS file: from one header to the next, over the data between them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import prod

from ...engine.errors import DecodeError
from .header import BLOCK, FitsHeader, header_length
from .image import FitsImage, is_compressed, read_image
from .tiles import check_ratio

ReadRequests = Generator[tuple[int, int], bytes, list[FitsImage]]
"""Yields the offset and the length of bytes, is sent the bytes, and returns images."""

FIRST_READ_BYTES = 4 * BLOCK
"""Bytes that are read of a header at first."""

MAX_HEADER_BYTES = 16 << 20
"""Bytes of a header; instruments write some hundred thousand at most."""


def find_images(size: int, numbers: Sequence[int]) -> ReadRequests:
    """Find images of a file of `size` bytes, by the numbers of their HDUs, from 1 on.

    Raises:
        DecodeError: this is no FITS file; it is cut off, has no such HDU, or it holds no image.
    """
    images: dict[int, FitsImage] = {}
    at = held_at = 0
    held = b""
    for hdu in range(1, max(numbers) + 1):
        if at >= size:
            raise DecodeError(
                f"FITS: the HDU {hdu} is asked for, but the file has {hdu - 1}"
                if size
                else "no FITS file: it is empty"
            )
        while (length := header_length(held[at - held_at :])) is None:
            _check_beginning(held[at - held_at :], hdu)
            there = max(0, held_at + len(held) - at)
            if there >= min(size - at, MAX_HEADER_BYTES):
                raise DecodeError(
                    f"FITS: the header of HDU {hdu}, at offset {at}, has no END in "
                    f"{there} bytes: the file is cut off or damaged"
                )
            wanted = min(size - at, MAX_HEADER_BYTES, max(FIRST_READ_BYTES, 2 * there))
            held, held_at = (yield at, wanted), at
        _check_beginning(held[at - held_at :], hdu)
        header = FitsHeader(held[at - held_at : at - held_at + length])
        try:
            data = _data_size(header)
            if hdu in numbers:
                images[hdu] = _image(header, at, length, data, size)
        except DecodeError as error:
            raise DecodeError(f"HDU {hdu}, at offset {at}: {error}") from None
        at += length + -(-data // BLOCK) * BLOCK
    return [images[hdu] for hdu in numbers]


def _check_beginning(beginning: bytes, hdu: int) -> None:
    wanted = b"SIMPLE  =" if hdu == 1 else b"XTENSION="
    if beginning and not beginning.startswith(wanted):
        raise DecodeError(
            f"no FITS file: it begins with {beginning[:9]!r} instead of {wanted!r}"
            if hdu == 1
            else f"FITS: HDU {hdu} is missing: {beginning[:9]!r} follows HDU {hdu - 1} "
            f"instead of {wanted!r}"
        )


def _data_size(header: FitsHeader) -> int:
    """Return the bytes of an HDU's data, without padding."""
    axes = [header.integer(f"NAXIS{axis + 1}") for axis in range(_axes(header))]
    if header.flag("GROUPS") and axes[:1] == [0]:
        axes[0] = 1
    extra, groups = header.integer("PCOUNT", 0), header.integer("GCOUNT", 1)
    if min([extra, groups, *axes]) < 0:
        raise DecodeError("FITS: NAXISn, PCOUNT and GCOUNT must not be negative")
    elements = groups * (extra + prod(axes)) if axes else 0
    return abs(header.integer("BITPIX")) // 8 * elements


def _axes(header: FitsHeader) -> int:
    count = header.integer("NAXIS")
    if not 0 <= count <= 999:
        raise DecodeError(f"FITS: NAXIS is {count}; it must be from 0 to 999")
    return count


def _image(header: FitsHeader, at: int, length: int, data: int, size: int) -> FitsImage:
    image = read_image(header, at, at + length, data)
    needed = data if is_compressed(header) else image.nbytes
    if needed > size - at - length:
        raise DecodeError(
            f"FITS: the data take {needed} bytes, but {max(0, size - at - length)} follow the "
            "header: the file is cut off"
        )
    if image.compressed:
        check_ratio(image)
    return image
