"""W64: Sony's "Wave 64", WAV with sizes of 8 bytes. libsndfile decodes the samples.

Format: "Sony Pictures Digital Wave 64": chunks of a GUID, a size that includes this header, and
their content, padded to a multiple of 8 bytes.
"""

from __future__ import annotations

import struct

from ....engine.arrays import Bytes
from ..engines import sndfile
from .base import AudioStream, check_extent

NAME = "W64"
_RIFF = b"riff" + bytes.fromhex("2e91cf11a5d628db04c10000")
_DATA = b"data" + bytes.fromhex("f3acd3118cd100c04f8edb8a")
_FILE_HEADER = 40  # a chunk's header, and the GUID "wave"
_CHUNK = struct.Struct("<16sQ")
_UNKNOWN_SIZE = 2**62  # sizes from here on stand in files of writers that could not seek


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a W64 file."""
    return head[:16] == _RIFF


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file; raise DecodeError if its samples are cut off."""
    start = _FILE_HEADER
    while start + _CHUNK.size <= len(data):
        name, size = _CHUNK.unpack_from(data.data, start)
        if name == _DATA and size < _UNKNOWN_SIZE:
            check_extent(NAME, data, start + _CHUNK.size, max(size - _CHUNK.size, 0))
        start += max(_CHUNK.size, size + -size % 8)
    return sndfile.open_stream(NAME, data)
