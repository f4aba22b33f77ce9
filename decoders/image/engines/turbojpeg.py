"""Decode JPEG with libjpeg-turbo: its default, accurate inverse DCT and smooth upsampling."""

from __future__ import annotations

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray

from ....engine.arrays import Array
from ...errors import decode_error
from ..color import CHANNELS
from ..formats import jpeg, jpeg_early_stop, jpeg_holes, jpeg_rare, jpeg_repair, jpeg_scans
from ..formats.base import CONVERT, DecodeRequest, ImageHeader, StoredImage
from .opencv import imdecode

CMYK_CHANNELS = 4
REDUCTIONS = (8, 4, 2)  # libjpeg-turbo decodes to these parts of the size faster than in full

_END_OF_IMAGE = b"\xff\xd9"
SMALLEST_ON_GPU = 8  # pixels each way, because nvImageCodec smooths chroma of strips wrongly

# TurboJPEG has names for the usual chroma subsamplings only. OpenCV decodes the others, and
# imagecodecs those of inks, which OpenCV mixes.
_UNNAMED_SUBSAMPLING = "Could not determine subsampling"

_REDUCED_FLAGS = {
    ("GRAY", 1): cv2.IMREAD_GRAYSCALE,
    ("GRAY", 2): cv2.IMREAD_REDUCED_GRAYSCALE_2,
    ("GRAY", 4): cv2.IMREAD_REDUCED_GRAYSCALE_4,
    ("GRAY", 8): cv2.IMREAD_REDUCED_GRAYSCALE_8,
    ("COLOR", 1): cv2.IMREAD_COLOR,
    ("COLOR", 2): cv2.IMREAD_REDUCED_COLOR_2,
    ("COLOR", 4): cv2.IMREAD_REDUCED_COLOR_4,
    ("COLOR", 8): cv2.IMREAD_REDUCED_COLOR_8,
}


def decode(data: NDArray[np.uint8], header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file, or its lines down to the end of the region of interest.

    Raises:
        DecodeError: pixels are damaged or missing, even where a picture could be guessed.
    """
    _refuse_gaps(data, header)
    if header.is_rare:
        return jpeg_rare.decode(data, header, request)
    space = _nearest_space(header, request.output)
    is_final = request.is_final(space)
    scale = request.scale
    shape = (-(-header.height // scale), -(-header.width // scale), CHANNELS[space])
    out = (request.empty if is_final else np.empty)(shape, np.dtype(np.uint8))
    if header.channels == CMYK_CHANNELS and space != "CMYK":
        inks = np.empty((*shape[:2], CMYK_CHANNELS), np.uint8)
        _decode_into(data, header, "CMYK", request, inks)
        cmyk_to_rgb(inks, jpeg.is_adobe(data.data), out)
    else:
        _decode_into(data, header, space, request, out)
    return StoredImage(out, space, is_final)


def decodes_on_gpu(data: NDArray[np.uint8], header: ImageHeader) -> bool:
    """Return whether nvImageCodec decodes the file as `decode` does.

    The library decodes wrongly without an error: files without an end or without all scans, files
    with holes, strips, and RGB in JPEG.
    """
    return (
        header.channels != CMYK_CHANNELS
        and not header.is_rare
        and data[-2:].tobytes() == _END_OF_IMAGE
        and min(header.height, header.width) >= SMALLEST_ON_GPU
        and not (header.channels == 3 and jpeg.holds_rgb(data.data))
        and jpeg_holes.find_hole(data) is None
        and not (header.is_progressive and jpeg_scans.lacks_scans(data))
    )


def cmyk_to_rgb(inks: NDArray[np.uint8], is_inverted: bool, out: NDArray[np.uint8]) -> None:
    """Mix the inks on white paper: R = (255 - C)(255 - K) / 255, and so on.

    Files that Adobe marked store 255 for no ink, others 0.
    """
    light = inks if is_inverted else cv2.bitwise_not(inks)
    black = cv2.cvtColor(cv2.extractChannel(light, 3), cv2.COLOR_GRAY2BGR)
    cv2.multiply(cv2.cvtColor(light, cv2.COLOR_BGRA2BGR), black, dst=out, scale=1 / 255)


def check_pixels(data: NDArray[np.uint8], header: ImageHeader) -> None:
    """Raise unless all pixels of a JPEG are there; decodes the picture at 1/8 of its size.

    Raises:
        DecodeError: pixels are damaged or missing.
    """
    _refuse_gaps(data, header)
    space = "CMYK" if header.channels == CMYK_CHANNELS else "GRAY"
    out = np.empty((-(-header.height // 8), -(-header.width // 8), CHANNELS[space]), np.uint8)
    try:
        _call_turbojpeg(data, space, 8, True, out)
    except ValueError as error:
        if _UNNAMED_SUBSAMPLING not in str(error):
            raise decode_error(jpeg.NAME, str(error)) from None
        jpeg_rare.refuse_cut(data, lambda file: imdecode(file, cv2.IMREAD_COLOR, header))


def _refuse_gaps(data: NDArray[np.uint8], header: ImageHeader) -> None:
    hole = jpeg_holes.find_hole(data)
    if hole is not None:
        raise decode_error(jpeg.NAME, "a run of zeros inside the picture's data", at=hole)
    if header.is_progressive and jpeg_scans.lacks_scans(data):
        raise decode_error(
            jpeg.NAME,
            "the last scans are missing",
            expected="every coefficient down to its lowest bit",
        )


def _nearest_space(header: ImageHeader, output: str) -> str:
    """Return the color space to decode to when `output` is wanted."""
    if header.channels == CMYK_CHANNELS:
        return "CMYK" if output == "CMYK" else "RGB"
    if output in ("RGB", "BGR", "GRAY"):
        return output
    return "GRAY" if header.channels == 1 else "RGB"


def _decode_into(
    data: NDArray[np.uint8],
    header: ImageHeader,
    space: str,
    request: DecodeRequest,
    out: NDArray[np.uint8],
) -> None:
    scale, fast = request.scale, not request.smooth
    try:
        _decode_to(data, header.height, request.box[2], scale, space, fast, out)
    except ValueError as error:
        _decode_refused(data, header, space, request, out, str(error))


def _decode_to(
    data: NDArray[np.uint8],
    height: int,
    last: int,
    scale: int,
    space: str,
    fast: bool,
    out: NDArray[np.uint8],
) -> None:
    """Decode down to line `last` of `height` lines; raise ValueError for any warning."""
    if last < height and (shortened := jpeg_early_stop.shortened(data, height, last, scale)):
        shorter, lines = shortened
        try:
            _call_turbojpeg(shorter, space, scale, fast, out[: -(-lines // scale)])
            return
        except ValueError as error:
            if jpeg_early_stop.is_only_shortened(str(error)):
                return
    _call_turbojpeg(data, space, scale, fast, out)


def _call_turbojpeg(
    data: NDArray[np.uint8], space: str, scale: int, fast: bool, out: NDArray[np.uint8]
) -> None:
    """Decode; raise ValueError for any warning of the library."""
    if scale == 1:
        simplejpeg.decode_jpeg(data, space, fastupsample=fast, buffer=out)
        return
    height, width = out.shape[:2]
    simplejpeg.decode_jpeg(
        data,
        space,
        fastupsample=fast,
        min_height=height,
        min_width=width,
        min_factor=scale,
        buffer=out,
    )


def _decode_refused(
    data: NDArray[np.uint8],
    header: ImageHeader,
    space: str,
    request: DecodeRequest,
    out: NDArray[np.uint8],
    problem: str,
) -> None:
    """Decode a file that TurboJPEG refuses, if no pixel is damaged; else raise DecodeError."""
    if _UNNAMED_SUBSAMPLING in problem:
        if space == "CMYK":
            np.copyto(out, jpeg_rare.inks(data, header, request.scale))
        else:
            _decode_with_opencv(data, header, space, request.scale, out)
        return
    repair = jpeg_repair.repaired(data)
    if repair is None:
        raise _damage(data, problem)
    try:
        _call_turbojpeg(repair.data, space, request.scale, not request.smooth, out)
    except ValueError as error:
        raise _damage(data, problem) from error
    request.report_blemish(repair.blemishes)


def _damage(data: NDArray[np.uint8], problem: str) -> Exception:
    return decode_error(jpeg.NAME, f"{problem} (in {len(data)} bytes)")


def _decode_with_opencv(
    data: NDArray[np.uint8], header: ImageHeader, space: str, scale: int, out: Array
) -> None:
    # OpenCV hides the library's warning that data is missing.
    jpeg_rare.refuse_cut(data, lambda file: imdecode(file, cv2.IMREAD_COLOR, header))
    flag = _REDUCED_FLAGS["GRAY" if space == "GRAY" else "COLOR", scale]
    image = imdecode(data, flag | cv2.IMREAD_IGNORE_ORIENTATION, header)
    if image.shape[:2] != out.shape[:2]:
        raise decode_error(
            jpeg.NAME, f"the library decoded {image.shape}", expected=f"{out.shape}", remedy=CONVERT
        )
    if space == "RGB":
        cv2.cvtColor(image, cv2.COLOR_BGR2RGB, dst=out)
    else:
        np.copyto(out, image.reshape(out.shape))
