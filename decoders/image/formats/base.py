"""The contract of an image format, and the bounded reads and errors that formats share.

A format is one `ImageFormat`: three functions, and a row in the table (`image/table.py`). A header
parser is bounded by the data and trusts none of it: any bytes give a header or a `DecodeError`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ....engine.arrays import Array, Bytes, DType
from ...errors import decode_error
from ..color import space_of_channels
from ..orientation import exchanged

Box = tuple[int, int, int, int]
Empty = Callable[[tuple[int, ...], "DType"], Array]

CONVERT = "Convert the file to a supported form first, for instance to PNG."
SIGNATURE_BYTES = 16
MAX_PIXELS = 2**28
"""Largest image, in pixels, because a larger claim is taken for a decompression bomb: 2**28 pixels
are 805 MB of RGB."""

_UINT8 = np.dtype(np.uint8)


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """The properties that an encoded image states in its header.

    Attributes:
        format: name of the format, a key of the table of formats.
        height, width: in pixels as stored, before `orientation` is applied.
        channels: as `ANY_DATA` gives them: 3 for a color palette, 2 for gray with alpha.
        bits: real depth of a sample: 12 for samples from 0 to 4095, wherever they are stored.
        orientation: by EXIF, 1 to 8; 1 is upright.
        space: color space that `ANY_DATA` gives; "" for the usual one of `channels`.
        is_progressive: whether several scans refine the whole picture, as in progressive JPEG.
        is_rare: whether the file is of a form that only a slower decoder of its format knows, such
            as lossless JPEG.
    """

    format: str
    height: int
    width: int
    channels: int
    bits: int
    orientation: int = 1
    space: str = ""
    is_progressive: bool = field(default=False, repr=False)
    is_rare: bool = field(default=False, repr=False)

    def size(self, *, use_exif: bool = True) -> tuple[int, int]:
        """Return (height, width) in pixels, upright if `use_exif`."""
        return exchanged((self.height, self.width), self.orientation if use_exif else 1)

    def space_of(self, output: str) -> str:
        """Return the color space that the argument `output` means for this file."""
        if output != "ANY_DATA":
            return output
        return self.space or space_of_channels(self.channels)


def ignore_blemish(_: str) -> None:
    """Leave a blemish unreported."""


class DecodeRequest(NamedTuple):
    """The pixels that a caller wants of one image, in terms of the stored image.

    Attributes:
        output: color space of the final result.
        dtype: dtype of the final result.
        orientation: EXIF orientation that will be undone.
        box: region of interest, (y0, x0, y1, x1), ends excluded, at full size. Pixels outside of
            the region may hold anything.
        scale: how many times smaller to decode: 1, or one of the format's `reductions`.
        smooth: whether chroma is interpolated between its samples.
        empty: allocates the caller's memory for a shape and a dtype; to be called once.
        report_blemish: called with a description if the file is damaged where no pixel is.
    """

    output: str
    dtype: DType
    orientation: int
    box: Box
    scale: int
    smooth: bool
    empty: Empty
    report_blemish: Callable[[str], None]

    def is_final(self, space: str) -> bool:
        """Return whether upright uint8 pixels in `space` are the final result as they are."""
        return space == self.output and self.dtype == _UINT8 and self.orientation == 1


class StoredImage(NamedTuple):
    """A decoded image as stored: neither turned nor cropped.

    Attributes:
        pixels: HW or HWC.
        space: color space of `pixels`, one of those that `color` names.
        is_final: whether `pixels` lie in memory of the request's `empty` and are the final
            result, but for the crop.
        white: the sample of full brightness, where the file does not use the range of the dtype:
            see `color.convert`.
    """

    pixels: Array
    space: str
    is_final: bool = False
    white: float | None = None


@dataclass(frozen=True, slots=True)
class ImageFormat:
    """One image format. All functions are pure and may run in several threads.

    Attributes:
        name: the name in errors, in `ImageHeader.format` and in the table.
        recognize: returns whether a file that starts with these bytes is of this format. The
            function gets the first `SIGNATURE_BYTES` bytes of the file, or fewer.
        parse_header: returns the header of a whole file.
        decode_cpu: decodes a whole file. The function may return another color space or dtype
            than the request names: the caller converts, turns and crops.
        decodes_on_gpu: returns whether nvImageCodec decodes this file as `decode_cpu` does.
            Without the function, `device="mixed"` decodes the format on the CPU.
        reductions: sizes at which `decode_cpu` can decode faster: 8 means 1/8. The largest first.
    """

    name: str
    recognize: Callable[[bytes], bool]
    parse_header: Callable[[memoryview], ImageHeader]
    decode_cpu: Callable[[Bytes, ImageHeader, DecodeRequest], StoredImage]
    decodes_on_gpu: Callable[[Bytes, ImageHeader], bool] | None = None
    reductions: tuple[int, ...] = ()


def need(view: memoryview, end: int, format_name: str, content: str) -> None:
    """Raise unless `content`, which ends before byte `end`, lies inside `view`."""
    if end > len(view):
        raise decode_error(
            format_name,
            f"the data ends at byte {len(view)} inside {content}",
            expected=f"at least {end} bytes",
        )


def read_fields(
    layout: str, view: memoryview, offset: int, format_name: str, content: str
) -> tuple[Any, ...]:
    """Unpack `struct` fields at `offset`; a field beyond the end is a `DecodeError`."""
    need(view, offset + struct.calcsize(layout), format_name, content)
    return struct.unpack_from(layout, view, offset)


def checked_size(format_name: str, height: int, width: int, at: int) -> tuple[int, int]:
    """Return the size; raise for an empty image."""
    if height <= 0 or width <= 0:
        raise decode_error(
            format_name,
            f"the header says {width} x {height} pixels",
            at=at,
            expected="both to be positive",
        )
    return height, width


def refuse_bomb(format_name: str, height: int, width: int) -> None:
    """Raise for more than `MAX_PIXELS` pixels."""
    if height * width > MAX_PIXELS:
        raise decode_error(
            format_name,
            f"the header claims {width} x {height} pixels",
            expected=f"{MAX_PIXELS} pixels at most",
            remedy="If the image is genuine, cut it into tiles first.",
        )
