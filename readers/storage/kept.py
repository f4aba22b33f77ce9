"""Remote objects whose bytes are kept in memory once they were fetched as a whole.

An archive without an index has to be walked, which fetches every byte. What was fetched is kept,
as far as there is room, until the samples have been read, so no byte is fetched twice.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...engine.arrays import Bytes
from ...engine.machine import memory_of_machine
from ...engine.pending import Later, Pending
from .index_cache import cache_paths
from .storage import Storage

KEPT_BYTES = 2 << 30
"""Bytes of objects that a reader keeps for good, and a 32nd of the machine's memory at most."""

WALKED_BYTES = 8 << 30
"""Bytes of objects that are kept until their samples have been read, and a 16th of the memory at
most, because a machine may have eight ranks. Two windows of two archives of 1 GB take 4 GB."""

_GAP = 1024
"""Bytes between ranges in memory that are copied, too: neighbors in an archive are closer."""


class Room:
    """The memory for the objects of one reader."""

    def __init__(self, *, until_read: bool) -> None:
        """Take whether objects are kept until they are read, or for good."""
        self._until_read = until_read
        memory = memory_of_machine()
        self._free = (
            min(WALKED_BYTES, memory // 16) if until_read else min(KEPT_BYTES, memory // 32)
        )
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> bool:
        """Take room, if there is so much."""
        with self._lock:
            fits = nbytes <= self._free
            self._free -= nbytes if fits else 0
            return fits

    def give(self, nbytes: int) -> None:
        """Give room back."""
        with self._lock:
            self._free += nbytes

    def __reduce__(self) -> Any:
        return partial(Room, until_read=self._until_read), ()


class _Content:
    """The bytes of an object, which may still be on their way."""

    def __init__(self, storage: Storage) -> None:
        self.bytes: Bytes = np.empty(storage.size, np.uint8)
        self._pending: Pending[None] | None = storage.start_read([0], [self.bytes])
        self._error: BaseException | None = None
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return once all bytes are there; any number of threads may wait."""
        with self._lock:
            if self._pending is not None:
                pending, self._pending = self._pending, None
                try:
                    pending.result()
                except BaseException as error:
                    self._error = error
                    raise
            if self._error is not None:
                raise self._error

    def cancel(self) -> None:
        """End the request."""
        pending = self._pending
        if pending is not None:
            pending.cancel()


class KeptObject(Storage):
    """A remote object. A walk through it fetches all bytes, and reads take them from memory.

    Once the memory was given back, reads fetch ranges.
    """

    path = None

    def __init__(self, storage: Storage, room: Room) -> None:
        """Take the object, and the room for the objects of its reader."""
        self._storage = storage
        self._room = room
        self.name, self.size, self.stamp = storage.name, storage.size, storage.stamp
        self.part = storage.part
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._content: _Content | None = None

    @property
    def gap(self) -> int:  # type: ignore[override]
        """See `Storage`: smaller as long as the bytes are in memory."""
        return self._storage.gap if self._content is None else _GAP

    def begin(self) -> bool:
        """Start to fetch all bytes, if there is room; return whether they are kept."""
        with self._lock:
            if self._content is None and self._room.take(self.size):
                try:
                    self._content = _Content(self._storage)
                except BaseException:
                    self._room.give(self.size)
                    raise
            return self._content is not None

    def begin_walk(self) -> None:
        """Start to fetch all bytes, unless an index tells where the samples lie."""
        if not any(path.exists() for path in cache_paths(self)):
            self.begin()

    def drop(self) -> None:
        """Give the memory back; reads that are under way have theirs."""
        with self._lock:
            content, self._content = self._content, None
        if content is not None:
            self._room.give(self.size)

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`."""
        content = self._content
        if content is None:
            return self._storage.start_read(offsets, buffers)
        return Later(lambda: self._copy(content, offsets, buffers))

    def _copy(self, content: _Content, offsets: Sequence[int], buffers: Sequence[Bytes]) -> None:
        try:
            content.wait()
        except BaseException:
            if self._content is content:
                self.drop()
            raise
        for offset, buffer in zip(offsets, buffers, strict=True):
            buffer[:] = content.bytes[offset : offset + buffer.size]

    def sequential(self) -> Storage:
        """See `Storage.sequential`."""
        return self if self.begin() else self._storage.sequential()

    def close(self) -> None:
        """Give the memory back, and end the request."""
        if (content := self._content) is not None:
            content.cancel()
        self.drop()
        self._storage.close()

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_storage", "_room", "name", "size", "stamp", "part")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()
