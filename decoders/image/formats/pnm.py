"""PNM headers (PBM, PGM, PPM; P1 to P6).

Source: the Netpbm manual pages pbm(5), pgm(5) and ppm(5).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import decode_error
from ..engines import opencv
from .base import Data, DecodeRequest, ImageHeader, StoredImage, checked_size, need

NAME = "PNM"
_SIGNATURES = (b"P1", b"P2", b"P3", b"P4", b"P5", b"P6")
_SEPARATORS = (b" ", b"\t", b"\r", b"\n", b"#")
_LONGEST_HEADER = 1 << 16  # comments may be long, but a header is never a whole file
_BINARY = 4  # P4 to P6; P1 to P3 are text
_COMMENT = re.compile(rb"#[^\n]*")
_GAP = rb"(?:\s|#[^\n]*\n)+"
_FIELDS = {
    count: re.compile(rb"P[1-6]" + rb"".join(_GAP + rb"(\d{1,9})" for _ in range(count)) + rb"\s")
    for count in (2, 3)
}


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a PNM file."""
    return head[:2] in _SIGNATURES and head[2:3] in _SEPARATORS


def decode(data: Data, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file."""
    form = data[1] - ord("0")
    if form < _BINARY:
        return opencv.decode(_as_binary(data.data, form, header), header, request)
    return opencv.decode(data, header, request)


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, channels and bits; refuse a file without all of its pixels.

    Bits are 1 in bitmaps, 8 up to a maximum value of 255 and 16 above: samples are not rescaled
    to the maximum value, as in DALI and OpenCV.
    """
    form = view[1] - ord("0")
    is_bitmap = form in (1, 4)
    fields = _FIELDS[2 if is_bitmap else 3].match(bytes(view[:_LONGEST_HEADER]))
    if fields is None:
        raise decode_error(
            NAME, "unreadable header", at=2, expected="width, height and maximum value in digits"
        )
    width, height, *rest = map(int, fields.groups())
    checked_size(NAME, height, width, 2)
    maximum = rest[0] if rest else 1
    if not 1 <= maximum <= 65535:
        raise decode_error(
            NAME, f"maximum value {maximum}", at=fields.start(3), expected="1 to 65535"
        )
    depth = 1 if is_bitmap else 8 if maximum < 256 else 16
    channels = 3 if form in (3, 6) else 1
    line = (width * channels * depth + 7) // 8
    # In the text forms each sample takes a character at least.
    length = height * line if form >= 4 else height * width * channels
    need(view, fields.end() + length, NAME, "pixels")
    return ImageHeader(NAME, height, width, channels, depth)


def _as_binary(view: memoryview, form: int, header: ImageHeader) -> bytes:
    """Return the binary form of a text file, because OpenCV passes over letters in numbers."""
    fields = _FIELDS[2 if form == 1 else 3].match(bytes(view[:_LONGEST_HEADER]))
    assert fields is not None
    text = _COMMENT.sub(b"", bytes(view[fields.end() :]))
    line = header.width * header.channels
    samples = _bits(text) if form == 1 else _numbers(text, int(fields[3]))
    count = header.height * line
    if len(samples) < count:
        raise decode_error(NAME, f"{len(samples)} samples", expected=f"{count}")
    samples = samples[:count].reshape(header.height, line)
    size = b"%d %d" % (header.width, header.height)
    if form == 1:
        return b"P4 %s\n%s" % (size, np.packbits(samples, axis=1).tobytes())
    deep = header.bits > 8
    content = samples.astype(">u2" if deep else np.uint8).tobytes()
    return b"P%d %s %d\n%s" % (form + 3, size, 65535 if deep else 255, content)


def _bits(text: bytes) -> NDArray[Any]:
    """Return the pixels of a bitmap; there may be no white space between them."""
    digits = np.frombuffer(b"".join(text.split()), np.uint8) - np.uint8(ord("0"))
    if (digits > 1).any():
        raise decode_error(NAME, "a pixel of a bitmap is neither 0 nor 1")
    return digits


def _numbers(text: bytes, maximum: int) -> NDArray[Any]:
    try:
        numbers = np.array(text.split(), "S6").astype(np.int64)
    except ValueError as error:
        raise decode_error(NAME, f"a sample is no number ({error})") from None
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() <= maximum:
        raise decode_error(
            NAME, f"samples from {numbers.min()} to {numbers.max()}", expected=f"0 to {maximum}"
        )
    return numbers
