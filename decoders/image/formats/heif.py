"""AVIF and HEIF (HEIC): a picture of AV1 or HEVC in boxes of the ISO base media file format.

Properties of the picture turn, mirror and crop it, in their order; EXIF metadata only repeat the
turns. Stored pixels are those that the crop leaves, before turns and mirrors.

Sources: ISO/IEC 23008-12 (HEIF), ISO/IEC 23000-22 (MIAF), "AV1 Image File Format"; ISO/IEC 14496-12
for the crop (clean aperture), with the rounding of libheif.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Bytes
from ...errors import decode_error
from .. import orientation
from ..color import space_of_channels
from ..engines import codecs, libheif
from . import avif_sequence
from .base import (
    Box,
    DecodeRequest,
    ImageHeader,
    StoredImage,
    checked_size,
    read_fields,
    refuse_bomb,
)
from .heif_boxes import FileBox, Items, read_items

AVIF, HEIF = "AVIF", "HEIF"
_AVIF_BRANDS = (b"avif", b"avis")
_HEIF_BRANDS = (
    *(b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"),
    *(b"mif1", b"mif2", b"msf1", b"miaf"),
)
_ALPHA = (b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", b"urn:mpeg:hevc:2015:auxid:1")
_INVERSE = {6: 8, 8: 6}  # orientations; the others undo themselves

# EXIF's orientations by where the four corners of the stored picture are shown, line by line.
_ORIENTATIONS = {
    "abcd": 1,
    "badc": 2,
    "dcba": 3,
    "cdab": 4,
    "acbd": 5,
    "cadb": 6,
    "dbca": 7,
    "bdac": 8,
}


class _PrimaryPicture(NamedTuple):
    """The primary picture: the size that is coded, the part that is shown, and the rest."""

    height: int
    width: int
    shown: Box
    header: ImageHeader


def recognize_avif(head: bytes) -> bool:
    """Return whether a file starts as an AVIF file."""
    return head[4:8] == b"ftyp" and head[8:12] in _AVIF_BRANDS


def recognize_heif(head: bytes) -> bool:
    """Return whether a file starts as a HEIF file."""
    return head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS


def parse_avif(view: memoryview) -> ImageHeader:
    """Return size, channels, bits and orientation of the primary picture, or of the first frame."""
    return avif_sequence.read_header(view, AVIF) or _read(view, AVIF).header


def parse_heif(view: memoryview) -> ImageHeader:
    """Return size, channels, bits and orientation of the primary picture.

    The picture's codec decides whether the file is AVIF or HEIF: many brands stand for both.
    """
    return _read(view, HEIF).header


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode the primary picture, or the first frame; the other pictures are left out.

    Raises:
        DecodeError: the data are damaged, or the codec is not supported.
        MissingDependencyError: imagecodecs or Pillow (AVIF), or pillow-heif (HEIF) is missing.
    """
    if header.format == AVIF and avif_sequence.read_header(data.data, AVIF) is not None:
        return avif_sequence.decode(data, header)
    picture = _read(data.data, header.format)
    refuse_bomb(header.format, picture.height, picture.width)
    pixels = _avif(data, picture) if header.format == AVIF else _heif(data, header)
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    if request.output in ("GRAYA", "RGBA") and channels not in (2, 4):
        raise decode_error(header.format, "the alpha of the picture is missing")
    white = (1 << header.bits) - 1
    return StoredImage(pixels, space_of_channels(channels), white=white)


def _avif(data: Bytes, picture: _PrimaryPicture) -> NDArray[np.generic]:
    """Return the stored pixels. The library neither turns nor crops."""
    # The brand of a still picture, because imagecodecs writes the pictures of a sequence behind
    # the end of its memory.
    data = data.copy()
    data[8:12] = np.frombuffer(b"avif", np.uint8)
    pixels: NDArray[np.generic] = codecs.decode(AVIF, data)
    if pixels.shape[:2] != (picture.height, picture.width):
        raise decode_error(
            AVIF,
            f"the library decoded {pixels.shape}",
            expected=f"{picture.height} x {picture.width} pixels as the header says",
        )
    y0, x0, y1, x1 = picture.shown
    return pixels[y0:y1, x0:x1]


def _heif(data: Bytes, header: ImageHeader) -> NDArray[np.generic]:
    """Return the stored pixels. The library has turned and cropped them."""
    upright = libheif.decode(HEIF, data.tobytes())
    expected = orientation.exchanged((header.height, header.width), header.orientation)
    if upright.shape[:2] != expected:
        raise decode_error(
            HEIF,
            f"the library decoded {upright.shape}",
            expected=f"{expected[0]} x {expected[1]} pixels as the header says",
        )
    if header.orientation == 1:
        return upright
    upright = upright if upright.ndim == 3 else upright[..., None]
    size = orientation.exchanged((upright.shape[0], upright.shape[1]), header.orientation)
    pixels = np.empty((*size, upright.shape[2]), upright.dtype)
    orientation.turn(upright, _INVERSE.get(header.orientation, header.orientation), pixels)
    return pixels


def _read(view: memoryview, name: str) -> _PrimaryPicture:
    """Return the primary picture.

    Args:
        view: the whole file.
        name: name of the format that the brand states.
    """
    items = read_items(view, name)
    own = items.properties.get(items.primary, [])
    at = next((box.start for box in own if box.name == b"ispe"), None)
    if at is None:
        raise decode_error(name, "the primary picture has no size")
    width, height = read_fields(">II", view, at + 4, name, "the picture's size")
    checked_size(name, height, width, at)
    shown, turn = _transformed(view, own, (height, width), name)
    parts = [box for part in items.parts(items.primary) for box in items.properties.get(part, [])]
    coded = {box.name: box for box in (*reversed(parts), *own)}
    format_name = AVIF if b"av1C" in coded else HEIF if b"hvcC" in coded else name
    bits, is_gray = _samples(view, coded, name)
    channels = (1 if is_gray else 3) + _has_alpha(view, items)
    y0, x0, y1, x1 = shown
    header = ImageHeader(format_name, y1 - y0, x1 - x0, channels, bits, turn)
    return _PrimaryPicture(height, width, shown, header)


def _samples(view: memoryview, properties: dict[bytes, FileBox], name: str) -> tuple[int, bool]:
    """Return the bits of a sample, and whether the picture is gray."""
    if b"av1C" in properties:
        (flags,) = read_fields("2xB", view, properties[b"av1C"].start, name, "av1C")
        return (12 if flags & 0x20 else 10) if flags & 0x40 else 8, bool(flags & 0x10)
    if b"hvcC" in properties:
        chroma, depth = read_fields("16xBB", view, properties[b"hvcC"].start, name, "hvcC")
        return 8 + (depth & 7), chroma & 3 == 0
    if b"pixi" in properties:
        count, bits = read_fields(">4xBB", view, properties[b"pixi"].start, name, "pixi")
        return max(1, min(bits, 16)), count == 1
    return 8, False


def _has_alpha(view: memoryview, items: Items) -> bool:
    """Return whether the primary picture, or one of its tiles, has alpha."""
    targets = {items.primary}
    if items.kinds.get(items.primary) == b"grid":
        targets.update(items.parts(items.primary))
    return any(
        box.name == b"auxC" and bytes(view[box.start + 4 : box.end]).startswith(_ALPHA)
        for link, item, target in items.links
        if link == b"auxl" and target in targets
        for box in items.properties.get(item, [])
    )


def _transformed(
    view: memoryview, properties: list[FileBox], size: tuple[int, int], name: str
) -> tuple[Box, int]:
    """Return the part of the coded picture that is shown, and its orientation."""
    shown, corners = (0, 0, *size), "abcd"
    for box in properties:
        if box.name == b"irot":  # quarter turns against the clock
            for _ in range(read_fields("B", view, box.start, name, "irot")[0] & 3):
                corners = _moved(corners, 1, 3, 0, 2)
        elif box.name == b"imir":  # exchanges top and bottom (0), or left and right (1)
            is_across = read_fields("B", view, box.start, name, "imir")[0] & 1
            corners = _moved(corners, 1, 0, 3, 2) if is_across else _moved(corners, 2, 3, 0, 1)
        elif box.name == b"clap":
            turn = _ORIENTATIONS[corners]
            top, left, bottom, right = shown
            stored = (bottom - top, right - left)
            aperture = _aperture(view, box, orientation.exchanged(stored, turn), name)
            y0, x0, y1, x1 = orientation.to_stored(aperture, stored, turn)
            shown = (top + y0, left + x0, top + y1, left + x1)
    return shown, _ORIENTATIONS[corners]


def _moved(corners: str, *places: int) -> str:
    """Return the corners after each place was taken by the corner of another place."""
    return "".join(corners[place] for place in places)


def _aperture(view: memoryview, box: FileBox, size: tuple[int, int], name: str) -> Box:
    """Return the part of a picture of `size` (height, width) that its clean aperture leaves."""
    numbers = read_fields(">IIIIiIiI", view, box.start, name, "the clean aperture")
    if 0 in numbers[1::2]:
        raise decode_error(name, "a clean aperture with a denominator of 0", at=box.start)
    from fractions import Fraction  # takes 2 ms

    half = Fraction(1, 2)
    width, height, across, down = map(Fraction, numbers[::2], numbers[1::2])
    left = int(across + Fraction(size[1] - 1, 2) - (width - 1) / 2)
    top = int(down + Fraction(size[0] - 1, 2) - (height - 1) / 2 + half)
    bottom, right = int(top + height - 1 + half), int(left + width - 1 + half)
    aperture = max(top, 0), max(left, 0), min(bottom + 1, size[0]), min(right + 1, size[1])
    if aperture[0] >= aperture[2] or aperture[1] >= aperture[3]:
        raise decode_error(name, "a clean aperture outside of the picture", at=box.start)
    return aperture
