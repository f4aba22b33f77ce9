"""Ogg: RFC 3533, with Vorbis, Opus or FLAC inside.

libsndfile takes a file that is cut off, or has a damaged page near its end, for a shorter one. So
the pages and their checksums are verified here: a hundredth of the time that decoding takes.
"""

from __future__ import annotations

import zlib

from ...errors import decode_error
from ..engines import sndfile
from .base import AudioStream, Data

NAME = "Ogg"
_HEADER_SIZE = 27
_CHECKSUM = 22  # offset in a page; four bytes, before the number of segments
_LAST = 4  # flag of the last page of a stream
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def recognize(head: bytes) -> bool:
    """Return whether a file starts with an Ogg page."""
    return head[:4] == b"OggS"


def open_stream(data: Data) -> AudioStream:
    """Open a whole file; raise DecodeError for a damaged page, or if the last page is missing."""
    check_pages(data.tobytes())
    return sndfile.open_stream(NAME, data)


def check_pages(content: bytes) -> None:
    """Raise DecodeError unless sound pages follow one another up to the last page of a stream."""
    start, is_last = 0, False
    while content.startswith(b"OggS", start):
        table = start + _HEADER_SIZE
        body = table + content[table - 1] if table <= len(content) else len(content) + 1
        end = body + sum(content[table:body])
        if end > len(content):
            break
        if checksum(content[start:end]) != int.from_bytes(
            content[start + _CHECKSUM : start + _CHECKSUM + 4], "little"
        ):
            raise decode_error(NAME, "the checksum of a page does not fit", at=start)
        is_last = bool(content[start + 5] & _LAST)
        start = end
    if not is_last:
        raise decode_error(
            NAME,
            f"pages end at byte {start} of {len(content)}",
            expected="another page up to the last one of the stream",
        )


def checksum(page: bytes) -> int:
    """Return the checksum of a page: CRC-32 with the bits of each byte in the other order.

    zlib's CRC-32 starts with ones and inverts its result, which Ogg's does not.
    """
    blanked = page[:_CHECKSUM] + bytes(4) + page[_CHECKSUM + 4 :]
    mirrored = zlib.crc32(blanked.translate(_REVERSED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)
