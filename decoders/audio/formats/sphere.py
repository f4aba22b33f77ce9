"""SPHERE: the speech files of NIST. libsndfile decodes the samples.

Format: "SPHERE Header Structure", NIST: lines such as "sample_count -i 16000" in a header, whose
size is the second line.
"""

from __future__ import annotations

import math
import re

from ....engine.arrays import Bytes
from ...errors import decode_error
from ..engines import sndfile
from .base import CONVERT, AudioStream, check_extent

NAME = "SPHERE"
_FIRST_LINES = 16  # bytes
_FACTORS = (b"sample_count", b"sample_n_bytes", b"channel_count")  # whose product is the size
_MOST_DIGITS = 15


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a SPHERE file."""
    return head[:8] == b"NIST_1A\n"


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file; raise DecodeError if its samples are cut off, or are compressed."""
    lines = data[:_FIRST_LINES].tobytes().split()
    size = int(lines[1]) if len(lines) > 1 and lines[1].isdigit() else 1024
    header = data[: min(size, len(data))].tobytes()
    coding = re.search(rb"^sample_coding -s\d+ (\S+)", header, re.MULTILINE)
    if coding and b"," in coding[1]:
        raise decode_error(
            NAME,
            f"the samples are compressed: {coding[1].decode('ascii', 'backslashreplace')}",
            expected="samples as they are",
            remedy=f"`sph2pipe -p -f wav IN OUT.wav` unpacks them. {CONVERT}",
        )
    factors = [_integer(header, name) for name in _FACTORS]
    check_extent(NAME, data, size, math.prod(factors))
    return sndfile.open_stream(NAME, data)


def _integer(header: bytes, name: bytes) -> int:
    """Return a field of the header, 0 if it is missing."""
    match = re.search(rb"^%s -i (\d{1,%d})\s" % (name, _MOST_DIGITS), header, re.MULTILINE)
    return int(match[1]) if match else 0
