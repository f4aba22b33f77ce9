"""Decode TIFF: prepare the data for OpenCV, and do what OpenCV does not.

OpenCV's reader turns 8-bit images upright whatever the flags say, multiplies colors by an
unassociated alpha, and returns black pixels without an error for a strip that cannot be decoded.
"""

from __future__ import annotations

import struct
from typing import Any

import cv2
from numpy.typing import NDArray

from ...errors import decode_error
from ..engines import opencv
from . import tiff, tiff_strips
from .base import CONVERT, Data, DecodeRequest, ImageHeader, StoredImage

_UPRIGHT = 1
_ASSOCIATED_ALPHA = 1


def decode(data: Data, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode the first image of a file.

    Raises:
        DecodeError: a strip or tile is outside the data or damaged, or the form of the file is
            not supported.
    """
    if request.output == "GRAYA":
        raise decode_error(
            tiff.NAME,
            "gray with alpha as stored (ANY_DATA) is not supported",
            expected="output RGB, BGR, GRAY or YCbCr, which leave alpha out",
            remedy=CONVERT,
        )
    directory = tiff.read_directory(data.data)
    tiff.refuse_unsupported(directory, header)
    is_checked_late = tiff_strips.shows_lost_ends(directory, header)
    tiff_strips.check_strips(directory, header, () if is_checked_late else None)
    pixels = opencv.imdecode(_prepared(directory), cv2.IMREAD_UNCHANGED, header)
    image = opencv.checked_image(_finished(pixels, directory), header)
    if is_checked_late:
        doubtful = tiff_strips.doubtful_strips(directory, header, image.pixels)
        tiff_strips.check_strips(directory, header, doubtful)
    return image


def _prepared(directory: tiff.TiffDirectory) -> bytearray | memoryview:
    """Return the file, or a copy that says: upright, and colors are weighted by alpha already."""
    wanted = {tiff.ORIENTATION: _UPRIGHT, tiff.EXTRA_SAMPLES: _ASSOCIATED_ALPHA}
    changes = {tag: value for tag, value in wanted.items() if directory.value(tag, value) != value}
    if not changes:
        return directory.view
    copy = bytearray(directory.view)
    for tag, value in changes.items():
        field = directory.fields[tag]
        struct.pack_into(directory.order + field.code, copy, field.at, value)
    return copy


def _finished(pixels: NDArray[Any], directory: tiff.TiffDirectory) -> NDArray[Any]:
    """Invert deep samples whose zero means white: the library inverts only shallow ones."""
    is_deep_integer = pixels.dtype.kind == "u" and pixels.dtype.itemsize > 1
    if is_deep_integer and directory.value(tiff.PHOTOMETRIC, 1) == tiff.MIN_IS_WHITE:
        return cv2.bitwise_not(pixels)
    return pixels
