"""Decode everything but JPEG with OpenCV."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from . import tiff
from .colour import SPACE_OF_CHANNELS
from .formats import jpeg2000, png
from .formats import tiff as tiff_format
from .formats.base import CONVERT, FETCH_AGAIN, Header, decode_error

_SPACE_OF_IMAGE = {1: "GRAY", 3: "BGR", 4: "BGRA"}
_STORED = cv2.IMREAD_ANYCOLOR | cv2.IMREAD_ANYDEPTH | cv2.IMREAD_IGNORE_ORIENTATION
_GREY = cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION


def decode_stored(data: NDArray[np.uint8], header: Header, output: str) -> tuple[NDArray[Any], str]:
    """Decode as stored, in the file's sample type: (HW or HWC image, its colour space).

    ``output`` chooses only what is cheapest to turn into it: with or without alpha, or grey.
    """
    if header.format == tiff_format.NAME:
        image = _decode_tiff(data, header, output)
    elif header.format == jpeg2000.NAME:
        image = call_imdecode(jpeg2000.as_jp2(data.data, header), _flags(header, output), header)
    else:
        image = call_imdecode(data, _flags(header, output), header)
    space = _SPACE_OF_IMAGE.get(1 if image.ndim == 2 else image.shape[2], "")
    if image.shape[:2] != (header.height, header.width) or not space:
        raise decode_error(
            header.format,
            f"the library decoded {image.shape}",
            expected=f"{header.height} x {header.width} pixels as the header says",
        )
    return image, space


def _flags(header: Header, output: str) -> int:
    if output in ("GRAYA", "RGBA"):
        return cv2.IMREAD_UNCHANGED
    if output == "GRAY" and header.bits <= 8:
        return _GREY  # the format libraries' own weights, as DALI takes them
    return _STORED


def _decode_tiff(data: NDArray[np.uint8], header: Header, output: str) -> NDArray[Any]:
    if output == "GRAYA":
        raise decode_error(
            header.format,
            "grey with alpha as stored (ANY_DATA) is not supported",
            expected="output RGB, BGR, GRAY or YCbCr, which leave alpha out",
            remedy=CONVERT,
        )
    view = data.data
    image = call_imdecode(tiff.prepared(view, header), cv2.IMREAD_UNCHANGED, header)
    return tiff.finished(image, view)


def call_imdecode(data: Any, flags: int, header: Header) -> NDArray[Any]:
    """`cv2.imdecode` with both kinds of its failure, None and `cv2.error`, as `DecodeError`."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        raise decode_error(
            header.format, f"OpenCV cannot decode the data ({error.err})", remedy=FETCH_AGAIN
        ) from error
    if image is None:
        if header.format == png.NAME:
            png.refuse_damage(memoryview(data))
        raise decode_error(
            header.format,
            f"OpenCV cannot decode the data: {header.width} x {header.height} pixels, "
            f"{SPACE_OF_CHANNELS[header.channels]}, {header.bits} bits; "
            "it is damaged or of an unsupported kind",
            remedy="Fetch it again, leave it out, or convert it, for instance to PNG.",
        )
    return image
