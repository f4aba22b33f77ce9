"""Ogg: RFC 3533, with Vorbis, Opus or FLAC inside.

libsndfile takes a file that is cut off, or has a damaged page near its end, for a shorter one. So
the pages and their checksums are verified here: a hundredth of the time that decoding takes.

The position of a page is that of its last sample. The last page ends where the sound ends, often
within a block, so that libsndfile's seek misses samples there. The same holds for every stream of a
chain. `_inexact_end` says how many samples a seek does not find.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ....engine.arrays import Bytes
from ....engine.errors import DecodeError, MissingDependencyError
from ...errors import decode_error
from ..engines import ffmpeg, sndfile
from .base import AudioStream

NAME = "Ogg"
_HEADER_SIZE = 27
_NUMBER = 18  # offset in a page; four bytes
_CHECKSUM = 22  # offset in a page; four bytes, before the number of segments
_MOST_GAPS = 64
"""Places where bytes between pages may be followed by a page. Each costs a checksum."""

_LAST = 4  # flag of the last page of a stream
_NO_POSITION = 2**64 - 1  # of a page in which no packet ends
_TAIL_BYTES = 1 << 18  # of a file; a page has 65,307 bytes at most
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def recognize(head: bytes) -> bool:
    """Return whether a file starts with an Ogg page."""
    return head[:4] == b"OggS"


class Page(NamedTuple):
    """A page: its extent in the file, and fields of its header.

    Attributes:
        start: offset of the first byte.
        end: offset behind the last byte.
        flags: flags of the header.
        position: number of samples up to the end of the last packet that ends in the page.
        stream: serial number of the page's stream.
    """

    start: int
    end: int
    flags: int
    position: int
    stream: int


def open_stream(data: Bytes) -> AudioStream:
    """Open a whole file; raise DecodeError for a damaged page, or if the last page is missing."""
    content = data.tobytes()
    pages = check_pages(content)
    if any(page.end != following.start for page, following in pairwise(pages)):
        content = b"".join(content[page.start : page.end] for page in pages)
        data, pages = np.frombuffer(content, np.uint8), list(walk(content))
    return _open(data, pages)


def open_file(path: str) -> AudioStream:
    """Open a local file, of which the last pages are read."""
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - _TAIL_BYTES))
        tail = file.read()
    start, pages = 0, list[Page]()
    while not pages and (start := tail.find(b"OggS", start)) >= 0:
        pages = list(walk(tail, start))
        if not pages or pages[-1].end < len(tail):  # these bytes are no page by chance
            pages, start = [], start + 1
    return _open(path, pages)


def _open(source: Bytes | str, pages: list[Page]) -> AudioStream:
    try:
        return sndfile.SndfileStream(NAME, source, inexact_end=_inexact_end(pages))
    except DecodeError as error:
        # The pages are sound, so the codec is one that libsndfile does not know, such as Speex.
        try:
            return ffmpeg.open_stream(NAME, source, "ogg")
        except MissingDependencyError as missing:
            raise decode_error(NAME, f"{error}", remedy=str(missing)) from None


def walk(content: bytes, start: int = 0) -> Iterator[Page]:
    """Yield the pages that follow one another from a byte on."""
    while content.startswith(b"OggS", start):
        table = start + _HEADER_SIZE
        body = table + content[table - 1] if table <= len(content) else len(content) + 1
        end = body + sum(content[table:body])
        if end > len(content):
            return
        position, stream = (
            int.from_bytes(content[start + at : start + at + size], "little")
            for at, size in ((6, 8), (14, 4))
        )
        yield Page(start, end, content[start + 5], position, stream)
        start = end


def _inexact_end(pages: list[Page]) -> int:
    """Return the number of samples at the end of a file that a seek does not find."""
    timed = [page for page in pages if page.position != _NO_POSITION]
    if len(timed) < 2 or len({page.stream for page in pages}) > 1:
        return _NO_POSITION  # all samples
    last, end = timed[-2:]
    return end.position - last.position


def check_pages(content: bytes) -> list[Page]:
    """Return the pages; raise DecodeError unless sound ones lead up to the last one of a stream.

    Bytes between two pages do no harm, if the numbers of the pages say that none is missing.
    """
    start, end, is_last = 0, 0, False
    pages: list[Page] = []
    numbers: dict[int, int] = {}
    for _ in range(_MOST_GAPS):
        for page in walk(content, start):
            is_sound = _is_sound(content, page)
            if not is_sound and page.start > end:
                break  # these bytes are no page
            if not is_sound:
                raise decode_error(NAME, "the checksum of a page does not fit", at=page.start)
            number = int.from_bytes(content[page.start + _NUMBER :][:4], "little")
            if page.start > end and number != numbers.get(page.stream, number - 1) + 1:
                raise decode_error(
                    NAME,
                    f"page {number} follows {page.start - end} bytes that are no page",
                    at=page.start,
                    expected=f"page {numbers[page.stream] + 1}",
                )
            numbers[page.stream] = number
            pages.append(page)
            end, is_last = page.end, bool(page.flags & _LAST)
        start = content.find(b"OggS", max(start, end) + 1)
        if is_last or start < 0:
            break
    if not is_last:
        raise decode_error(
            NAME,
            f"pages end at byte {end} of {len(content)}",
            expected="another page up to the last one of the stream",
        )
    return pages


def _is_sound(content: bytes, page: Page) -> bool:
    """Return whether the checksum of a page fits."""
    at = page.start + _CHECKSUM
    return checksum(content[page.start : page.end]) == int.from_bytes(
        content[at : at + 4], "little"
    )


def checksum(page: bytes) -> int:
    """Return the checksum of a page: CRC-32 with the bits of each byte in the other order.

    zlib's CRC-32 starts with ones and inverts its result, which Ogg's does not.
    """
    blanked = page[:_CHECKSUM] + bytes(4) + page[_CHECKSUM + 4 :]
    mirrored = zlib.crc32(blanked.translate(_REVERSED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)
