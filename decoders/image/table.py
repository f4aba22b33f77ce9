"""The table of image formats, and the reading of headers through the table.

A new format is one module with the functions of an `ImageFormat`, and one row here. Code outside of
Penstock adds a row with `register_format`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, DecodeError
from ...engine.suggestions import listed
from ...formats import bundle
from ...formats.foreign import HEAD, foreign_file
from ..errors import EMPTY, decode_error
from .engines import turbojpeg
from .formats import (
    bmp,
    bmp_decode,
    gif,
    heif,
    jpeg,
    jpeg2000,
    jpegxl,
    png,
    pnm,
    tiff,
    tiff_decode,
    webp,
)
from .formats.base import CONVERT, SIGNATURE_BYTES, ImageFormat, ImageHeader, refuse_bomb

_BUILT_IN = (
    ImageFormat(
        jpeg.NAME,
        jpeg.recognize,
        jpeg.parse_header,
        turbojpeg.decode,
        turbojpeg.decodes_on_gpu,
        turbojpeg.REDUCTIONS,
    ),
    ImageFormat(png.NAME, png.recognize, png.parse_header, png.decode),
    ImageFormat(webp.NAME, webp.recognize, webp.parse_header, webp.decode),
    ImageFormat(tiff.NAME, tiff.recognize, tiff.parse_header, tiff_decode.decode),
    ImageFormat(jpeg2000.NAME, jpeg2000.recognize, jpeg2000.parse_header, jpeg2000.decode),
    ImageFormat(pnm.NAME, pnm.recognize, pnm.parse_header, pnm.decode),
    ImageFormat(bmp.NAME, bmp.recognize, bmp.parse_header, bmp_decode.decode),
    ImageFormat(heif.AVIF, heif.recognize_avif, heif.parse_avif, heif.decode),
    ImageFormat(heif.HEIF, heif.recognize_heif, heif.parse_heif, heif.decode),
    ImageFormat(jpegxl.NAME, jpegxl.recognize, jpegxl.parse_header, jpegxl.decode),
    ImageFormat(gif.NAME, gif.recognize, gif.parse_header, gif.decode),
)
FORMATS: dict[str, ImageFormat] = {row.name: row for row in _BUILT_IN}
"""Every format by its name; a file is of the first format that recognizes its first bytes."""

# The error names these formats, so that the user knows that the file is whole but unsupported.
_UNSUPPORTED: dict[str, Callable[[bytes], bool]] = {
    "JPEG XR": lambda head: head[:3] == b"II\xbc",
    "OpenEXR": lambda head: head[:4] == b"v/1\x01",
    "Radiance HDR": lambda head: head[:2] == b"#?",
}


def register_format(row: ImageFormat) -> ImageFormat:
    """Add an image format; all image decoders know the format from then on.

    Call this when the module that defines the format is imported. Worker processes import that
    module, too, so the functions of the format must be importable.

    Raises:
        ArgumentError: the table has a format of this name.
    """
    if row.name in FORMATS:
        raise ArgumentError(f"there is an image format named {row.name!r} already")
    FORMATS[row.name] = row
    return row


def added_formats() -> tuple[ImageFormat, ...]:
    """Return the formats that `register_format` added."""
    return tuple(FORMATS.values())[len(_BUILT_IN) :]


def is_lasting(header: ImageHeader) -> bool:
    """Whether a file gives the same pixels in another program.

    The program's own formats may change without a sign that could enter the key.
    """
    return header.format not in {row.name for row in added_formats()}


def restore_formats(rows: tuple[ImageFormat, ...]) -> None:
    """Add formats of another process, unless the import of their modules has added them."""
    for row in rows:
        FORMATS.setdefault(row.name, row)


def read_header(data: NDArray[np.uint8]) -> ImageHeader:
    """Read the header of an encoded image.

    Args:
        data: the whole encoded file, uint8, one dimension, C-contiguous.

    Raises:
        DecodeError: the bytes are no image of a supported format, or the header is damaged.

    >>> pixels = b"P5 4 2 255 " + bytes(8)
    >>> read_header(np.frombuffer(pixels, np.uint8))
    ImageHeader(format='PNM', height=2, width=4, channels=1, bits=8, orientation=1, space='')
    """
    view = data.data
    if view.format != "B" or view.ndim != 1 or not view.contiguous:
        raise TypeError(
            "encoded data must be a contiguous one-dimensional array of uint8, not "
            f"{view.ndim} dimensions of type {view.format!r}; pass the reader's output that "
            "holds the encoded files"
        )
    head = bytes(view[:SIGNATURE_BYTES])
    for row in FORMATS.values():
        if row.recognize(head):
            return row.parse_header(view)
    raise _refusal(head, view)


def read_decodable_header(data: NDArray[np.uint8]) -> ImageHeader:
    """Read the header of an encoded image; refuse an image of more than `MAX_PIXELS` pixels."""
    header = read_header(data)
    refuse_bomb(header.format, header.height, header.width)
    return header


def _refusal(head: bytes, view: memoryview) -> DecodeError:
    supported, size = listed(FORMATS, "or"), len(view)
    if size == 0:
        return decode_error("image", "no data (0 bytes)", expected=supported, remedy=EMPTY)
    if head.startswith(bundle.MAGIC):
        return DecodeError(
            "image: the sample is a list of files, not one; decode it by fn.decoders.image_list"
        )
    if title := foreign_file("", bytes(view[:HEAD])):
        what, _, remedy = title.partition("; ")
        return decode_error("image", f"the sample is {what}", expected=supported, remedy=remedy)
    for name, recognize in _UNSUPPORTED.items():
        if recognize(head):
            return decode_error(
                name, "this format is not supported", at=0, expected=supported, remedy=CONVERT
            )
    return decode_error(
        "image",
        f"unknown format, the {size} bytes start with {head!r}",
        at=0,
        expected=supported,
        remedy="Check that the sample is an image and that the reader reads the right component.",
    )
