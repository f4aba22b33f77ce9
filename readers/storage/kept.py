"""Remote objects whose bytes are kept in memory once they were fetched as a whole.

An archive without an index has to be walked, which fetches every byte. What was fetched is kept
until the samples have been read, so no byte is fetched twice. It stays for later epochs as long as
there is room.
"""

from __future__ import annotations

import mmap
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...engine.arrays import Bytes
from ...engine.machine import memory_of_machine
from ...engine.pending import Later, Pending
from .index_cache import cache_paths
from .storage import Storage, copy_into

KEPT_BYTES = 2 << 30
"""Bytes of objects that a reader keeps once they are read, and a 32nd of the machine's memory at
most."""

WALKED_BYTES = 8 << 30
"""Bytes of objects that are kept until their samples have been read, and a 16th of the memory at
most, because a machine may have eight ranks. Two windows of two archives of 1 GB take 4 GB."""

PART_BYTES = 8 << 20
"""Bytes of a part, which is waited for alone: as many as a request to a store fetches."""

_GAP = 1024
"""Bytes between ranges in memory that are copied, too: neighbors in an archive are closer."""


class Room:
    """The memory for the objects of one reader."""

    def __init__(self, *, until_read: bool) -> None:
        """Take whether the objects are walked one after the other, or all before the first read."""
        self._until_read = until_read
        memory = memory_of_machine()
        self._spare = min(KEPT_BYTES, memory // 32)
        self._free = min(WALKED_BYTES, memory // 16) if until_read else self._spare
        self._read: list[KeptObject] = []  # whose samples have been read
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> bool:
        """Take room, if there is so much; objects that have been read give theirs."""
        while True:
            with self._lock:
                if nbytes <= self._free:
                    self._free -= nbytes
                    return True
                if not self._read:
                    return False
                read = self._read.pop(0)
            read.drop()

    def keep(self, read: KeptObject) -> bool:
        """Keep an object that has been read, if there is room for it beside others of these."""
        with self._lock:
            if read not in self._read:
                if sum(each.size for each in self._read) + read.size > self._spare:
                    return False
                self._read.append(read)
            return True

    def give(self, nbytes: int, dropped: KeptObject | None = None) -> None:
        """Give room back, that of an object which is dropped."""
        with self._lock:
            self._free += nbytes
            if dropped in self._read:
                self._read.remove(dropped)

    def __reduce__(self) -> Any:
        return partial(Room, until_read=self._until_read), ()


class _Content:
    """The bytes of an object, which may still be on their way: in parts, the first ones first."""

    def __init__(self, storage: Storage) -> None:
        # NumPy would ask for huge pages. A virtual machine that was not given them yet takes 0.26 s
        # of CPU time for 88 MB of these, and 0.04 s for small pages; on a warm one, 0.01 s.
        memory = mmap.mmap(-1, max(storage.size, 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.bytes: Bytes = np.frombuffer(memory, np.uint8)[: storage.size]
        self._storage = storage
        self._parts: list[Pending[None]] = []
        self._bounds = [0]  # of the parts
        self._here: set[int] = set()  # parts that were waited for
        self._lock = threading.Lock()

    def begin(self, end: int) -> None:
        """Start to fetch all bytes up to `end`; the first call fetches none behind it."""
        size = self.bytes.size
        with self._lock:
            most = size if self._parts else min(end, size)
            while (start := self._bounds[-1]) < min(end, size):
                part = self.bytes[start : min(start + PART_BYTES, most)]
                self._parts.append(self._storage.start_read([start], [part]))
                self._bounds.append(start + part.size)

    def wait(self, start: int, end: int) -> None:
        """Return once the bytes [start, end) are there."""
        self.begin(end)
        first, last = bisect_right(self._bounds, start) - 1, bisect_left(self._bounds, end)
        for number in range(first, last):
            if number not in self._here:
                self._parts[number].result()
                self._here.add(number)

    def is_whole(self) -> bool:
        """Return whether all bytes have come."""
        fetched = self._bounds[-1] == self.bytes.size
        return fetched and all(part.is_done() for part in self._parts)

    def cancel(self) -> None:
        """End the requests."""
        for part in self._parts:
            part.cancel()


class KeptObject(Storage):
    """A remote object. A walk through it fetches all bytes, and reads take them from memory.

    Once the memory was given back, reads fetch ranges.
    """

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

    @property
    def is_coming(self) -> bool:
        """Whether the bytes are fetched, and some are still on their way."""
        content = self._content
        return content is not None and not content.is_whole()

    def begin(self, end: int | None = None) -> bool:
        """Start to fetch all bytes, or those up to `end`, if there is room for the object.

        Returns:
            whether what is fetched is kept.
        """
        content = self._content
        if content is None and self._room.take(self.size):
            made = _Content(self._storage)
            with self._lock:
                content = self._content = self._content or made
            if content is not made:  # another thread came first
                self._room.give(self.size)
        if content is None:
            return False
        try:
            content.begin(self.size if end is None else end)
        except BaseException:
            self._give_up(content)
            raise
        return True

    def begin_walk(self, end: int | None = None) -> None:
        """Do as `begin` does, unless an index tells where the samples lie."""
        if not any(path.exists() for path in cache_paths(self)):
            self.begin(end)

    def have_read(self) -> None:
        """Give the memory back, unless there is room for later epochs."""
        with self._lock:
            stays = self._content is None or self._room.keep(self)
        if not stays:
            self.drop()

    def drop(self) -> None:
        """Give the memory back; reads that are under way have theirs."""
        with self._lock:
            if self._content is not None:
                self._content = None
                self._room.give(self.size, self)

    def start_read(self, offsets: Sequence[int], buffers: Sequence[Bytes]) -> Pending[None]:
        """See `Storage.start_read`."""
        content = self._content
        if content is None:
            return self._storage.start_read(offsets, buffers)
        return Later(lambda: self._copy(content, offsets, buffers))

    def _copy(self, content: _Content, offsets: Sequence[int], buffers: Sequence[Bytes]) -> None:
        for offset, buffer in zip(offsets, buffers, strict=True):
            try:
                content.wait(offset, offset + buffer.size)
            except BaseException:
                self._give_up(content)
                raise
            copy_into(buffer, content.bytes[offset : offset + buffer.size].data)

    def _give_up(self, content: _Content) -> None:
        """Give the memory of bytes that did not come back, so that a later read asks again."""
        if self._content is content:
            self.drop()

    def sequential(self) -> Storage:
        """See `Storage.sequential`."""
        kept = self._content is not None or self.begin()
        return self if kept else self._storage.sequential()

    def close(self) -> None:
        """Give the memory back, and end the request."""
        if (content := self._content) is not None:
            content.cancel()
        self.drop()
        self._storage.close()

    def __getstate__(self) -> dict[str, object]:
        kept = ("_storage", "_room", "name", "size", "stamp", "part")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._reset()
