"""PNM: bitmaps, gray and color (P1 to P6), and their relatives PAM (P7) and PFM (PF and Pf).

The maximum value of a file is full brightness. A sample of PFM is full brightness at 1.

Sources: the Netpbm manual pages pbm(5), pgm(5), ppm(5), pam(5) and pfm(5).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array, Bytes, DType
from ...errors import decode_error
from ..color import space_of_channels
from .base import CONVERT, DecodeRequest, ImageHeader, StoredImage, checked_size, need

NAME = "PNM"
_SEPARATORS = (b" ", b"\t", b"\r", b"\n", b"#")
_LONGEST_HEADER = 1 << 16  # comments may be long, but a header is never a whole file
_LARGEST_MAXIMUM = 65535
_COMMENT = re.compile(rb"#[^\n]*")
_GAP = rb"(?:\s|#[^\n]*\n)+"
_FIELDS = {
    count: re.compile(rb"P[1-6]" + rb"".join(_GAP + rb"(\d{1,9})" for _ in range(count)) + rb"\s")
    for count in (2, 3)
}
_FLOAT_FIELDS = re.compile(rb"P[Ff]\s+(\d{1,9})\s+(\d{1,9})\s+([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s")
_PAM_HEADER = re.compile(rb"P7\s*\n(.*?\n)?[ \t]*ENDHDR[^\n]*\n", re.DOTALL)
_PAM_LINE = re.compile(rb"^[ \t]*(WIDTH|HEIGHT|DEPTH|MAXVAL)[ \t]+(\d{1,9})[ \t\r]*$", re.MULTILINE)
_PAM_FIELDS = (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL")
_FLOAT_BITS = 32


class PnmLayout(NamedTuple):
    """The fields that the pixels depend on.

    Attributes:
        form: the second byte of the file.
        height, width, channels: height, width and channels of the image.
        maximum: sample of full brightness.
        pixels_at: offset of the pixels.
        dtype: dtype of a sample; bitmaps have bits, and text has numbers.
    """

    form: bytes
    height: int
    width: int
    channels: int
    maximum: float
    pixels_at: int
    dtype: DType

    @property
    def is_text(self) -> bool:
        """Whether the samples are written in digits."""
        return self.form in b"123"

    @property
    def is_bitmap(self) -> bool:
        """Whether the samples are bits, of which 1 is black."""
        return self.form in b"14"


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a PNM, PAM or PFM file."""
    return head[:1] == b"P" and head[1:2] in b"1234567fF" and head[2:3] in _SEPARATORS


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, channels and bits; refuse a file without all of its pixels."""
    layout = read_layout(view)
    is_float = layout.dtype.kind == "f"
    bits = _FLOAT_BITS if is_float else int(layout.maximum).bit_length()
    return ImageHeader(NAME, layout.height, layout.width, layout.channels, bits)


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file."""
    layout = read_layout(data.data)
    shape = (layout.height, layout.width, layout.channels)
    space = space_of_channels(layout.channels)
    if layout.is_bitmap:
        ink = _ink(data.data, layout)
        return StoredImage((ink[:, : layout.width] ^ 1) * np.uint8(255), space)
    if layout.is_text:
        samples = _numbers(data.data, layout)
    else:
        samples = np.frombuffer(data, layout.dtype, int(np.prod(shape)), layout.pixels_at)
    if samples.dtype.kind == "f":
        pixels = samples.astype(np.float32).reshape(shape)[::-1]  # the bottom line comes first
        return StoredImage(np.ascontiguousarray(pixels), space)
    _check_maximum(samples, layout)
    pixels = samples.astype(samples.dtype.newbyteorder("="), copy=False).reshape(shape)
    return StoredImage(pixels, space, white=layout.maximum)


def read_layout(view: memoryview) -> PnmLayout:
    """Return the fields that the pixels depend on; refuse a file without all of its pixels."""
    head = bytes(view[:_LONGEST_HEADER])
    form = head[1:2]
    if form == b"7":
        layout = _pam_layout(head)
    elif form in b"fF":
        layout = _pfm_layout(head)
    else:
        layout = _pnm_layout(head, is_bitmap=form in b"14")
    checked_size(NAME, layout.height, layout.width, 2)
    samples = layout.width * layout.channels
    if layout.is_text:
        line = samples  # each sample takes a character at least
    else:
        line = (samples + 7) // 8 if layout.is_bitmap else samples * layout.dtype.itemsize
    need(view, layout.pixels_at + layout.height * line, NAME, "pixels")
    return layout


def _pnm_layout(head: bytes, *, is_bitmap: bool) -> PnmLayout:
    fields = _FIELDS[2 if is_bitmap else 3].match(head)
    if fields is None:
        raise _unreadable("width, height and maximum value in digits")
    width, height, *rest = map(int, fields.groups())
    channels = 3 if head[1:2] in b"36" else 1
    return _integer_layout(head, height, width, channels, rest[0] if rest else 1, fields.end())


def _pam_layout(head: bytes) -> PnmLayout:
    header = _PAM_HEADER.match(head)
    fields = dict(_PAM_LINE.findall(_COMMENT.sub(b"", header[1] or b""))) if header else {}
    if header is None or any(name not in fields for name in _PAM_FIELDS):
        raise _unreadable("lines of WIDTH, HEIGHT, DEPTH and MAXVAL before ENDHDR")
    width, height, channels, maximum = (int(fields[name]) for name in _PAM_FIELDS)
    if not 1 <= channels <= 4:
        raise decode_error(NAME, f"{channels} channels", expected="1 to 4", remedy=CONVERT)
    return _integer_layout(head, height, width, channels, maximum, header.end())


def _integer_layout(
    head: bytes, height: int, width: int, channels: int, maximum: int, pixels_at: int
) -> PnmLayout:
    if not 1 <= maximum <= _LARGEST_MAXIMUM:
        raise decode_error(NAME, f"maximum value {maximum}", expected=f"1 to {_LARGEST_MAXIMUM}")
    dtype = np.dtype(np.uint8 if maximum < 256 else ">u2")
    return PnmLayout(head[1:2], height, width, channels, maximum, pixels_at, dtype)


def _pfm_layout(head: bytes) -> PnmLayout:
    fields = _FLOAT_FIELDS.match(head)
    if fields is None:
        raise _unreadable("width, height and scale in digits")
    try:
        scale = float(fields[3])
    except ValueError:
        raise _unreadable("a scale in digits") from None
    channels = 3 if head[1:2] == b"F" else 1
    dtype = np.dtype("<f4" if scale < 0 else ">f4")
    size = int(fields[2]), int(fields[1])
    return PnmLayout(head[1:2], *size, channels, 1.0, fields.end(), dtype)


def _unreadable(expected: str) -> Exception:
    return decode_error(NAME, "unreadable header", at=2, expected=expected)


def _ink(view: memoryview, layout: PnmLayout) -> NDArray[np.uint8]:
    """Return the bits of a bitmap, in lines that may be longer than the image's."""
    if layout.is_text:
        return _digits(view, layout)
    line = (layout.width + 7) // 8
    packed = np.frombuffer(view, np.uint8, layout.height * line, layout.pixels_at)
    return np.unpackbits(packed.reshape(layout.height, line), axis=1)


def _digits(view: memoryview, layout: PnmLayout) -> NDArray[np.uint8]:
    """Return the pixels of a bitmap; there may be no white space between them."""
    text = _COMMENT.sub(b"", bytes(view[layout.pixels_at :]))
    digits = np.frombuffer(b"".join(text.split()), np.uint8) - np.uint8(ord("0"))
    digits = _enough(digits, layout).reshape(layout.height, layout.width)
    if (digits > 1).any():
        raise decode_error(NAME, "a pixel of a bitmap is neither 0 nor 1")
    return digits


def _numbers(view: memoryview, layout: PnmLayout) -> Array:
    text = _COMMENT.sub(b"", bytes(view[layout.pixels_at :]))
    try:
        numbers = np.array(text.split(), "S6").astype(np.int64)
    except ValueError as error:
        raise decode_error(NAME, f"a sample is no number ({error})") from None
    numbers = _enough(numbers, layout)
    _check_maximum(numbers, layout)
    return numbers.astype(layout.dtype.newbyteorder("="))


def _enough(samples: Array, layout: PnmLayout) -> Array:
    count = layout.height * layout.width * layout.channels
    if len(samples) < count:
        raise decode_error(NAME, f"{len(samples)} samples", expected=f"{count}")
    return samples[:count]


def _check_maximum(samples: Array, layout: PnmLayout) -> None:
    if samples.dtype.kind == "u" and layout.maximum == np.iinfo(samples.dtype).max:
        return
    if not 0 <= samples.min() <= samples.max() <= layout.maximum:
        raise decode_error(
            NAME,
            f"samples from {samples.min()} to {samples.max()}",
            expected=f"0 to {layout.maximum} as the header says",
        )
