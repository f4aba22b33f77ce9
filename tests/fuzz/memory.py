"""A file in memory, for the fuzzers: no disk is worn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from penstock.engine.arrays import Bytes
from penstock.engine.pending import Later, Pending
from penstock.readers.storage.storage import Storage


class MemoryFile(Storage):
    """Bytes as a file named "file"."""

    name = "file"
    gap = 512
    path = None

    def __init__(self, content: bytes) -> None:
        self._content = np.frombuffer(content, np.uint8)
        self.size = len(content)
        self.stamp = str(self.size)

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        for offset, buffer in zip(offsets, buffers, strict=True):
            assert 0 <= offset <= offset + len(buffer) <= self.size
            buffer[:] = self._content[offset : offset + len(buffer)]
        return Later(lambda: None)

    def close(self) -> None:
        pass
