"""AU, also named SND: the audio files of Sun and NeXT. libsndfile decodes the samples.

Format: "Audio File Format", Sun Microsystems, 1992: a magic number, the offset of the samples, and
their size in bytes, which a writer that cannot seek leaves at 0xFFFFFFFF.
"""

from __future__ import annotations

import struct

from ....engine.arrays import Bytes
from ..engines import sndfile
from .base import AudioStream, check_extent

NAME = "AU"
_FIELDS = {b".snd": struct.Struct(">4sII"), b"dns.": struct.Struct("<4sII")}
_UNKNOWN_SIZE = 0xFFFFFFFF


def recognize(head: bytes) -> bool:
    """Return whether a file starts as an AU file."""
    return head[:4] in _FIELDS


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file; raise DecodeError if its samples are cut off."""
    fields = _FIELDS[data[:4].tobytes()]
    if len(data) >= fields.size:
        _, offset, size = fields.unpack_from(data.data)
        check_extent(NAME, data, offset, 0 if size == _UNKNOWN_SIZE else size)
    return sndfile.open_stream(NAME, data)
