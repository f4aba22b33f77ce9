"""The chunks of RIFF and IFF files: WAV and AIFF.

Format: "Multimedia Programming Interface and Data Specifications 1.0" (RIFF), EBU Tech 3306 (RF64),
Apple's "AIFF" specification. A chunk is a name of four bytes, the size of its content in four, and
its content, padded to an even size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

HEADER = 8


class Chunk(NamedTuple):
    """One chunk: its name, where its content starts, and the size that its header says."""

    name: bytes
    offset: int
    size: int


def walk(view: memoryview, start: int, order: Literal["little", "big"]) -> Iterator[Chunk]:
    """Yield the chunks from byte `start` on.

    A size may say more bytes than follow: the caller checks the chunks that it needs. Fewer than 8
    bytes at the end are no chunk.
    """
    while start + HEADER <= len(view):
        size = int.from_bytes(view[start + 4 : start + HEADER], order)
        yield Chunk(bytes(view[start : start + 4]), start + HEADER, size)
        start += HEADER + size + size % 2
