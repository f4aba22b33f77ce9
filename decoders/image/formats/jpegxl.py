"""JPEG XL: the header of a codestream, which lies in the file as it is or in boxes.

libjxl does not read ICC profiles. It gives a picture that is stored as XYB, and for which its
writer wants a profile, in linear light. Here sRGB's curve is applied to it. To 8 bits, linear light
has few dark tones, so the copy of the file that libjxl gets asks for 12 bits.

Source: ISO/IEC 18181-1 (codestream, clauses on the image header) and 18181-2 (file format).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Bytes
from ...errors import decode_error
from ..color import space_of_channels, srgb_of_linear
from ..engines import codecs
from .base import DecodeRequest, ImageHeader, StoredImage, checked_size

NAME = "JPEG XL"
_CODESTREAM = b"\xff\x0a"
_CONTAINER = b"\0\0\0\x0cJXL \r\n\x87\n"
_HEADER_BYTES = 4096  # names of channels make headers longer than some dozen bytes
_MOST_BOXES = 1024
_RATIOS = {1: (1, 1), 2: (12, 10), 3: (4, 3), 4: (3, 2), 5: (16, 9), 6: (5, 4), 7: (2, 1)}
_ALPHA, _SPOT_COLOR, _COLOR_FILTER = 0, 2, 5  # kinds of extra channels
_GRAY = 1
_FINE_DEPTH, _FINE_CODE = 12, 2  # the depth, and its code in two bits; 0 and 1 are 8 and 10 bits

# Alternatives of a number: (offset, bits) for each value of a selector of two bits.
_SIZE = ((1, 9), (1, 13), (1, 18), (1, 30))
_PREVIEW_SIZE = ((1, 6), (65, 8), (321, 10), (1345, 12))
_PREVIEW_EIGHTHS = ((16, 0), (32, 0), (1, 5), (33, 9))
_ENUM = ((0, 0), (1, 0), (2, 4), (18, 6))
_INTEGER_BITS = ((8, 0), (10, 0), (12, 0), (1, 6))
_FLOAT_BITS = ((32, 0), (16, 0), (24, 0), (1, 6))
_EXTRA_CHANNELS = ((0, 0), (1, 0), (2, 4), (1, 12))
_SHIFT = ((0, 0), (3, 0), (4, 0), (1, 3))
_NAME_LENGTH = ((0, 0), (0, 4), (16, 5), (48, 10))
_FILTER_CHANNEL = ((1, 0), (0, 2), (3, 4), (19, 8))
_ANIMATION = (
    ((100, 0), (1000, 0), (1, 10), (1, 30)),
    ((1, 0), (1001, 0), (1, 8), (1, 10)),
    ((0, 0), (0, 3), (0, 16), (0, 32)),
)


class _Bits:
    """Reads numbers of bits; the lowest bit of each byte comes first."""

    def __init__(self, content: bytes) -> None:
        self._size = 8 * len(content)
        self._number = int.from_bytes(content, "little")
        self._left = 8 * len(content)

    def read(self, count: int) -> int:
        if count > self._left:
            raise decode_error(NAME, "the data end inside the header")
        value = self._number & (1 << count) - 1
        self._number >>= count
        self._left -= count
        return value

    def position(self) -> int:
        """Return the number of bits that were read."""
        return self._size - self._left

    def choose(self, alternatives: tuple[tuple[int, int], ...]) -> int:
        offset, bits = alternatives[self.read(2)]
        return offset + self.read(bits)


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a JPEG XL file."""
    return head[:2] == _CODESTREAM or head[:12] == _CONTAINER


@dataclass(frozen=True, slots=True)
class _Basics:
    """What the header of a codestream says.

    Attributes:
        header: for everyone.
        start: offset of the codestream in the file.
        depth_at: number of bits before the code of the depth, two bits for integers.
        is_linear: whether libjxl gives linear light.
    """

    header: ImageHeader
    start: int
    depth_at: int
    is_linear: bool


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, channels, bits and orientation; an animation counts as its first frame."""
    return _read(view).header


def _read(view: memoryview) -> _Basics:
    start, end = _codestream(view)
    bits = _Bits(bytes(view[start : min(end, start + _HEADER_BYTES)]))
    bits.read(16)
    height, width = checked_size(NAME, *_size(bits), 2)
    if bits.read(1):  # all defaults
        return _Basics(ImageHeader(NAME, height, width, 3, 8), start, 0, is_linear=False)
    orientation = 1
    if bits.read(1):
        orientation = bits.read(3) + 1
        _skip_extra_fields(bits)
    depth_at = bits.position() + 1
    depth = _depth(bits)
    bits.read(1)  # whether 16 bits suffice inside the decoder
    kinds = [_extra_channel(bits) for _ in range(bits.choose(_EXTRA_CHANNELS))]
    is_xyb = bool(bits.read(1))
    is_gray, has_profile = _color_encoding(bits)
    channels = (1 if is_gray else 3) + (_ALPHA in kinds)
    header = ImageHeader(NAME, height, width, channels, depth, orientation)
    return _Basics(header, start, depth_at, is_xyb and has_profile)


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file, or the first frame of an animation.

    Raises:
        DecodeError: the data are damaged.
        MissingDependencyError: imagecodecs is missing.
    """
    basics, depth = _read(data.data), header.bits
    if basics.is_linear and depth < _FINE_DEPTH:
        data, depth = _of_fine_depth(data, basics), _FINE_DEPTH
    pixels = codecs.decode(NAME, data, index=0, keeporientation=True)
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    # Extra channels other than alpha come last.
    pixels = pixels[..., : header.channels]
    white = None if pixels.dtype.kind == "f" else (1 << depth) - 1
    if basics.is_linear:
        pixels, white = pixels.astype(np.float32) / np.float32(white or 1), None
        colors = pixels[..., : 1 if header.channels < 3 else 3]
        colors[...] = srgb_of_linear(colors)
    return StoredImage(pixels, space_of_channels(pixels.shape[2]), white=white)


def _of_fine_depth(data: Bytes, basics: _Basics) -> NDArray[np.uint8]:
    """Return a copy of a file of 8 or 10 bits that says it has 12; XYB is stored in floats."""
    copy = data.copy()
    for bit, value in enumerate((_FINE_CODE & 1, _FINE_CODE >> 1)):
        at, place = divmod(8 * basics.start + basics.depth_at + bit, 8)
        copy[at] = int(copy[at]) & ~(1 << place) | value << place
    return copy


def _codestream(view: memoryview) -> tuple[int, int]:
    """Return start and end of the first part of the codestream, wherever it lies."""
    if bytes(view[:2]) == _CODESTREAM:
        return 0, len(view)
    offset = 0
    for _ in range(_MOST_BOXES):
        if offset + 16 > len(view):
            break
        size, box, long_size = struct.unpack_from(">I4sQ", view, offset)
        start = offset + (16 if size == 1 else 8)
        end = offset + long_size if size == 1 else offset + size if size else len(view)
        if box in (b"jxlc", b"jxlp"):
            start += 4 if box == b"jxlp" else 0
            return start, end
        if end < start:
            raise decode_error(NAME, f"box {box!r} says it is {size} bytes long", at=offset)
        offset = end
    raise decode_error(NAME, "no codestream", expected="a box jxlc or jxlp")


def _size(bits: _Bits) -> tuple[int, int]:
    """Return height and width."""
    is_small = bits.read(1)
    height = 8 * (bits.read(5) + 1) if is_small else bits.choose(_SIZE)
    ratio = bits.read(3)
    if ratio:
        multiplier, divisor = _RATIOS[ratio]
        return height, height * multiplier // divisor
    return height, 8 * (bits.read(5) + 1) if is_small else bits.choose(_SIZE)


def _skip_extra_fields(bits: _Bits) -> None:
    if bits.read(1):
        _size(bits)  # for which the picture is meant
    if bits.read(1):  # a preview
        alternatives = _PREVIEW_EIGHTHS if bits.read(1) else _PREVIEW_SIZE
        bits.choose(alternatives)
        if not bits.read(3):
            bits.choose(alternatives)
    if bits.read(1):  # an animation
        for alternatives in _ANIMATION:
            bits.choose(alternatives)
        bits.read(1)


def _depth(bits: _Bits) -> int:
    """Return the bits of a sample."""
    if not bits.read(1):
        return bits.choose(_INTEGER_BITS)
    depth = bits.choose(_FLOAT_BITS)
    bits.read(4)  # of the exponent
    return depth


def _color_encoding(bits: _Bits) -> tuple[bool, bool]:
    """Return whether the colors are gray, and whether a profile says what they mean."""
    if bits.read(1):  # all defaults
        return False, False
    has_profile = bool(bits.read(1))
    return bits.choose(_ENUM) == _GRAY, has_profile


def _extra_channel(bits: _Bits) -> int:
    """Return the kind of an extra channel."""
    if bits.read(1):
        return _ALPHA
    kind = bits.choose(_ENUM)
    _depth(bits)
    bits.choose(_SHIFT)
    bits.read(8 * bits.choose(_NAME_LENGTH))
    if kind == _ALPHA:
        bits.read(1)
    elif kind == _SPOT_COLOR:
        bits.read(4 * 16)
    elif kind == _COLOR_FILTER:
        bits.choose(_FILTER_CHANNEL)
    return kind
