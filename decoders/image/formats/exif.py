"""The orientation tag of EXIF metadata, which are a small TIFF file inside the image file.

Source: CIPA DC-008 (EXIF 2.32), section 4.6. Damaged metadata never make an image unreadable: the
image then counts as upright.
"""

from __future__ import annotations

import struct

_ORIENTATION_TAG = 0x0112
_TYPES = {3: "H", 4: "I"}  # SHORT, which the tag should have, and LONG, which some writers use
_BYTE_ORDERS = {b"II": "<", b"MM": ">"}
_PREFIX = b"Exif\0\0"


def orientation(view: memoryview) -> int:
    """Return orientation 1 to 8 from an EXIF block, with or without its `Exif\\0\\0` prefix."""
    if bytes(view[:6]) == _PREFIX:
        view = view[6:]
    order = _BYTE_ORDERS.get(bytes(view[:2]))
    if order is None or len(view) < 8:
        return 1
    magic, directory = struct.unpack_from(order + "HI", view, 2)
    if magic != 42 or directory + 2 > len(view):
        return 1
    (count,) = struct.unpack_from(order + "H", view, directory)
    entry = struct.Struct(order + "HH")
    first = directory + 2
    last = min(first + 12 * count, len(view) - 11)
    for offset in range(first, last, 12):
        tag, field_type = entry.unpack_from(view, offset)
        if tag == _ORIENTATION_TAG:
            number = _TYPES.get(field_type)
            if number is None:
                return 1
            return valid_orientation(*struct.unpack_from(order + number, view, offset + 8))
    return 1


def valid_orientation(value: int) -> int:
    """Return `value` if EXIF defines it, else 1 (upright)."""
    return value if 1 <= value <= 8 else 1
