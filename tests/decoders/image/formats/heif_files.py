"""Files of HEVC that pillow-heif writes, and properties added to the primary picture of a file."""

from __future__ import annotations

import io
import struct

import numpy as np
import pillow_heif

IROT, IMIR, CLAP = b"irot", b"imir", b"clap"
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def heic(pixels, bits=8, **options):
    """Return a file without losses.

    Args:
        pixels: HWC, of 1 to 4 channels.
        bits: of a sample: 8, 10 or 12.
        options: of pillow-heif.
    """
    height, width, channels = pixels.shape
    mode = _MODES[channels] + (";16" if bits > 8 else "")
    samples = pixels << 16 - bits if bits > 8 else pixels
    file = io.BytesIO()
    saved = pillow_heif.options.SAVE_HDR_TO_12_BIT
    pillow_heif.options.SAVE_HDR_TO_12_BIT = bits == 12
    try:
        pillow_heif.encode(
            mode,
            (width, height),
            np.ascontiguousarray(samples).tobytes(),
            file,
            quality=-1,
            chroma=444,
            matrix_coefficients=0,
            **options,
        )
    finally:
        pillow_heif.options.SAVE_HDR_TO_12_BIT = saved
    return file.getvalue()


def with_properties(content, *properties):
    """Return the file with properties added to its primary picture, to be applied in this order.

    Args:
        content: a file with small numbers of items, properties and offsets, as libraries write it.
        properties: name and content of each.
    """
    file = _boxes(content, 0, len(content))
    meta_start, meta_end = file[b"meta"]
    meta = _boxes(content, meta_start + 12, meta_end)
    start, end = meta[b"iprp"]
    inner = _boxes(content, start + 8, end)
    shared = content[slice(*inner[b"ipco"])][8:]
    count = len(_starts(shared))
    (item,) = struct.unpack_from(">H", content, meta[b"pitm"][0] + 12)
    added = bytes(0x80 | count + 1 + i for i in range(len(properties)))
    links = _linked(content[slice(*inner[b"ipma"])][8:], item, added)
    shared += b"".join(_box(property_[:4], property_[4:]) for property_ in properties)
    iprp = _box(b"iprp", _box(b"ipco", shared) + _box(b"ipma", links))
    body = content[meta_start + 8 : start] + iprp + content[end:meta_end]
    head = bytearray(content[:meta_start] + _box(b"meta", body))
    _move(head, meta_start, len(iprp) - (end - start))
    return bytes(head) + content[meta_end:]


def _box(name, content):
    return struct.pack(">I4s", 8 + len(content), name) + content


def _starts(content):
    starts, offset = [], 0
    while offset < len(content):
        starts.append(offset)
        offset += struct.unpack_from(">I", content, offset)[0]
    return starts


def _boxes(content, offset, end):
    """Return the extent of each box, with its head."""
    found = {}
    while offset < end:
        size, name = struct.unpack_from(">I4s", content, offset)
        found[name] = (offset, offset + size)
        offset += size
    return found


def _linked(links, item, added):
    """Return the content of a box ipma with properties added to an item."""
    assert links[:4] == bytes(4)
    result, offset = links[:8], 8
    while offset < len(links):
        number, count = struct.unpack_from(">HB", links, offset)
        numbers = links[offset + 3 : offset + 3 + count] + (added if number == item else b"")
        result += struct.pack(">HB", number, len(numbers)) + numbers
        offset += 3 + count
    return result


def _move(head, meta_start, distance):
    """Move the offsets of the items that lie behind the metadata."""
    start, _ = _boxes(head, meta_start + 12, len(head))[b"iloc"]
    version, sizes, bases = head[start + 8], head[start + 12], head[start + 13]
    offset_bytes, length_bytes, base_bytes = sizes >> 4, sizes & 15, bases >> 4
    at = start + 16
    for _ in range(*struct.unpack_from(">H", head, start + 14)):
        is_in_file = version == 0 or not head[at + 3] & 15
        at += 6 if version else 4
        base, at = at, at + base_bytes
        (extents,) = struct.unpack_from(">H", head, at)
        at += 2
        if base_bytes and is_in_file:
            _add(head, base, base_bytes, distance)
        for _ in range(extents):
            if not base_bytes and is_in_file:
                _add(head, at, offset_bytes, distance)
            at += offset_bytes + length_bytes


def _add(head, at, size, distance):
    value = int.from_bytes(head[at : at + size], "big") + distance
    head[at : at + size] = value.to_bytes(size, "big")
