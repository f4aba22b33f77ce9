"""PNG: headers and checksums of all chunks, because the EXIF chunk may come late.

OpenCV gets the critical chunks alone. So an animation counts as its default image, as the standard
says, where OpenCV would show the first frame. Damaged text, profiles and animations do no harm, and
the transparency of palettes and color keys (tRNS) is dropped, as in DALI.

Source: ISO/IEC 15948 (PNG third edition), sections 5 and 11.
"""

from __future__ import annotations

import struct
import zlib

from ....engine.arrays import Bytes
from ...errors import decode_error
from ..engines import opencv
from . import exif
from .base import DecodeRequest, ImageHeader, StoredImage, checked_size, read_fields

NAME = "PNG"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS_OF_COLOR_TYPE = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
_BITS_OF_COLOR_TYPE = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_chunk_head = struct.Struct(">I4s").unpack_from


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a PNG file."""
    return head[:8] == _SIGNATURE


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, channels, bits and orientation; refuse a file without its end chunk."""
    fields = read_fields(">I4sIIBB", view, 8, NAME, "IHDR")
    length, chunk, width, height, bits, color_type = fields
    if chunk != b"IHDR" or length != 13:
        raise decode_error(
            NAME, f"first chunk is {chunk!r} of {length} bytes", at=8, expected="IHDR of 13 bytes"
        )
    channels = _CHANNELS_OF_COLOR_TYPE.get(color_type)
    if channels is None:
        raise decode_error(NAME, f"color type {color_type}", at=25, expected="0, 2, 3, 4 or 6")
    if bits not in _BITS_OF_COLOR_TYPE[color_type]:
        allowed = ", ".join(map(str, _BITS_OF_COLOR_TYPE[color_type]))
        raise decode_error(
            NAME,
            f"{bits} bits per sample",
            at=24,
            expected=f"one of {allowed} with color type {color_type}",
        )
    checked_size(NAME, height, width, 16)
    bits = 8 if color_type == 3 else bits
    return ImageHeader(NAME, height, width, channels, bits, _walk(view))


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode the default image; refuse wrong checksums before OpenCV writes them to the log."""
    return opencv.decode(_critical_chunks(data.data), header, request)


def _walk(view: memoryview) -> int:
    """Check that every chunk lies inside the data; return the orientation."""
    orientation, offset, size = 1, len(_SIGNATURE), len(view)
    while offset + 12 <= size:
        length, chunk = _chunk_head(view, offset)
        end = offset + 12 + length
        if end > size:
            raise decode_error(
                NAME,
                f"the data ends at byte {size} inside chunk {chunk!r}",
                at=offset,
                expected=f"{length} bytes of content",
            )
        if chunk == b"IEND":
            return orientation
        if chunk == b"eXIf":
            orientation = exif.orientation(view[offset + 8 : end - 4])
        offset = end
    raise decode_error(
        NAME, f"the data ends at byte {size} between chunks", expected="an IEND chunk"
    )


def _critical_chunks(view: memoryview) -> bytes | memoryview:
    """Return the file without the chunks that no pixel depends on.

    Raises:
        DecodeError: a checksum is wrong.
    """
    parts: list[memoryview] = []
    start, offset, chunk = 0, len(_SIGNATURE), b""
    while chunk != b"IEND":
        length, chunk = _chunk_head(view, offset)
        end = offset + 12 + length
        if chunk[:1].isupper():
            _check_sum(view, offset, end, chunk)
        else:
            parts.append(view[start:offset])
            start = end
        offset = end
    return b"".join((*parts, view[start:offset])) if parts else view[:offset]


def _check_sum(view: memoryview, offset: int, end: int, chunk: bytes) -> None:
    expected = int.from_bytes(view[end - 4 : end], "big")
    computed = zlib.crc32(view[offset + 4 : end - 4])
    if computed != expected:
        raise decode_error(
            NAME,
            f"chunk {chunk!r} has checksum {computed:08x}",
            at=offset,
            expected=f"{expected:08x} as stored",
        )
