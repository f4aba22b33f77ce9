"""AIFF and AIFF-C: Apple's "Audio Interchange File Format". libsndfile decodes the samples."""

from __future__ import annotations

from ....engine.arrays import Bytes
from ...errors import decode_error
from ..engines import sndfile
from . import chunks
from .base import AudioStream, check_extent

NAME = "AIFF"


def recognize(head: bytes) -> bool:
    """Return whether a file starts as an AIFF file."""
    return head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC")


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file; raise DecodeError if its format or its samples are cut off."""
    has_format = False
    for chunk in chunks.walk(data.data, 12, "big"):
        is_whole = chunk.size <= len(data) - chunk.offset
        has_format |= chunk.name == b"COMM" and is_whole
        if chunk.name == b"SSND":
            check_extent(NAME, data, chunk.offset, chunk.size)
    if not has_format:
        raise decode_error(NAME, f"no whole chunk 'COMM' in {len(data)} bytes")
    return sndfile.open_stream(NAME, data)
