"""FLAC: RFC 9639. dr_flac or libsndfile verify the checksum of every frame that they decode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array, Bytes
from ...errors import decode_error
from ..engines import drflac, sndfile
from .base import AudioStream

NAME = "FLAC"
_MOST_BLOCKS = 128  # of metadata, before the audio


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a FLAC file."""
    return head[:4] == b"fLaC"


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file; raise DecodeError if it is damaged where libsndfile cannot say it."""
    head = data[:21].tobytes()
    if head[:5] == b"fLaC\0" and len(head) == 21 and not (any(head[18:20]) or head[20] >> 4):
        raise decode_error(NAME, "the header says 0 Hz", at=18, expected="1 Hz or more")
    offset = audio_offset(data)
    starts = data[offset : offset + 2].tobytes() in (b"\xff\xf8", b"\xff\xf9")
    return (drflac.open_stream(NAME, data) if starts else None) or sndfile.open_stream(NAME, data)


def audio_offset(data: Bytes) -> int:
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


@dataclass(frozen=True)
class StoredDigest:
    """The MD5 that the encoder computed of its input.

    Attributes:
        md5: of all samples, channel by channel.
        bits: bits of a sample.
    """

    md5: bytes
    bits: int

    def stored(self, samples: NDArray[np.int32]) -> bytes:
        """Return samples of full range as the bytes of which the MD5 was computed."""
        numbers: Array = (samples >> (32 - self.bits)).astype("<i4")
        width = -(-self.bits // 8)
        return numbers.view(np.uint8).reshape(-1, 4)[:, :width].tobytes()


def stored_digest(data: Bytes) -> StoredDigest | None:
    """Return the MD5 in a file's header; None if the file is not FLAC, or has none.

    The header is the first block of metadata. An encoder that cannot go back leaves zeros.
    """
    head = data[:42].tobytes()
    if len(head) < 42 or head[:4] != b"fLaC" or not any(head[26:]):
        return None
    return StoredDigest(head[26:], ((head[20] & 1) << 4 | head[21] >> 4) + 1)
