"""The content of a deflated member of a zip archive, inflated piece by piece."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from ...engine.arrays import Bytes
from ...engine.errors import DecodeError
from ...engine.pending import Later, Pending
from ..storage.storage import Storage

PIECE_BYTES = 1 << 20
"""Bytes that are inflated at once: a core's cache holds them."""

GAP_BYTES = 16 << 10
"""See `Storage.gap`. All bytes are inflated anyway, so wide gaps would only take memory."""


class InflatedMember(Storage):
    """A deflated member as a file of its own.

    Memory holds the packed bytes, one piece of the content, and the ranges that are read. Each
    read inflates the member from its beginning to its end, because only the checksum at the end
    tells whether the bytes are right.
    """

    stamp = ""

    def __init__(self, name: str, packed: Bytes, size: int, checksum: int) -> None:
        """Take the member.

        Args:
            name: name of the member, for messages.
            packed: the deflated bytes.
            size: size of the content, as the archive's directory has it.
            checksum: CRC-32 of the content.
        """
        self.name = name
        self.size = size
        self.gap = GAP_BYTES
        self._packed = packed
        self._checksum = checksum

    def beginning(self, length: int) -> Bytes:
        """Return the first bytes of the content, unverified; fewer if it is shorter.

        Raises:
            DecodeError: the bytes are damaged.
        """
        try:
            content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(self._packed.data, length)
        except zlib.error as error:
            raise self._damaged(str(error)) from None
        return np.frombuffer(content, np.uint8)

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`; raises DecodeError if the bytes are damaged."""
        self.check(np.array(offsets, np.int64), np.array([len(b) for b in buffers], np.int64))
        ranges = sorted(zip(offsets, buffers, strict=True), key=lambda pair: pair[0])

        def finish() -> None:
            first = 0
            for position, piece in self._pieces():
                stop = position + len(piece)
                while first < len(ranges) and ranges[first][0] + len(ranges[first][1]) <= position:
                    first += 1
                for offset, buffer in ranges[first:]:
                    if offset >= stop:
                        break
                    _copy_overlap(piece, position, offset, buffer)

        return Later(finish)

    def close(self) -> None:
        """Do nothing: the packed bytes are in memory."""

    def _pieces(self) -> Iterator[tuple[int, Bytes]]:
        """Yield pieces of the content and their offsets; verify the whole at the end."""
        member = zlib.decompressobj(-zlib.MAX_WBITS)
        position = checksum = 0
        packed: bytes | memoryview = self._packed.data
        while True:
            # One byte more than the member may have: too long a content must be noticed.
            length = min(PIECE_BYTES, self.size + 1 - position)
            try:
                content = member.decompress(packed, length)
            except zlib.error as error:
                raise self._damaged(str(error)) from None
            if not content or position + len(content) > self.size:
                break
            yield position, np.frombuffer(content, np.uint8)
            checksum = zlib.crc32(content, checksum)
            position += len(content)
            packed = member.unconsumed_tail
        if position + len(content) != self.size or checksum != self._checksum:
            raise self._damaged(
                f"{position + len(content)} bytes or more came out of them where the directory "
                f"tells of {self.size}, or their checksum differs"
            )

    def _damaged(self, reason: str) -> DecodeError:
        return DecodeError(f"{self.name}: the deflated bytes are damaged: {reason}")


def _copy_overlap(piece: Bytes, position: int, offset: int, buffer: Bytes) -> None:
    """Copy what a piece of the content, which begins at `position`, has of a range."""
    start = max(offset, position)
    stop = min(offset + len(buffer), position + len(piece))
    if start < stop:
        buffer[start - offset : stop - offset] = piece[start - position : stop - position]
