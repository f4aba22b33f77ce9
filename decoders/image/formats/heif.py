"""AVIF and HEIF: boxes of the ISO base media file format around a picture of AV1 or HEVC.

Turns and mirrors stand in properties of the picture; EXIF metadata only repeat them.

Sources: ISO/IEC 23008-12 (HEIF), ISO/IEC 23000-22 (MIAF), and "AV1 Image File Format".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...errors import FETCH_AGAIN, decode_error
from ..color import space_of_channels
from ..engines import codecs
from .base import CONVERT, Data, DecodeRequest, ImageHeader, StoredImage, checked_size, read_fields

AVIF, HEIF = "AVIF", "HEIF"
_AVIF_BRANDS = (b"avif", b"avis")
_HEIF_BRANDS = (b"miaf", b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_MOST_BOXES = 1 << 16
_ALPHA = (b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", b"urn:mpeg:hevc:2015:auxid:1")

# EXIF's orientation by quarter turns against the clock, and by what is exchanged after the turn:
# nothing, top and bottom (0), or left and right (1).
_ORIENTATIONS = {
    None: (1, 8, 3, 6),
    0: (4, 5, 2, 7),
    1: (2, 7, 4, 5),
}


class _Box(NamedTuple):
    name: bytes
    start: int
    end: int


def recognize_avif(head: bytes) -> bool:
    """Return whether a file starts as an AVIF file."""
    return head[4:8] == b"ftyp" and head[8:12] in _AVIF_BRANDS


def recognize_heif(head: bytes) -> bool:
    """Return whether a file starts as a HEIF file."""
    return head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS


def parse_avif(view: memoryview) -> ImageHeader:
    """Return size, channels, bits and orientation of an AVIF file's primary picture."""
    return _parse(view, AVIF)


def parse_heif(view: memoryview) -> ImageHeader:
    """Return size, channels, bits and orientation of a HEIF file's primary picture."""
    brands = _brands(view)
    return _parse(view, AVIF if any(brand in brands for brand in _AVIF_BRANDS) else HEIF)


def decode(data: Data, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode the primary picture; the other pictures of a sequence are left out.

    Raises:
        DecodeError: the data are damaged.
        MissingDependencyError: imagecodecs is missing.
    """
    if header.format == AVIF:
        # The brand of a still picture, because imagecodecs writes the pictures of a sequence behind
        # the end of its memory.
        data = data.copy()
        data[8:12] = np.frombuffer(b"avif", np.uint8)
    pixels = codecs.decode(header.format, data)
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    white = (1 << header.bits) - 1
    return StoredImage(pixels, space_of_channels(channels), white=white)


def _parse(view: memoryview, name: str) -> ImageHeader:
    top = {box.name: box for box in _boxes(view, 0, len(view), name)}
    if b"meta" not in top:
        is_sequence = b"moov" in top
        problem = "a sequence without a still picture" if is_sequence else "no metadata"
        remedy = CONVERT if is_sequence else FETCH_AGAIN
        raise decode_error(name, problem, expected="a box meta", remedy=remedy)
    meta = top[b"meta"]
    boxes = {box.name: box for box in _boxes(view, meta.start + 4, meta.end, name)}
    if b"pitm" not in boxes or b"iprp" not in boxes:
        raise decode_error(
            name, "a file without a still picture", expected="a primary item", remedy=CONVERT
        )
    primary = _item_number(view, boxes[b"pitm"].start, name)
    shared, items = _properties(view, boxes[b"iprp"], name)
    own = {box.name: box for box in items.get(primary, [])}
    if b"ispe" not in own:
        raise decode_error(name, "the primary picture has no size", at=meta.start)
    width, height = read_fields(">II", view, own[b"ispe"].start + 4, name, "the picture's size")
    checked_size(name, height, width, own[b"ispe"].start)
    bits, is_gray = _samples(view, {box.name: box for box in shared} | own, name)
    alpha = any(_is_alpha(view, items.get(i, [])) for i in _auxiliaries(view, boxes, primary, name))
    channels = (1 if is_gray else 3) + alpha
    return ImageHeader(name, height, width, channels, bits, _orientation(view, own, name))


def _brands(view: memoryview) -> set[bytes]:
    (size,) = read_fields(">I", view, 0, HEIF, "the first box")
    brands = bytes(view[16 : min(size, 256)])
    return {brands[i : i + 4] for i in range(0, len(brands), 4)}


def _boxes(view: memoryview, offset: int, end: int, name: str) -> Iterator[_Box]:
    """Yield the boxes between two offsets; the last may end behind the data."""
    for _ in range(_MOST_BOXES):
        if offset + 8 > end:
            return
        size, box = struct.unpack_from(">I4s", view, offset)
        start = offset + 8
        if size == 1:
            (size,) = read_fields(">Q", view, start, name, "a box header")
            start += 8
        stop = end if size == 0 else offset + size
        if stop < start:
            raise decode_error(name, f"box {box!r} says it is {size} bytes long", at=offset)
        if stop > end and box != b"mdat":
            raise decode_error(
                name, f"the data ends at byte {end} inside box {box!r}", expected=f"{stop} bytes"
            )
        yield _Box(box, start, stop)
        offset = stop


def _item_number(view: memoryview, start: int, name: str) -> int:
    """Return the number behind a box's version and flags: of 2 bytes in version 0, else of 4."""
    (version,) = read_fields("B", view, start, name, "the primary item")
    (number,) = read_fields(">I" if version else ">H", view, start + 4, name, "the primary item")
    return int(number)


def _properties(
    view: memoryview, parent: _Box, name: str
) -> tuple[list[_Box], dict[int, list[_Box]]]:
    """Return all properties, and those of each item."""
    shared: list[_Box] = []
    items: dict[int, list[_Box]] = {}
    for box in _boxes(view, parent.start, parent.end, name):
        if box.name == b"ipco":
            shared = list(_boxes(view, box.start, box.end, name))
    for box in _boxes(view, parent.start, parent.end, name):
        if box.name == b"ipma":
            for item, numbers in _associations(view, box, name):
                items[item] = [shared[i - 1] for i in numbers if 0 < i <= len(shared)]
    return shared, items


def _associations(view: memoryview, box: _Box, name: str) -> Iterator[tuple[int, list[int]]]:
    head, count = read_fields(">II", view, box.start, name, "the properties")
    item_layout, number_layout = ">I" if head >> 24 else ">H", ">H" if head & 1 else "B"
    number_bytes = struct.calcsize(number_layout)
    is_essential = 1 << 8 * number_bytes - 1
    offset = box.start + 8
    for _ in range(min(count, _MOST_BOXES)):
        (item,) = read_fields(item_layout, view, offset, name, "the properties")
        offset += struct.calcsize(item_layout)
        (length,) = read_fields("B", view, offset, name, "the properties")
        numbers = [
            read_fields(number_layout, view, offset + 1 + i * number_bytes, name, "the properties")
            for i in range(length)
        ]
        offset += 1 + length * number_bytes
        yield item, [number & ~is_essential for (number,) in numbers]


def _samples(view: memoryview, properties: dict[bytes, _Box], name: str) -> tuple[int, bool]:
    """Return the bits of a sample, and whether the picture is gray."""
    if b"pixi" in properties:
        count, bits = read_fields(">4xBB", view, properties[b"pixi"].start, name, "pixi")
        return max(1, min(bits, 16)), count == 1
    if b"av1C" in properties:
        (flags,) = read_fields("2xB", view, properties[b"av1C"].start, name, "av1C")
        return (12 if flags & 0x20 else 10) if flags & 0x40 else 8, bool(flags & 0x10)
    if b"hvcC" in properties:
        chroma, depth = read_fields("16xBB", view, properties[b"hvcC"].start, name, "hvcC")
        return 8 + (depth & 7), chroma & 3 == 0
    return 8, False


def _auxiliaries(view: memoryview, boxes: dict[bytes, _Box], primary: int, name: str) -> set[int]:
    """Return the items that belong to the primary one or to its tiles, such as their alpha."""
    links = list(_links(view, boxes[b"iref"], name)) if b"iref" in boxes else []
    tiles = {target for link, item, target in links if link == b"dimg" and item == primary}
    targets = tiles | {primary}
    return {item for link, item, target in links if link == b"auxl" and target in targets}


def _links(view: memoryview, box: _Box, name: str) -> Iterator[tuple[bytes, int, int]]:
    """Yield the kind of each link between items, the item and the item that it refers to."""
    (version,) = read_fields("B", view, box.start, name, "the references")
    layout, size = (">I", 4) if version else (">H", 2)
    for child in _boxes(view, box.start + 4, box.end, name):
        (item,) = read_fields(layout, view, child.start, name, "a reference")
        (count,) = read_fields(">H", view, child.start + size, name, "a reference")
        for i in range(count):
            at = child.start + size + 2 + i * size
            (target,) = read_fields(layout, view, at, name, "a reference")
            yield child.name, item, target


def _is_alpha(view: memoryview, properties: list[_Box]) -> bool:
    return any(
        box.name == b"auxC" and bytes(view[box.start + 4 : box.end]).startswith(_ALPHA)
        for box in properties
    )


def _orientation(view: memoryview, properties: dict[bytes, _Box], name: str) -> int:
    turns, exchange = 0, None
    if b"irot" in properties:
        turns = read_fields("B", view, properties[b"irot"].start, name, "irot")[0] & 3
    if b"imir" in properties:
        exchange = read_fields("B", view, properties[b"imir"].start, name, "imir")[0] & 1
    return _ORIENTATIONS[exchange][turns]
