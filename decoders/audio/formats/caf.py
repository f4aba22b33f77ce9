"""CAF: Apple's "Core Audio Format". libsndfile decodes the samples.

Format: "Apple Core Audio Format Specification 1.0": chunks of a name, a size of 8 bytes, and their
content. A size of -1 stands for the rest of the file. libsndfile does not know this size, so it is
replaced in a copy.
"""

from __future__ import annotations

import struct

from ....engine.arrays import Bytes
from ..engines import sndfile
from .base import AudioStream, check_extent

NAME = "CAF"
_FILE_HEADER = 8
_CHUNK = struct.Struct(">4sq")


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a CAF file."""
    return head[:4] == b"caff"


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file; raise DecodeError if its samples are cut off."""
    start = _FILE_HEADER
    while start + _CHUNK.size <= len(data):
        name, size = _CHUNK.unpack_from(data.data, start)
        start += _CHUNK.size
        if name == b"data":
            check_extent(NAME, data, start, max(size, 0))
        if size < 0:
            data = data.copy()
            _CHUNK.pack_into(data.data, start - _CHUNK.size, name, len(data) - start)
            break
        start += size
    return sndfile.open_stream(NAME, data)
