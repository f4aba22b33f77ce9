"""FLAC: RFC 9639. dr_flac or libsndfile verify the checksum of every frame that they decode."""

from __future__ import annotations

from ..engines import drflac, sndfile
from .base import AudioStream, Data

NAME = "FLAC"
_MOST_BLOCKS = 128  # of metadata, before the audio


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a FLAC file."""
    return head[:4] == b"fLaC"


def open_stream(data: Data) -> AudioStream:
    """Open a whole file."""
    offset = audio_offset(data)
    starts = data[offset : offset + 2].tobytes() in (b"\xff\xf8", b"\xff\xf9")
    return (drflac.open_stream(NAME, data) if starts else None) or sndfile.open_stream(NAME, data)


def audio_offset(data: Data) -> int:
    """Return the offset of the first frame, behind all blocks of metadata; 0 if there is none."""
    offset = 4
    for _ in range(_MOST_BLOCKS):
        if offset + 4 > data.size:
            return 0
        block_type, *length = data[offset : offset + 4].tolist()
        offset += 4 + (length[0] << 16 | length[1] << 8 | length[2])
        if block_type & 128:  # the last one
            return offset if offset < data.size else 0
    return 0
