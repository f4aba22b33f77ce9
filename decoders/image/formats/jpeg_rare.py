"""Decode JPEG of rare forms: lossless, of more than 8 bits a sample (medicine, science), and inks
whose subsampling TurboJPEG has no name for.

libjpeg-turbo decodes them as they are stored, without conversion of the color and without
reduction. Lossless files of 8 bits need no other library. imagecodecs decodes the others; it hides
the warnings of libjpeg-turbo, so that this module looks for missing data on its own.

Source: ITU-T T.81, annexes F and H.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import simplejpeg

from ....engine.arrays import Array, Bytes
from ...errors import decode_error
from ..engines import codecs
from . import jpeg
from .base import CONVERT, DecodeRequest, ImageHeader, StoredImage

_END_OF_IMAGE = b"\xff\xd9"
_FILLERS = (b"\x55\x55", b"\xaa\xaa")  # two bytes fit into the decoder's buffer unseen


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file; reduce the picture by averages if the request says so.

    Raises:
        DecodeError: pixels are missing, or there are four components.
        MissingDependencyError: imagecodecs is missing.
    """
    if header.channels not in (1, 3):
        raise decode_error(
            jpeg.NAME,
            f"{header.channels} components of {header.bits} bits, or lossless",
            expected="1 or 3",
            remedy=CONVERT,
        )
    space = "GRAY" if header.channels == 1 else "RGB"
    if header.bits == 8:
        pixels = _lossless(data, space)
    else:
        refuse_cut(data, _by_imagecodecs)
        pixels = _by_imagecodecs(data)
    pixels = _reduced(pixels, header, request.scale)
    return StoredImage(pixels, space, white=(1 << header.bits) - 1)


def inks(data: Bytes, header: ImageHeader, scale: int) -> Array:
    """Return the inks of a file as they are stored, HWC, reduced by averages.

    Raises:
        DecodeError: pixels are missing.
        MissingDependencyError: imagecodecs is missing.
    """
    refuse_cut(data, _by_imagecodecs)
    return _reduced(_by_imagecodecs(data), header, scale)


def _reduced(pixels: Array, header: ImageHeader, scale: int) -> Array:
    if scale == 1:
        return pixels
    size = (-(-header.width // scale), -(-header.height // scale))
    return cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)


def refuse_cut(data: Bytes, decode_file: Callable[[Any], Array]) -> None:
    """Raise if data is missing: then bytes behind the picture's data change the picture.

    Args:
        data: the whole file.
        decode_file: decodes a file without an error for missing data.

    Raises:
        DecodeError: the data end inside the picture.
    """
    file = data.tobytes()
    end = file.rfind(_END_OF_IMAGE)
    if end >= 0 and jpeg.has_end(data.data):
        one, other = (decode_file(file[:end] + filler + _END_OF_IMAGE) for filler in _FILLERS)
        if np.array_equal(one, other):
            return
    raise decode_error(jpeg.NAME, f"the data ends at byte {len(data)} inside the picture")


def _lossless(data: Bytes, space: str) -> Array:
    try:
        pixels: Array = simplejpeg.decode_jpeg(data, space)
    except ValueError as error:
        raise decode_error(jpeg.NAME, f"{error} (in {len(data)} bytes)") from None
    return pixels


def _by_imagecodecs(data: Any) -> Array:
    pixels: Array = codecs.decode(jpeg.NAME, data)
    return pixels
