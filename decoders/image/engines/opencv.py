"""Decode with OpenCV: PNG, WebP, and JPEG of rare forms.

OpenCV logs each damaged file on standard error.
Penstock raises these failures as errors, so this module silences the log when it is imported. The
level of the log holds for the whole process: OpenCV has no level for a thread or a call. A program
that chose a level, by the variable OPENCV_LOG_LEVEL or by `cv2.setLogLevel`, keeps its own.
"""

from __future__ import annotations

import os
from typing import Any

import cv2
import numpy as np

from ....engine.arrays import Array
from ...errors import FETCH_AGAIN, decode_error
from ..color import space_of_channels
from ..formats.base import DecodeRequest, ImageHeader, StoredImage

_LOG_FATAL, _LOG_WARNING = 1, 3  # OpenCV's numbers of levels; older releases have no names
_SPACE_OF_IMAGE = {1: "GRAY", 3: "BGR", 4: "BGRA"}
_STORED = cv2.IMREAD_ANYCOLOR | cv2.IMREAD_ANYDEPTH | cv2.IMREAD_IGNORE_ORIENTATION
_GRAY = cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION


def silence_log() -> None:
    """Log fatal errors only, unless the program chose another level than OpenCV's default."""
    log = getattr(cv2.utils, "logging", cv2)  # the functions moved with OpenCV 4.13
    level = getattr(log, "getLogLevel", lambda: None)()  # some builds have no log
    if "OPENCV_LOG_LEVEL" not in os.environ and level == _LOG_WARNING:
        log.setLogLevel(_LOG_FATAL)


def decode(data: object, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file, in the file's dtype: see `ImageFormat.decode_cpu`."""
    return checked_image(imdecode(data, _flags(header, request.output), header), header)


def checked_image(pixels: Array, header: ImageHeader) -> StoredImage:
    """Return the pixels with their color space; raise unless they have the header's size."""
    space = _SPACE_OF_IMAGE.get(1 if pixels.ndim == 2 else pixels.shape[2], "")
    if pixels.shape[:2] != (header.height, header.width) or not space:
        raise decode_error(
            header.format,
            f"the library decoded {pixels.shape}",
            expected=f"{header.height} x {header.width} pixels as the header says",
        )
    return StoredImage(pixels, space)


def _flags(header: ImageHeader, output: str) -> int:
    if output in ("GRAYA", "RGBA"):
        return cv2.IMREAD_UNCHANGED
    if output == "GRAY" and header.bits <= 8:
        return _GRAY  # the format libraries' own weights, as DALI takes them
    return _STORED


def imdecode(data: Any, flags: int, header: ImageHeader) -> Array:
    """Call `cv2.imdecode`; raise `DecodeError` for both of its failures, None and `cv2.error`."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        raise decode_error(
            header.format, f"OpenCV cannot decode the data ({error.err})", remedy=FETCH_AGAIN
        ) from error
    if image is None:
        raise decode_error(
            header.format,
            f"OpenCV cannot decode the data: {header.width} x {header.height} pixels, "
            f"{space_of_channels(header.channels)}, {header.bits} bits; "
            "the file is damaged or of an unsupported form",
            remedy="Fetch it again, leave it out, or convert it, for instance to PNG.",
        )
    return image


silence_log()
