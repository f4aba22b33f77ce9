"""MP3: MPEG-1 and 2, layer III (ISO/IEC 11172-3).

The padding that encoders add at both ends is cut off, where the file says how long it is. A file
that is cut off is detected if its first frame says how many frames follow. A damaged frame cannot
be detected: MP3 has no checksum that encoders write.
"""

from __future__ import annotations

from ..engines import sndfile
from .base import AudioStream, Data

NAME = "MP3"


def recognize(head: bytes) -> bool:
    """Return whether a file starts with a frame of MPEG audio, layers I to III."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bitrate, rate = head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and layer != 0 and bitrate != 15 and rate != 3


def open_stream(data: Data) -> AudioStream:
    """Open a whole file."""
    return sndfile.open_stream(NAME, data)
