"""WebP: the RIFF container, and the first bytes of each form of bitstream.

Source: RFC 9649.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from ....engine.arrays import Bytes
from ...errors import decode_error
from ..engines import opencv
from . import exif
from .base import DecodeRequest, ImageHeader, StoredImage, checked_size, read_fields

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


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file, or the first frame of an animation.

    OpenCV ignores damage in files of the extended form (VP8X), not in those of a simple form. So
    the bitstream is decoded, or at least tried, from a file of a simple form.
    """
    view = data.data
    if bytes(view[_CHUNKS_AT : _CHUNKS_AT + 4]) != b"VP8X":
        return opencv.decode(data, header, request)
    is_still = not view[_CHUNKS_AT + 8] & _ANIMATION_FLAG
    place = (0, 0, header.height, header.width) if is_still else _first_place(view, header)
    frame = replace(header, height=place[2], width=place[3])
    chunks = _image_chunks(view)
    name = b"VP8L" if b"VP8L" in chunks else b"VP8 "
    if name not in chunks:
        raise decode_error(NAME, "no image data", expected="a VP8 or VP8L chunk")
    file = _file(name, chunks[name])
    if name == b"VP8 " and b"ALPH" in chunks and (request.output == "RGBA" or not is_still):
        opencv.imdecode(file, cv2.IMREAD_GRAYSCALE, frame)
        _check_alpha(chunks[b"ALPH"], chunks[name], frame)
        file = _file_with_alpha(chunks, frame)
    if is_still:
        return opencv.decode(file, frame, request)
    pixels = opencv.imdecode(file, cv2.IMREAD_UNCHANGED, frame)
    return _on_canvas(opencv.checked_image(pixels, frame), place, header)


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


def _first_place(view: memoryview, header: ImageHeader) -> tuple[int, int, int, int]:
    """Return top, left, height and width of an animation's first frame."""
    for chunk, content in _chunks(view, _CHUNKS_AT):
        if chunk == b"ANMF" and len(content) >= _FRAME_HEAD:
            left, top, width, height = (
                int.from_bytes(content[i : i + 3], "little") for i in (0, 3, 6, 9)
            )
            place = 2 * top, 2 * left, height + 1, width + 1
            if place[0] + place[2] > header.height or place[1] + place[3] > header.width:
                raise decode_error(NAME, "a frame outside of the canvas")
            return place
    raise decode_error(NAME, "an animation without a frame", expected="an ANMF chunk")


def _on_canvas(
    frame: StoredImage, place: tuple[int, int, int, int], header: ImageHeader
) -> StoredImage:
    """Return the canvas with the frame."""
    pixels = frame.pixels
    if pixels.shape[:2] == (header.height, header.width):
        return frame
    top, left, height, width = place
    canvas = np.zeros((header.height, header.width, *pixels.shape[2:]), pixels.dtype)
    canvas[top : top + height, left : left + width] = pixels
    return StoredImage(canvas, frame.space)


def _file(*chunks: bytes | memoryview) -> bytes:
    """Return a file of chunks, each given by its name and its content."""
    parts: list[bytes | memoryview] = [b"WEBP"]
    for name, content in zip(chunks[::2], chunks[1::2], strict=True):
        parts += [name, struct.pack("<I", len(content)), content, bytes(len(content) & 1)]
    body = b"".join(parts)
    return b"".join((b"RIFF", struct.pack("<I", len(body)), body))


def _file_with_alpha(chunks: dict[bytes, memoryview], frame: ImageHeader) -> bytes:
    """Return a still file of the extended form."""
    width, height = ((size - 1).to_bytes(3, "little") for size in (frame.width, frame.height))
    head = struct.pack("<I", _ALPHA_FLAG) + width + height
    return _file(b"VP8X", head, b"ALPH", chunks[b"ALPH"], b"VP8 ", chunks[b"VP8 "])


def _check_alpha(alpha: memoryview, image: memoryview, header: ImageHeader) -> None:
    """Decode compressed alpha, which is a VP8L image without a header."""
    if not alpha or alpha[0] & 3 != _COMPRESSED_ALPHA:
        return
    width, height = read_fields("<HH", image, 6, NAME, "the VP8 frame header")
    fields = (width & 0x3FFF) - 1 | (height & 0x3FFF) - 1 << 14
    content = struct.pack("<BI", _VP8L_SIGNATURE, fields) + bytes(alpha[1:])
    opencv.imdecode(_file(b"VP8L", content), cv2.IMREAD_COLOR, header)
