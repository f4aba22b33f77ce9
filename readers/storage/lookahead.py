"""Reading a few bytes here and there from the front of a file to its end."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Bytes
from .storage import Storage

MAX_READ_BYTES = 4 << 20
"""Bytes of a read."""


class Lookahead:
    """A file's bytes for a scan that jumps from one header to the next.

    One large read fetches headers that lie close together. Where many bytes lie between headers,
    the headers alone are read.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._smallest = max(512, storage.gap // 4)
        self._sparse = 2 * storage.gap  # bytes from one header to the next
        self._size = self._smallest
        self._start = 0
        self._window = memoryview(b"")
        self._end = 0
        self._taken = 0

    def take(self, offset: int, length: int) -> bytes:
        """Return the bytes `[offset, offset + length)`, which must lie in the file.

        Raises:
            OSError: they cannot be read. SourceError if the file became shorter.
        """
        if not self._start <= offset <= offset + length <= self._end:
            self._move(offset, length)
        self._taken += 1
        start = offset - self._start
        return bytes(self._window[start : start + length])

    def _move(self, offset: int, length: int) -> None:
        advance = offset - self._start
        if advance > self._sparse * max(1, self._taken):
            self._size = self._smallest
        else:
            self._size = min(2 * self._size, MAX_READ_BYTES)
        size = min(max(self._size, length), self._storage.size - offset)
        window: Bytes = np.empty(size, np.uint8)
        self._storage.fill([offset], [window])
        self._start, self._end, self._window, self._taken = offset, offset + size, window.data, 0
