"""FLAC: RFC 9639. libsndfile verifies the checksum of every frame that it decodes."""

from __future__ import annotations

from ..engines import sndfile
from .base import AudioStream, Data

NAME = "FLAC"


def recognize(head: bytes) -> bool:
    """Return whether a file starts as a FLAC file."""
    return head[:4] == b"fLaC"


def open_stream(data: Data) -> AudioStream:
    """Open a whole file."""
    return sndfile.open_stream(NAME, data)
