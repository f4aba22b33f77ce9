"""Reading an object from its front to its end, some parts ahead of the caller."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.arrays import Bytes
from ...engine.pending import Later, Pending
from ..storage.storage import Storage

MAX_AHEAD = 4
"""Parts that a walk reads ahead."""


class SequentialObject(Storage):
    """An object for one thread that makes its index.

    Each header tells where the next one is; a round trip for each header would take hours. So whole
    parts are fetched. The longer the walk goes on without a leap, the more parts are fetched ahead:
    at most `MAX_AHEAD`, beside the current part.
    """

    def __init__(self, storage: Storage, part: int) -> None:
        """Take the object and the bytes of a part."""
        self._storage = storage
        self._part = part
        self.name, self.size, self.stamp = storage.name, storage.size, storage.stamp
        self.gap = storage.gap
        self._begun: dict[int, tuple[Bytes, Pending[None]]] = {}
        self._ahead = 0
        self._last = 0

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`; waits at once."""
        for offset, buffer in zip(offsets, buffers, strict=True):
            filled = 0
            while filled < buffer.size:
                number, skipped = divmod(offset + filled, self._part)
                piece = self._take(number)[skipped : skipped + buffer.size - filled]
                buffer[filled : filled + piece.size] = piece
                filled += piece.size
        return Later(lambda: None)

    def _take(self, number: int) -> Bytes:
        if number != self._last:
            self._ahead = min(2 * self._ahead + 1, MAX_AHEAD) if number == self._last + 1 else 0
            self._last = number
        end = min(number + self._ahead + 1, -(-self.size // self._part))
        self._begun = {n: self._begun.get(n) or self._fetch(n) for n in range(number, end)}
        part, pending = self._begun[number]
        pending.result()
        self._begun[number] = part, Later(lambda: None)
        return part

    def _fetch(self, number: int) -> tuple[Bytes, Pending[None]]:
        offset = number * self._part
        part: Bytes = np.empty(min(self._part, self.size - offset), np.uint8)
        return part, self._storage.start_read([offset], [part])

    def close(self) -> None:
        """Drop the fetched parts."""
        while self._begun:
            _, (_, pending) = self._begun.popitem()
            pending.cancel()
