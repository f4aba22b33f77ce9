"""PNG: headers and checksums of all chunks, because the EXIF chunk may come late.

Source: ISO/IEC 15948 (PNG third edition), sections 5 and 11.
"""

from __future__ import annotations

import struct
import zlib

from ...errors import decode_error
from ..engines import opencv
from . import exif
from .base import Data, DecodeRequest, ImageHeader, StoredImage, checked_size, read_fields

NAME = "PNG"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS_OF_COLOR_TYPE = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
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
    checked_size(NAME, height, width, 16)
    bits = 8 if color_type == 3 else bits
    return ImageHeader(NAME, height, width, channels, bits, _walk(view))


def decode(data: Data, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file; refuse wrong checksums before OpenCV writes them to standard error."""
    _check_sums(data.data)
    return opencv.decode(data, header, request)


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


def _check_sums(view: memoryview) -> None:
    """Raise at the first chunk that pixels depend on and whose checksum is wrong."""
    offset, chunk = len(_SIGNATURE), b""
    while chunk != b"IEND":
        length, chunk = _chunk_head(view, offset)
        end = offset + 12 + length
        expected = int.from_bytes(view[end - 4 : end], "big")
        computed = zlib.crc32(view[offset + 4 : end - 4])
        if computed != expected and _is_critical(chunk):
            raise decode_error(
                NAME,
                f"chunk {chunk!r} has checksum {computed:08x}",
                at=offset,
                expected=f"{expected:08x} as stored",
            )
        offset = end


def _is_critical(chunk: bytes) -> bool:
    return chunk[:1].isupper() or chunk == b"tRNS"
