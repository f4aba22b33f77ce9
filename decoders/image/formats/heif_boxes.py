"""The boxes of AVIF and HEIF: the items of a file, their properties, and how they belong together.

Sources: ISO/IEC 14496-12 (boxes) and ISO/IEC 23008-12 (HEIF).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from ....engine.errors import DecodeError
from ...errors import FETCH_AGAIN, decode_error
from .base import CONVERT, read_fields

_MOST_BOXES = 1 << 16


class FileBox(NamedTuple):
    """A box: its name, and the extent of its content in the file."""

    name: bytes
    start: int
    end: int


class Items(NamedTuple):
    """The items of a file, such as pictures, tiles, alpha and metadata.

    Attributes:
        primary: number of the picture to show. If the file names a thumbnail, that of its picture.
        kinds: kind of each item: b"hvc1" and b"av01" are coded pictures, b"grid" one of tiles.
        properties: properties of each item, in the order in which they are applied.
        links: kind of each reference, the item that refers, and the item that it refers to.
    """

    primary: int
    kinds: dict[int, bytes]
    properties: dict[int, list[FileBox]]
    links: list[tuple[bytes, int, int]]

    def parts(self, item: int) -> list[int]:
        """Return the items that an item is composed of, such as its tiles."""
        return [target for link, source, target in self.links if (link, source) == (b"dimg", item)]


def read_items(view: memoryview, name: str) -> Items:
    """Read the items of a file.

    Args:
        view: the whole file.
        name: name of the format, for errors.

    Raises:
        DecodeError: the boxes are damaged, or there is no still picture.
    """
    top = top_boxes(view, name)
    if b"meta" not in top:
        is_sequence = b"moov" in top
        problem = "a sequence without a still picture" if is_sequence else "no metadata"
        remedy = CONVERT if is_sequence else FETCH_AGAIN
        raise decode_error(name, problem, expected="a box meta", remedy=remedy)
    meta = top[b"meta"]
    boxes = {box.name: box for box in boxes_of(view, meta.start + 4, meta.end, name)}
    if b"pitm" not in boxes or b"iprp" not in boxes:
        raise decode_error(
            name, "a file without a still picture", expected="a primary item", remedy=CONVERT
        )
    links = list(_links(view, boxes[b"iref"], name)) if b"iref" in boxes else []
    primary = _number(view, boxes[b"pitm"].start, name)
    pictures = [target for link, item, target in links if (link, item) == (b"thmb", primary)]
    return Items(
        pictures[0] if pictures else primary,
        dict(_kinds(view, boxes[b"iinf"], name)) if b"iinf" in boxes else {},
        _properties(view, boxes[b"iprp"], name),
        links,
    )


def top_boxes(view: memoryview, name: str) -> dict[bytes, FileBox]:
    """Return the boxes of a file. Bytes behind a whole picture, such as text, are no boxes."""
    top: dict[bytes, FileBox] = {}
    try:
        for box in boxes_of(view, 0, len(view), name):
            top[box.name] = box
    except DecodeError:
        if not (b"meta" in top and b"mdat" in top and top[b"mdat"].end <= len(view)):
            raise
    return top


def boxes_of(view: memoryview, offset: int, end: int, name: str) -> Iterator[FileBox]:
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
        yield FileBox(box, start, stop)
        offset = stop


def _number(view: memoryview, start: int, name: str) -> int:
    """Return the number behind a box's version and flags: of 2 bytes in version 0, else of 4."""
    (version,) = read_fields("B", view, start, name, "a number of items")
    (number,) = read_fields(">I" if version else ">H", view, start + 4, name, "a number of items")
    return int(number)


def _kinds(view: memoryview, parent: FileBox, name: str) -> Iterator[tuple[int, bytes]]:
    (version,) = read_fields("B", view, parent.start, name, "the items")
    for box in boxes_of(view, parent.start + (8 if version else 6), parent.end, name):
        (version,) = read_fields("B", view, box.start, name, "an item")
        if version in (2, 3):
            layout = ">IH4s" if version == 3 else ">HH4s"
            item, _, kind = read_fields(layout, view, box.start + 4, name, "an item")
            yield item, kind


def _properties(view: memoryview, parent: FileBox, name: str) -> dict[int, list[FileBox]]:
    """Return the properties of each item."""
    shared: list[FileBox] = []
    items: dict[int, list[FileBox]] = {}
    for box in boxes_of(view, parent.start, parent.end, name):
        if box.name == b"ipco":
            shared = list(boxes_of(view, box.start, box.end, name))
    for box in boxes_of(view, parent.start, parent.end, name):
        if box.name == b"ipma":
            for item, numbers in _associations(view, box, name):
                items[item] = [shared[i - 1] for i in numbers if 0 < i <= len(shared)]
    return items


def _associations(view: memoryview, box: FileBox, name: str) -> Iterator[tuple[int, list[int]]]:
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


def _links(view: memoryview, box: FileBox, name: str) -> Iterator[tuple[bytes, int, int]]:
    (version,) = read_fields("B", view, box.start, name, "the references")
    layout, size = (">I", 4) if version else (">H", 2)
    for child in boxes_of(view, box.start + 4, box.end, name):
        (item,) = read_fields(layout, view, child.start, name, "a reference")
        (count,) = read_fields(">H", view, child.start + size, name, "a reference")
        for i in range(count):
            at = child.start + size + 2 + i * size
            (target,) = read_fields(layout, view, at, name, "a reference")
            yield child.name, item, target
