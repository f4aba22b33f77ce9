"""Decode an image of any supported format into an array: the one entry for all of them.

What comes out is what DALI's CPU decoder gives, pixel for pixel where the same library decodes
(JPEG: libjpeg-turbo with its accurate inverse DCT and smooth chroma upsampling):

- ``RGB``, ``BGR``, ``GRAY`` and ``YCbCr`` (ITU-R BT.601: Y from 16 to 235) drop alpha, without
  weighting, and expand palettes. Grey from JPEG is its luma as stored.
- ``ANY_DATA`` keeps the file's channels: grey, grey with alpha, RGB or RGBA. CMYK JPEG gives its
  four stored channels; CMYK TIFF becomes RGB with a full alpha.
- Sample types span their range: 8-bit 255 is 65535 in uint16 and 1.0 in float32.
- Samples of PNM and JPEG 2000 that use part of 8 or 16 bits are not rescaled to their maximum.
- An animation counts as its first frame, a file of several pages as its first page.

Everything here is pure and thread-safe; the libraries release the GIL while they decode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import colour, generic, jpeg, orientation
from .formats import jpeg as jpeg_format
from .formats.base import Header, decode_error
from .header import peek

__all__ = [
    "MAX_PIXELS",
    "OUTPUTS",
    "DecodedToFit",
    "decode",
    "decode_to_fit",
    "peek_shape",
]

Box = tuple[int, int, int, int]
Roi = Box | Callable[[int, int], Box] | None
Empty = Callable[[tuple[int, ...], "np.dtype[Any]"], NDArray[Any]]

OUTPUTS = ("RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA")

# Headers that claim more are taken for decompression bombs: 2**28 pixels are 805 MB of RGB.
MAX_PIXELS = 2**28

_UINT8 = np.dtype(np.uint8)


@dataclass(frozen=True, slots=True)
class DecodedToFit:
    """A decode that may have stopped early.

    ``image`` (HWC) covers the region that was asked for, rounded outwards to whole pixels of
    the reduced image. ``window`` is that region in pixels of ``image``, (y0, x0, y1, x1) with
    fractions: what a resize has to read to get the same picture as from the full decode.
    """

    image: NDArray[Any]
    window: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Job:
    """One call's arguments, checked and brought into the frame of the stored image."""

    data: NDArray[np.uint8]
    header: Header
    output: str
    dtype: np.dtype[Any]
    orientation: int
    box: Box  # stored, full size
    scale: int
    smooth: bool
    empty: Empty


def peek_shape(
    data: NDArray[np.uint8], *, output: str = "RGB", use_exif: bool = True
) -> tuple[int, int, int]:
    """(height, width, channels) that `decode` would give, from the header alone.

    Raises:
        DecodeError: the bytes are no supported image, or its header is damaged.
        ValueError: ``output`` is not known.

    >>> peek_shape(np.frombuffer(b"P5 4 2 255 " + bytes(8), np.uint8))
    (2, 4, 3)
    """
    header = peek(data)
    return (*header.size(use_exif=use_exif), colour.CHANNELS[target_space(header, output)])


def decode(
    data: NDArray[np.uint8],
    *,
    output: str = "RGB",
    dtype: DTypeLike = np.uint8,
    use_exif: bool = True,
    roi: Roi = None,
    empty: Empty = np.empty,
) -> NDArray[Any]:
    """Decode an encoded image.

    Args:
        data: the whole encoded file, uint8, one dimension, C-contiguous; may be read-only.
        output: one of `OUTPUTS`.
        dtype: sample type of the result, one of `colour.DTYPES`; values are scaled to its
            range.
        use_exif: turn the image upright as its EXIF orientation says.
        roi: the part to return, (y0, x0, y1, x1) in pixels of the (upright) image, ends
            excluded; or a function of the (upright) height and width that gives it.
        empty: gives C-contiguous memory for a shape and a type; called once. The result
            lies in it. Where the library can only decode whole images (JPEG that needs
            no turning and no conversion) the shape is the whole image's, else the result's.

    Returns:
        HWC array of ``dtype``. C-contiguous without ``roi``; with it, it may be a view into
        the whole image: a following resize reads a view as fast as a copy.

    Raises:
        DecodeError: the bytes are no supported image, damaged, cut off, or claim more than
            `MAX_PIXELS` pixels.
        ValueError: ``roi`` is empty or not inside the image, or ``output`` or
            ``dtype`` is not one of the supported ones.

    >>> pixels = np.frombuffer(b"P5 4 2 255 " + bytes(range(8)), np.uint8)
    >>> decode(pixels, output="GRAY", roi=(1, 1, 2, 3))[..., 0]
    array([[5, 6]], dtype=uint8)
    """
    return _run(_job(data, output, dtype, use_exif, roi, None, empty))[0]


def decode_to_fit(
    data: NDArray[np.uint8],
    *,
    fit: tuple[int, int],
    output: str = "RGB",
    dtype: DTypeLike = np.uint8,
    use_exif: bool = True,
    roi: Roi = None,
    empty: Empty = np.empty,
) -> DecodedToFit:
    """Decode no more detail than a resize of ``roi`` to ``fit`` (height, width) can show.

    JPEG is decoded at 1/2, 1/4 or 1/8 of its size, the smallest at which ``roi`` still has
    ``fit`` pixels each way; a pixel of the reduced image is about the mean of the block of pixels
    that it stands for. Where ``roi`` shrinks at all, colours are not smoothed between their
    samples, which a smaller picture does not show. Resized photographs then differ from those of
    a full decode by 1.4 to 2.4 of 255 levels in the mean (1/2 to 1/8 of the size). Other formats
    are decoded in full. The other arguments, errors and the use of ``empty`` are those of
    `decode`.

    >>> pixels = np.frombuffer(b"P5 4 2 255 " + bytes(range(8)), np.uint8)
    >>> decode_to_fit(pixels, fit=(1, 1), roi=(0, 1, 2, 3)).window
    (0.0, 0.0, 2.0, 2.0)
    """
    return DecodedToFit(*_run(_job(data, output, dtype, use_exif, roi, fit, empty)))


def checked_header(data: NDArray[np.uint8]) -> Header:
    """The header of an encoded image that is not too large to decode."""
    header = peek(data)
    if header.height * header.width > MAX_PIXELS:
        raise decode_error(
            header.format,
            f"the header claims {header.width} x {header.height} pixels",
            expected=f"{MAX_PIXELS} pixels at most",
            remedy="If the image is genuine, cut it into tiles first.",
        )
    return header


def _job(
    data: NDArray[np.uint8],
    output: str,
    dtype: DTypeLike,
    use_exif: bool,
    roi: Roi,
    fit: tuple[int, int] | None,
    empty: Empty,
) -> _Job:
    header = checked_header(data)
    turned = header.orientation if use_exif else 1
    box = (0, 0, header.height, header.width)
    if roi is not None:
        size = header.size(use_exif=use_exif)
        upright = _checked_box(roi(*size) if callable(roi) else roi, size)
        box = orientation.to_stored(upright, (header.height, header.width), turned)
    scale, smooth = (1, True) if fit is None else _effort(header, box, fit, turned)
    space, dtype = target_space(header, output), _checked_dtype(dtype)
    return _Job(data, header, space, dtype, turned, box, scale, smooth, empty)


def target_space(header: Header, output: str) -> str:
    """The colour space that ``output`` means for this file."""
    if output == "ANY_DATA":
        if header.format == jpeg_format.NAME and header.channels == jpeg.CMYK_CHANNELS:
            return "CMYK"
        return colour.SPACE_OF_CHANNELS[header.channels]
    if output not in OUTPUTS:
        raise ValueError(f"output is {output!r}; expected one of {', '.join(OUTPUTS)}")
    return output


def _checked_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    checked = np.dtype(dtype)
    if checked not in colour.DTYPES:
        raise ValueError(
            f"dtype is {checked}; expected one of {', '.join(map(str, colour.DTYPES))}"
        )
    return checked


def _checked_box(box: Box, size: tuple[int, int]) -> Box:
    y0, x0, y1, x1 = box
    height, width = size
    if not (0 <= y0 < y1 <= height and 0 <= x0 < x1 <= width):
        raise ValueError(
            f"roi (y0, x0, y1, x1) is {box}; expected a part of the image of "
            f"{height} x {width} pixels (height x width) that is not empty"
        )
    return box


def _effort(header: Header, box: Box, fit: tuple[int, int], turned: int) -> tuple[int, bool]:
    """How many times smaller a JPEG may be decoded, and whether its colours need smoothing."""
    if header.format != jpeg_format.NAME:
        return 1, True
    height, width = orientation.exchanged(fit, turned)
    y0, x0, y1, x1 = box
    for scale in (*jpeg.SCALES, 1):
        if y1 - y0 >= scale * height and x1 - x0 >= scale * width:
            return scale, False
    return 1, True


def _run(job: _Job) -> tuple[NDArray[Any], tuple[float, float, float, float]]:
    """(image, window), both upright."""
    scale = job.scale
    y0, x0, y1, x1 = job.box
    outer = (y0 // scale, x0 // scale, -(-y1 // scale), -(-x1 // scale))
    size = (outer[2] - outer[0], outer[3] - outer[1])
    window = (
        y0 / scale - outer[0],
        x0 / scale - outer[1],
        y1 / scale - outer[0],
        x1 / scale - outer[1],
    )
    if job.header.format == jpeg_format.NAME:
        image = _run_jpeg(job, outer)
    else:
        stored, space = generic.decode_stored(job.data, job.header, job.output)
        image = _finished(job, _cropped(stored, outer), space)
    return image, orientation.to_upright(window, size, job.orientation)


def _run_jpeg(job: _Job, outer: Box) -> NDArray[Any]:
    space = "CMYK" if job.output == "CMYK" else jpeg.space_for(job.header, job.output)
    is_final = space == job.output and job.dtype == _UINT8 and job.orientation == 1
    channels = jpeg.CMYK_CHANNELS if space == "CMYK" else colour.CHANNELS[space]
    shape = (*jpeg.scaled_size(job.header, job.scale), channels)
    stored = (job.empty if is_final else np.empty)(shape, _UINT8)
    effort = jpeg.Effort(job.scale, job.smooth, job.box[2])
    jpeg.decode_into(job.data, job.header, space, effort, stored)
    stored = _cropped(stored, outer)
    return stored if is_final else _finished(job, stored, space)


def _cropped(image: NDArray[Any], box: Box) -> NDArray[Any]:
    y0, x0, y1, x1 = box
    return image[y0:y1, x0:x1]


def _finished(job: _Job, stored: NDArray[Any], space: str) -> NDArray[Any]:
    """Convert and turn the stored crop into the caller's memory."""
    height, width = stored.shape[:2]
    channels = colour.CHANNELS[job.output]
    if job.orientation == 1:
        out = job.empty((height, width, channels), job.dtype)
        colour.convert(stored, space, job.output, out)
        return out
    converted = np.empty((height, width, channels), job.dtype)
    colour.convert(stored, space, job.output, converted)
    upright = orientation.exchanged((height, width), job.orientation)
    out = job.empty((*upright, channels), job.dtype)
    orientation.turn(converted, job.orientation, out)
    return out
