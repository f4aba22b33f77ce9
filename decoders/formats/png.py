"""PNG headers: a walk over all chunks, since the EXIF chunk may come late.

Source: ISO/IEC 15948 (PNG third edition), sections 5 and 11.
"""

from __future__ import annotations

import struct
import zlib

from . import exif
from .base import Header, checked_size, decode_error, read

NAME = "PNG"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS_OF_COLOUR_TYPE = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
_chunk_head = struct.Struct(">I4s").unpack_from


def parse(view: memoryview) -> Header:
    """Size, channels, bits and orientation; the file must be complete up to its end chunk."""
    length, kind, width, height, bits, colour_type = read(">I4sIIBB", view, 8, NAME, "IHDR")
    if kind != b"IHDR" or length != 13:
        raise decode_error(
            NAME, f"first chunk is {kind!r} of {length} bytes", at=8, expected="IHDR of 13 bytes"
        )
    channels = _CHANNELS_OF_COLOUR_TYPE.get(colour_type)
    if channels is None:
        raise decode_error(NAME, f"colour type {colour_type}", at=25, expected="0, 2, 3, 4 or 6")
    checked_size(NAME, height, width, 16)
    bits = 8 if colour_type == 3 else bits
    return Header(NAME, height, width, channels, bits, _walk(view))


def _walk(view: memoryview) -> int:
    """Check that every chunk lies inside the data; the orientation met on the way."""
    orientation, position, size = 1, len(SIGNATURE), len(view)
    while position + 12 <= size:
        length, kind = _chunk_head(view, position)
        end = position + 12 + length
        if end > size:
            raise decode_error(
                NAME,
                f"the data ends at byte {size} inside chunk {kind!r}",
                at=position,
                expected=f"{length} bytes of content",
            )
        if kind == b"IEND":
            return orientation
        if kind == b"eXIf":
            orientation = exif.orientation(view[position + 8 : end - 4])
        position = end
    raise decode_error(
        NAME, f"the data ends at byte {size} between chunks", expected="an IEND chunk"
    )


def refuse_damage(view: memoryview) -> None:
    """Complain about the first chunk whose checksum is wrong, if there is one."""
    position = len(SIGNATURE)
    while position + 12 <= len(view):
        length, kind = _chunk_head(view, position)
        end = position + 12 + length
        (expected,) = read(">I", view, end - 4, NAME, f"chunk {kind!r}")
        found = zlib.crc32(view[position + 4 : end - 4])
        if found != expected:
            raise decode_error(
                NAME,
                f"chunk {kind!r} has checksum {found:08x}",
                at=position,
                expected=f"{expected:08x} as stored",
            )
        position = end
