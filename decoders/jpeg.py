"""Decode JPEG with libjpeg-turbo: its default, accurate inverse DCT and smooth upsampling."""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray

from . import jpeg_rows
from .formats import jpeg
from .formats.base import CONVERT, Header, decode_error
from .generic import call_imdecode

CMYK_CHANNELS = 4
SCALES = (8, 4, 2)  # the reductions that libjpeg-turbo does faster than a full decode

# What simplejpeg refuses, although libjpeg, which OpenCV calls too, decodes the picture well:
# TurboJPEG has names for the usual chroma subsamplings only, and takes any warning for an error.
# All other warnings mean damaged pixels.
_NEEDLESS = (
    "Could not determine subsampling",
    "unknown JFIF revision",
    "Unknown Adobe color transform",
)

_REDUCED_FLAGS = {
    ("GRAY", 1): cv2.IMREAD_GRAYSCALE,
    ("GRAY", 2): cv2.IMREAD_REDUCED_GRAYSCALE_2,
    ("GRAY", 4): cv2.IMREAD_REDUCED_GRAYSCALE_4,
    ("GRAY", 8): cv2.IMREAD_REDUCED_GRAYSCALE_8,
    ("COLOUR", 1): cv2.IMREAD_COLOR,
    ("COLOUR", 2): cv2.IMREAD_REDUCED_COLOR_2,
    ("COLOUR", 4): cv2.IMREAD_REDUCED_COLOR_4,
    ("COLOUR", 8): cv2.IMREAD_REDUCED_COLOR_8,
}


def space_for(header: Header, output: str) -> str:
    """The colour space that this module best decodes to when ``output`` is wanted."""
    if header.channels == CMYK_CHANNELS:
        return "CMYK" if output == "CMYK" else "RGB"
    if output in ("RGB", "BGR", "GRAY"):
        return output
    return "GRAY" if header.channels == 1 else "RGB"


def scaled_size(header: Header, scale: int) -> tuple[int, int]:
    """(height, width) as stored, after a reduction by ``scale``: halves round up."""
    return -(-header.height // scale), -(-header.width // scale)


class Effort(NamedTuple):
    """How much of the picture to decode.

    Attributes:
        scale: how many times smaller to decode it; 1 or one of `SCALES`.
        smooth: whether colours are interpolated between their samples.
        last: rows from this one on (in pixels before the reduction) may be left as they are.
    """

    scale: int
    smooth: bool
    last: int


def decode_into(
    data: NDArray[np.uint8], header: Header, space: str, effort: Effort, out: NDArray[Any]
) -> None:
    """Decode into ``out`` (HWC, uint8, contiguous, of `scaled_size`), as stored.

    Raises:
        DecodeError: the data is damaged or cut off, even where a picture could be guessed.
    """
    if header.channels == CMYK_CHANNELS and space != "CMYK":
        inks = np.empty((*out.shape[:2], CMYK_CHANNELS), np.uint8)
        decode_into(data, header, "CMYK", effort, inks)
        cmyk_to_rgb(inks, jpeg.is_adobe(data.data), out)
        return
    if _decode_upper(data, header, space, effort, out):
        return
    try:
        _decode(data, space, effort, out)
    except ValueError as error:
        _decode_oddity(data, header, space, effort.scale, out, str(error))


def cmyk_to_rgb(inks: NDArray[np.uint8], is_inverted: bool, out: NDArray[np.uint8]) -> None:
    """Mix the inks on white paper: R = (255 - C)(255 - K) / 255, and so on.

    Files that Adobe marked store 255 for no ink, others 0.
    """
    light = inks if is_inverted else cv2.bitwise_not(inks)
    black = cv2.cvtColor(cv2.extractChannel(light, 3), cv2.COLOR_GRAY2BGR)
    cv2.multiply(cv2.cvtColor(light, cv2.COLOR_BGRA2BGR), black, dst=out, scale=1 / 255)


def _decode_upper(
    data: NDArray[np.uint8], header: Header, space: str, effort: Effort, out: NDArray[Any]
) -> bool:
    """Decode no more rows than needed; False where all of them have to be decoded."""
    upper = jpeg_rows.shortened(data, header.height, effort.last, effort.scale)
    if upper is None:
        return False
    shorter, rows = upper
    try:
        _decode(shorter, space, effort, out[: -(-rows // effort.scale)])
    except ValueError as error:
        return jpeg_rows.is_only_shortened(str(error))
    return True


def _decode(data: NDArray[np.uint8], space: str, effort: Effort, out: NDArray[Any]) -> None:
    fast = not effort.smooth
    if effort.scale == 1:
        simplejpeg.decode_jpeg(data, space, fastupsample=fast, buffer=out)
        return
    height, width = out.shape[:2]
    simplejpeg.decode_jpeg(
        data,
        space,
        fastupsample=fast,
        min_height=height,
        min_width=width,
        min_factor=effort.scale,
        buffer=out,
    )


def _decode_oddity(
    data: NDArray[np.uint8],
    header: Header,
    space: str,
    scale: int,
    out: NDArray[Any],
    problem: str,
) -> None:
    """Decode what simplejpeg refuses without need; complain about all else."""
    if space == "CMYK" or not any(text in problem for text in _NEEDLESS):
        raise decode_error(jpeg.NAME, f"{problem} (in {len(data)} bytes)")
    if not jpeg.has_end(data.data):
        raise decode_error(jpeg.NAME, f"the data ends at byte {len(data)} inside the picture")
    flag = _REDUCED_FLAGS["GRAY" if space == "GRAY" else "COLOUR", scale]
    image = call_imdecode(data, flag | cv2.IMREAD_IGNORE_ORIENTATION, header)
    if image.shape[:2] != out.shape[:2]:
        raise decode_error(
            jpeg.NAME, f"the library decoded {image.shape}", expected=f"{out.shape}", remedy=CONVERT
        )
    if space == "RGB":
        cv2.cvtColor(image, cv2.COLOR_BGR2RGB, dst=out)
    else:
        np.copyto(out, image.reshape(out.shape))
