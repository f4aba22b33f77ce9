"""JPEG 2000: headers of JP2 files and of raw codestreams, and their decoding with OpenJPEG.

OpenJPEG comes with imagecodecs, which OpenCV's own copy does not replace: OpenCV refuses or
misreads depths other than 8 and 16 bits, signed samples, gray with alpha, and palettes.

Source: ITU-T T.800, annexes A (codestream) and I (JP2 boxes); ITU-T T.801, annex M (colors).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....engine.arrays import Array, Bytes
from ...errors import decode_error
from .. import color
from ..engines import libraries
from .base import CONVERT, DecodeRequest, ImageHeader, StoredImage, checked_size, need, read_fields

NAME = "JPEG 2000"
_BOX_SIGNATURE = b"\x00\x00\x00\x0cjP  \r\n\x87\n"
_CODESTREAM_START = b"\xff\x4f\xff\x51"
_HEADER_BOX_HEAD = 8
_ENUMERATED, _CMYK, _YCC, _E_YCC = 1, 12, 18, 24
_UNCONVERTED = {14: "CIELab", 19: "CIEJab"}
_SUBSAMPLED = {(1, 1), (2, 1), (2, 2)}  # columns and lines for a chroma sample, for OpenJPEG
_DEEPEST_BRIGHTNESS = 16  # bits; deeper integers are numbers
_MOST_SAMPLES = 1 << 30  # of a picture: four times the most pixels


class Component(NamedTuple):
    """The form of one component.

    Attributes:
        depth: bits of a sample, less one; the highest bit says that samples are signed.
        across, down: columns and lines of the picture for one sample.
    """

    depth: int
    across: int
    down: int


class Jp2Header(NamedTuple):
    """Facts that the boxes state.

    Attributes:
        palette: channels and depth of the palette; None without one.
        profiles: offsets of the boxes that hold an ICC profile.
        color_at: offset of the box that holds the number of the color space; 0 without one.
        color_space: this number.
    """

    palette: tuple[int, int] | None = None
    profiles: tuple[int, ...] = ()
    color_at: int = 0
    color_space: int = 0


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a JP2 file or as a raw codestream."""
    return head[:12] == _BOX_SIGNATURE or head[:4] == _CODESTREAM_START


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file.

    Raises:
        DecodeError: the data are damaged, or of a form that OpenJPEG does not put together.
        MissingDependencyError: imagecodecs is missing.
    """
    imagecodecs = libraries.load("imagecodecs", NAME)
    view = data.data
    boxes, start = _parse(view)
    components = _components(view, start)
    _refuse_unsupported(header, boxes, components)
    try:
        pixels = imagecodecs.jpeg2k_decode(_with_known_color(view, boxes), numthreads=1)
    except NotImplementedError as error:
        raise decode_error(NAME, f"OpenJPEG: {error}", remedy=CONVERT) from error
    except (imagecodecs.Jpeg2kError, ValueError) as error:
        raise decode_error(NAME, f"OpenJPEG cannot decode the data ({error})") from error
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    if pixels.shape[2] != header.channels:
        raise decode_error(
            NAME, f"{pixels.shape[2]} channels came", expected=f"{header.channels}, as stated"
        )
    return _interpreted(pixels, header, request.output)


def _interpreted(pixels: Array, header: ImageHeader, output: str) -> StoredImage:
    white = float((1 << header.bits) - 1)
    if pixels.dtype.kind == "i":  # signed samples lie around the middle of the range
        half = 1 << (header.bits - 1)
        pixels = (pixels.astype(np.int64) + half).astype(f"u{pixels.itemsize}")
    if header.bits > _DEEPEST_BRIGHTNESS:
        white = color.NUMBERS
    space = header.space_of("ANY_DATA")
    if space == "CMYK" and output != "CMYK":
        return StoredImage(color.cmyk_to_rgb(pixels, white), "RGB", white=white)
    return StoredImage(pixels, space, white=white)


def _refuse_unsupported(header: ImageHeader, boxes: Jp2Header, components: list[Component]) -> None:
    depths = sorted({(component.depth & 0x7F) + 1 for component in components})
    problem = ""
    if len({component.depth for component in components}) > 1:
        problem = f"a mixture of components of {depths} bits, or of signed and unsigned ones,"
    elif header.space == "CMYK" and header.bits > _DEEPEST_BRIGHTNESS:
        problem = f"inks of {header.bits} bits"
    elif boxes.color_space in _UNCONVERTED:
        problem = f"the color space {_UNCONVERTED[boxes.color_space]}"
    elif not _has_sizes_of_ycc(components):
        steps = ", ".join(f"{component.across} x {component.down}" for component in components)
        problem = f"a subsampling by {steps} columns and lines"
    elif header.height * header.width * header.channels > _MOST_SAMPLES:
        problem = f"a picture of {header.channels} x {header.width} x {header.height} samples"
    if problem:
        raise decode_error(NAME, f"{problem} is not supported", remedy=CONVERT)


def _has_sizes_of_ycc(components: list[Component]) -> bool:
    """Return whether OpenJPEG puts the components together: of one size, or chroma of another."""
    sizes = [(component.across, component.down) for component in components]
    chroma = set(sizes[1:3])
    return len(chroma) <= 1 and chroma <= _SUBSAMPLED and {sizes[0], *sizes[3:]} == {(1, 1)}


def _with_known_color(view: memoryview, boxes: Jp2Header) -> bytes | memoryview:
    """Return the file, or a copy without what imagecodecs would do to its colors.

    It applies ICC profiles, unlike all other decoders here, and does not convert e-YCC, which
    differs from YCC in samples beyond the range alone.
    """
    if not boxes.profiles and boxes.color_space != _E_YCC:
        return view
    copy = bytearray(view)
    for offset in boxes.profiles:
        copy[offset + 4 : offset + 8] = b"free"
    if boxes.color_space == _E_YCC:
        copy[boxes.color_at + 11 : boxes.color_at + 15] = _YCC.to_bytes(4, "big")
    return bytes(copy)


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, channels and bits; a palette counts as the channels that it maps to."""
    boxes, start = _parse(view)
    right, bottom, left, top = read_fields(">4I", view, start + 8, NAME, "the image size")
    checked_size(NAME, bottom - top, right - left, start + 8)
    components = _components(view, start)
    channels, bits = len(components), (components[0].depth & 0x7F) + 1
    if boxes.palette is not None:
        channels, bits = boxes.palette
    space = "CMYK" if boxes.color_space == _CMYK and channels == 4 else ""
    return ImageHeader(NAME, bottom - top, right - left, channels, bits, space=space)


def _parse(view: memoryview) -> tuple[Jp2Header, int]:
    """Return the facts that the boxes state, and the offset of the codestream."""
    boxes, offset = Jp2Header(), 0
    if bytes(view[:4]) == _CODESTREAM_START:
        return boxes, 0
    while offset + _HEADER_BOX_HEAD <= len(view):
        box, start, end = _box(view, offset)
        if box == b"jp2h":
            boxes = _header_boxes(view, start, end)
        elif box == b"jp2c":
            if bytes(view[start : start + 4]) != _CODESTREAM_START:
                raise decode_error(NAME, "no codestream", at=start, expected="the bytes ff4fff51")
            return boxes, start
        offset = end
    raise decode_error(
        NAME, f"the data ends at byte {len(view)}", expected="a codestream box (jp2c)"
    )


def _header_boxes(view: memoryview, offset: int, end: int) -> Jp2Header:
    header = Jp2Header()
    while offset + _HEADER_BOX_HEAD <= end:
        at = offset
        box, start, offset = _box(view, at)
        if box == b"pclr":
            _, columns, depth = read_fields(">HBB", view, start, NAME, "the palette box")
            header = header._replace(palette=(columns, (depth & 0x7F) + 1))
        elif box == b"colr" and start == at + _HEADER_BOX_HEAD:
            (method,) = read_fields(">B", view, start, NAME, "the color box")
            if method != _ENUMERATED:
                header = header._replace(profiles=(*header.profiles, at))
            elif not header.color_at:
                (space,) = read_fields(">I", view, start + 3, NAME, "the color box")
                header = header._replace(color_at=at, color_space=space)
    return header


def _box(view: memoryview, offset: int) -> tuple[bytes, int, int]:
    """Return the name of the box at `offset`, and start and end of its content."""
    length, name = read_fields(">I4s", view, offset, NAME, "a box header")
    start = offset + _HEADER_BOX_HEAD
    if length == 1:
        (length,) = read_fields(">Q", view, start, NAME, "a box header")
        start += 8
    end = len(view) if length == 0 else offset + length
    if end < start:
        raise decode_error(NAME, f"box {name!r} says it is {length} bytes long", at=offset)
    need(view, end, NAME, f"box {name!r}")
    return name, start, end


def _components(view: memoryview, start: int) -> list[Component]:
    (count,) = read_fields(">H", view, start + 40, NAME, "the components")
    if count == 0:
        raise decode_error(NAME, "no components", at=start + 40, expected="1 or more")
    fields = read_fields(f">{3 * count}B", view, start + 42, NAME, "the components")
    return [Component(*fields[i : i + 3]) for i in range(0, 3 * count, 3)]
