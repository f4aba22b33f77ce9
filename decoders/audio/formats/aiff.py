"""AIFF and AIFF-C: Apple's "Audio Interchange File Format". libsndfile decodes the samples."""

from __future__ import annotations

from ...errors import decode_error
from ..engines import sndfile
from . import chunks
from .base import AudioStream, Data

NAME = "AIFF"


def recognize(head: bytes) -> bool:
    """Return whether a file starts as an AIFF file."""
    return head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC")


def open_stream(data: Data) -> AudioStream:
    """Open a whole file; raise DecodeError if it ends inside its samples."""
    for chunk in chunks.walk(data.data, 12, "big"):
        if chunk.name == b"SSND" and chunk.size > len(data) - chunk.offset:
            raise decode_error(
                NAME,
                f"the data ends at byte {len(data)} inside the samples",
                expected=f"{chunk.size} bytes of samples from byte {chunk.offset} on",
            )
    return sndfile.open_stream(NAME, data)
