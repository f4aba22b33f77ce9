"""Decode an image of any supported format into an array: the one entry for all formats.

The results are those of DALI's CPU decoder, pixel for pixel where the same library decodes (JPEG:
libjpeg-turbo with its accurate inverse DCT and smooth chroma upsampling):

- `RGB`, `BGR`, `GRAY` and `YCbCr` (ITU-R BT.601: Y from 16 to 235) drop alpha, without weighting.
  Gray from JPEG is its luma as stored. Palettes give colors, with `ANY_DATA`, too.
- `ANY_DATA` keeps the file's channels: gray, gray with alpha, RGB or RGBA. CMYK JPEG gives its
  four stored channels; CMYK TIFF becomes RGB with a full alpha.
- A dtype spans its range: 8-bit 255, and 12-bit 4095, are 65535 in uint16 and 1.0 in float32.
- Integers of more than 16 bits are numbers, such as labels: all dtypes keep their values.
- Of more than four channels the first three count as RGB; `ANY_DATA` keeps all.
- An animation counts as its first frame, a file of several pages as its first page.

Every function here is pure and thread-safe; the libraries release the GIL while they decode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...engine.arrays import Array, DType
from ..errors import decode_error
from . import color, orientation
from .formats.base import (
    Box,
    DecodeRequest,
    Empty,
    ImageFormat,
    ImageHeader,
    StoredImage,
    ignore_blemish,
)
from .table import FORMATS, read_decodable_header, read_header

__all__ = ["OUTPUTS", "DecodedToFit", "decode", "decode_to_fit", "peek_shape"]

Roi = Box | Callable[[int, int], Box] | None

OUTPUTS = ("RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA")


class DecodedToFit(NamedTuple):
    """The result of a decode that may have stopped at a smaller size.

    Attributes:
        image: HWC; covers the region of interest, rounded outwards to whole pixels of the reduced
            image.
        window: the region of interest in pixels of `image`: (y0, x0, y1, x1) with fractions. A
            resize that reads this window gives the same picture as from the full decode.
    """

    image: Array
    window: tuple[float, float, float, float]


def peek_shape(
    data: NDArray[np.uint8], *, output: str = "RGB", use_exif: bool = True
) -> tuple[int, int, int]:
    """Return the (height, width, channels) that `decode` would give, from the header alone.

    Raises:
        DecodeError: the bytes are no supported image, or the header is damaged.
        ValueError: `output` is not known.

    >>> peek_shape(np.frombuffer(b"P5 4 2 255 " + bytes(8), np.uint8))
    (2, 4, 3)
    """
    header = read_header(data)
    return (*header.size(use_exif=use_exif), color.channels_of(header.space_of(_checked(output))))


def decode(
    data: NDArray[np.uint8],
    *,
    output: str = "RGB",
    dtype: DTypeLike = np.uint8,
    use_exif: bool = True,
    roi: Roi = None,
    empty: Empty = np.empty,
    report_blemish: Callable[[str], None] = ignore_blemish,
    header: ImageHeader | None = None,
) -> Array:
    """Decode an encoded image.

    Args:
        data: the whole encoded file, uint8, one dimension, C-contiguous; may be read-only.
        output: one of `OUTPUTS`.
        dtype: dtype of the result, one of `color.DTYPES`; values are scaled to its range.
        use_exif: turn the image upright as its EXIF orientation says.
        roi: the region of interest, (y0, x0, y1, x1) in pixels of the (upright) image, ends
            excluded; or a function of the (upright) height and width that returns the region.
        empty: allocates C-contiguous memory for a shape and a dtype; called once. The result
            lies in this memory. Where the library can only decode whole images (JPEG that needs
            no turning and no conversion) the shape is the whole image's, else the result's.
        report_blemish: called with a description if the file is damaged where no pixel is.
        header: what `read_decodable_header` has returned, if that is known.

    Returns:
        HWC array of `dtype`. C-contiguous without `roi`. With `roi`, the array may be a view of
        the whole image: a following resize reads a view as fast as a copy.

    Raises:
        DecodeError: the bytes are no supported image, or pixels are damaged or missing, or the
            header claims too many pixels.
        ValueError: `roi` is empty or not inside the image, or `output` or `dtype` is not one of
            the supported ones.

    >>> pixels = np.frombuffer(b"P5 4 2 255 " + bytes(range(8)), np.uint8)
    >>> decode(pixels, output="GRAY", roi=(1, 1, 2, 3))[..., 0]
    array([[5, 6]], dtype=uint8)
    """
    header = header or read_decodable_header(data)
    request = _request(header, output, dtype, use_exif, roi, empty, report_blemish)
    return _finished(_decode_stored(data, header, request), header, request.box, request)


def decode_to_fit(
    data: NDArray[np.uint8],
    *,
    fit: tuple[int, int],
    output: str = "RGB",
    dtype: DTypeLike = np.uint8,
    use_exif: bool = True,
    roi: Roi = None,
    empty: Empty = np.empty,
    report_blemish: Callable[[str], None] = ignore_blemish,
) -> DecodedToFit:
    """Decode no more detail than a resize of `roi` to `fit` (height, width) can show.

    JPEG is decoded at 1/2, 1/4 or 1/8 of its size, the smallest at which `roi` still has `fit`
    pixels each way. A pixel of the reduced image is about the mean of the block of pixels that
    the pixel stands for. Where `roi` shrinks at all, chroma is not smoothed between its samples,
    because a smaller picture does not show the difference. Resized photographs then differ from
    those of a full decode by 1.4 to 2.4 of 255 levels in the mean (1/2 to 1/8 of the size). Other
    formats are decoded in full. The other arguments, errors and the use of `empty` are those of
    `decode`.

    >>> pixels = np.frombuffer(b"P5 4 2 255 " + bytes(range(8)), np.uint8)
    >>> decode_to_fit(pixels, fit=(1, 1), roi=(0, 1, 2, 3)).window
    (0.0, 0.0, 2.0, 2.0)
    """
    header = read_decodable_header(data)
    request = _request(header, output, dtype, use_exif, roi, empty, report_blemish)
    box, turn = request.box, request.orientation
    scale = _reduction(FORMATS[header.format], box, orientation.exchanged(fit, turn))
    if scale is not None:
        request = request._replace(scale=scale, smooth=False)
    outer, window = _reduced_box(box, request.scale)
    image = _finished(_decode_stored(data, header, request), header, outer, request)
    size = (outer[2] - outer[0], outer[3] - outer[1])
    return DecodedToFit(image, orientation.to_upright(window, size, turn))


def _request(
    header: ImageHeader,
    output: str,
    dtype: DTypeLike,
    use_exif: bool,
    roi: Roi,
    empty: Empty,
    report_blemish: Callable[[str], None],
) -> DecodeRequest:
    """Return the request to the format, at full size; the arguments are those of `decode`."""
    turn = header.orientation if use_exif else 1
    space, box = header.space_of(_checked(output)), _stored_box(header, turn, roi)
    return DecodeRequest(space, _checked_dtype(dtype), turn, box, 1, True, empty, report_blemish)


def _checked(output: str) -> str:
    if output not in OUTPUTS:
        raise ValueError(f"output is {output!r}; expected one of {', '.join(OUTPUTS)}")
    return output


def _checked_dtype(dtype: DTypeLike) -> DType:
    checked = np.dtype(dtype)
    if checked not in color.DTYPES:
        raise ValueError(f"dtype is {checked}; expected one of {', '.join(map(str, color.DTYPES))}")
    return checked


def _stored_box(header: ImageHeader, turn: int, roi: Roi) -> Box:
    """Return the region of interest in pixels of the stored image."""
    stored = (header.height, header.width)
    if roi is None:
        return (0, 0, *stored)
    size = orientation.exchanged(stored, turn)
    y0, x0, y1, x1 = box = roi(*size) if callable(roi) else roi
    if not (0 <= y0 < y1 <= size[0] and 0 <= x0 < x1 <= size[1]):
        raise ValueError(
            f"roi (y0, x0, y1, x1) is {box}; expected a part of the image of "
            f"{size[0]} x {size[1]} pixels (height x width) that is not empty"
        )
    return orientation.to_stored(box, stored, turn)


def _reduction(row: ImageFormat, box: Box, fit: tuple[int, int]) -> int | None:
    """Return how many times smaller the image may be decoded; None if the box is enlarged."""
    y0, x0, y1, x1 = box
    for scale in (*row.reductions, 1):
        if y1 - y0 >= scale * fit[0] and x1 - x0 >= scale * fit[1]:
            return scale
    return None


def _reduced_box(box: Box, scale: int) -> tuple[Box, tuple[float, float, float, float]]:
    """Return the box in whole pixels of the reduced image, and the exact box inside of it."""
    y0, x0, y1, x1 = box
    top, left = y0 // scale, x0 // scale
    outer = (top, left, -(-y1 // scale), -(-x1 // scale))
    return outer, (y0 / scale - top, x0 / scale - left, y1 / scale - top, x1 / scale - left)


def _decode_stored(
    data: NDArray[np.uint8], header: ImageHeader, request: DecodeRequest
) -> StoredImage:
    stored = FORMATS[header.format].decode_cpu(data, header, request)
    expected = (-(-header.height // request.scale), -(-header.width // request.scale))
    if stored.pixels.shape[:2] != expected:
        raise decode_error(
            header.format,
            f"the decoder returned {stored.pixels.shape}",
            expected=f"{expected[0]} x {expected[1]} pixels as the header says",
        )
    return stored


def _finished(stored: StoredImage, header: ImageHeader, box: Box, request: DecodeRequest) -> Array:
    """Crop the stored image; convert and turn the crop into the caller's memory."""
    y0, x0, y1, x1 = box
    crop = stored.pixels
    if box != (0, 0, *crop.shape[:2]):  # the whole image stays the array that `empty` returned
        crop = crop[y0:y1, x0:x1]
    if stored.is_final:
        return crop
    size = (y1 - y0, x1 - x0)
    channels, turn = color.channels_of(request.output), request.orientation
    if turn == 1:
        out = request.empty((*size, channels), request.dtype)
        _convert(stored, crop, header, request.output, out)
        return out
    converted = np.empty((*size, channels), request.dtype)
    _convert(stored, crop, header, request.output, converted)
    out = request.empty((*orientation.exchanged(size, turn), channels), request.dtype)
    orientation.turn(converted, turn, out)
    return out


def _convert(
    stored: StoredImage, crop: Array, header: ImageHeader, output: str, out: Array
) -> None:
    try:
        color.convert(crop, stored.space, output, out, stored.white)
    except color.NumberError as error:
        raise decode_error(
            header.format,
            f"the file holds numbers of {header.bits} bits, and {error}",
            remedy="Integers of more than 16 bits keep their values: ask for ANY_DATA or GRAY, and "
            "for a dtype that holds them, such as INT32 or FLOAT.",
        ) from None
