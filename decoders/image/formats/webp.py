"""WebP: the RIFF container, and the first bytes of each form of bitstream.

Source: RFC 9649.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import cv2

from ...errors import decode_error
from ..engines import opencv
from . import exif
from .base import Data, DecodeRequest, ImageHeader, StoredImage, checked_size, read_fields

NAME = "WebP"
_ANIMATION_FLAG, _EXIF_FLAG, _ALPHA_FLAG = 0x02, 0x08, 0x10
_FRAME_HEAD = 16  # bytes of an ANMF chunk before the chunks of its image
_COMPRESSED_ALPHA = 1
_CHUNKS_AT = 12
_VP8_START_CODE = b"\x9d\x01\x2a"
_VP8L_SIGNATURE = 0x2F


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a WebP file."""
    return head[:4] == b"RIFF" and head[8:12] == b"WEBP"


def decode(data: Data, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file, or the first frame of an animation.

    OpenCV ignores damage in files of the extended form (VP8X), not in those of a simple form. So
    the bitstream is decoded, or at least tried, from a file of a simple form.
    """
    view = data.data
    if bytes(view[_CHUNKS_AT : _CHUNKS_AT + 4]) != b"VP8X":
        return opencv.decode(data, header, request)
    chunks = _image_chunks(view)
    name = b"VP8L" if b"VP8L" in chunks else b"VP8 "
    if name not in chunks:
        raise decode_error(NAME, "no image data", expected="a VP8 or VP8L chunk")
    simple = _simple_file(name, chunks[name])
    is_still = not view[_CHUNKS_AT + 8] & _ANIMATION_FLAG
    if is_still and (name == b"VP8L" or request.output != "RGBA"):
        return opencv.decode(simple, header, request)
    opencv.imdecode(simple, cv2.IMREAD_GRAYSCALE, header)
    if b"ALPH" in chunks:
        _check_alpha(chunks[b"ALPH"], chunks[name], header)
    return opencv.decode(data, header, request)


def parse_header(view: memoryview) -> ImageHeader:
    """Return size, alpha and orientation; an animation counts as its first frame."""
    (riff_size,) = read_fields("<I", view, 4, NAME, "the RIFF header")
    if riff_size + 8 > len(view):
        raise decode_error(
            NAME,
            f"the data ends at byte {len(view)}",
            at=4,
            expected=f"{riff_size + 8} bytes as the RIFF header says",
        )
    chunk, _ = read_fields("<4sI", view, _CHUNKS_AT, NAME, "the first chunk")
    if chunk == b"VP8X":
        return _extended(view, riff_size + 8)
    if chunk == b"VP8L":
        return _lossless(view)
    if chunk == b"VP8 ":
        return _lossy(view)
    raise decode_error(
        NAME, f"first chunk is {chunk!r}", at=_CHUNKS_AT, expected="VP8, VP8L or VP8X"
    )


def _lossy(view: memoryview) -> ImageHeader:
    start_code, width, height = read_fields(
        "<3sHH", view, _CHUNKS_AT + 11, NAME, "the VP8 frame header"
    )
    if start_code != _VP8_START_CODE:
        raise decode_error(
            NAME, f"start code {start_code.hex()}", at=_CHUNKS_AT + 11, expected="9d012a"
        )
    # The upper two bits of each are a scaling hint for the player.
    height, width = checked_size(NAME, height & 0x3FFF, width & 0x3FFF, _CHUNKS_AT + 14)
    return ImageHeader(NAME, height, width, 3, 8)


def _lossless(view: memoryview) -> ImageHeader:
    signature, fields = read_fields("<BI", view, _CHUNKS_AT + 8, NAME, "the VP8L header")
    if signature != _VP8L_SIGNATURE:
        raise decode_error(NAME, f"signature 0x{signature:02x}", at=_CHUNKS_AT + 8, expected="0x2f")
    width, height = (fields & 0x3FFF) + 1, (fields >> 14 & 0x3FFF) + 1
    return ImageHeader(NAME, height, width, 4 if fields >> 28 & 1 else 3, 8)


def _extended(view: memoryview, end: int) -> ImageHeader:
    flags, packed = read_fields("<I6s", view, _CHUNKS_AT + 8, NAME, "the VP8X chunk")
    width = int.from_bytes(packed[:3], "little") + 1
    height = int.from_bytes(packed[3:], "little") + 1
    orientation = _exif_orientation(view[:end]) if flags & _EXIF_FLAG else 1
    return ImageHeader(NAME, height, width, 4 if flags & _ALPHA_FLAG else 3, 8, orientation)


def _exif_orientation(view: memoryview) -> int:
    for chunk, content in _chunks(view, _CHUNKS_AT):
        if chunk == b"EXIF":
            return exif.orientation(content)
    return 1


def _chunks(view: memoryview, offset: int) -> Iterator[tuple[bytes, memoryview]]:
    """Yield name and content of each chunk; the last content may be cut off."""
    while offset + 8 <= len(view):
        chunk, length = struct.unpack_from("<4sI", view, offset)
        yield chunk, view[offset + 8 : offset + 8 + length]
        offset += 8 + length + (length & 1)


def _image_chunks(view: memoryview) -> dict[bytes, memoryview]:
    """Return the chunks of a still image, or those of the first frame of an animation."""
    chunks: dict[bytes, memoryview] = {}
    for chunk, content in _chunks(view, _CHUNKS_AT):
        if chunk == b"ANMF":
            return dict(_chunks(content, _FRAME_HEAD))
        chunks.setdefault(chunk, content)
    return chunks


def _simple_file(name: bytes, content: bytes | memoryview) -> bytes:
    padding = bytes(len(content) & 1)
    size = struct.pack("<I", len(content))
    body = b"".join((b"WEBP", name, size, content, padding))
    return b"".join((b"RIFF", struct.pack("<I", len(body)), body))


def _check_alpha(alpha: memoryview, image: memoryview, header: ImageHeader) -> None:
    """Decode compressed alpha, which is a VP8L image without a header."""
    if not alpha or alpha[0] & 3 != _COMPRESSED_ALPHA:
        return
    width, height = read_fields("<HH", image, 6, NAME, "the VP8 frame header")
    fields = (width & 0x3FFF) - 1 | (height & 0x3FFF) - 1 << 14
    content = struct.pack("<BI", _VP8L_SIGNATURE, fields) + bytes(alpha[1:])
    opencv.imdecode(_simple_file(b"VP8L", content), cv2.IMREAD_COLOR, header)
