"""Decoded blocks of files, of which the last ones that were used stay in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

Decoded = TypeVar("Decoded")


class BlockCache(Generic[Decoded]):
    """Blocks by number; the least recently used one goes first. Many threads may ask."""

    def __init__(self, most_bytes: int) -> None:
        """Take the most bytes that are kept. The block that was read last is kept in any case."""
        self._most = most_bytes
        self._kept: OrderedDict[int, Future[tuple[Decoded, int]]] = OrderedDict()
        self._nbytes = 0  # of those that are read
        self._lock = Lock()

    def get(
        self,
        numbers: list[int],
        read: Callable[[list[int]], dict[int, tuple[Decoded, int]]],
    ) -> dict[int, Decoded]:
        """Return blocks; `read` reads those that are not kept, and that no other thread reads."""
        missing: dict[int, Future[tuple[Decoded, int]]] = {}
        with self._lock:
            for number in numbers:
                if number not in self._kept:
                    self._kept[number] = missing[number] = Future()
                self._kept.move_to_end(number)
            blocks = {number: self._kept[number] for number in numbers}
        if missing:
            self._read(missing, read)
        return {number: block.result()[0] for number, block in blocks.items()}

    def _read(
        self,
        missing: dict[int, Future[tuple[Decoded, int]]],
        read: Callable[[list[int]], dict[int, tuple[Decoded, int]]],
    ) -> None:
        try:
            columns = read(list(missing))
        except BaseException as error:
            with self._lock:
                for number, block in missing.items():
                    if self._kept.get(number) is block:
                        del self._kept[number]
            for block in missing.values():
                block.set_exception(error)
            return
        with self._lock:
            for number, block in missing.items():
                block.set_result(columns[number])
                if self._kept.get(number) is block:  # else `clear` was called
                    self._nbytes += columns[number][1]
            self._drop_some()

    def _drop_some(self) -> None:
        while self._nbytes > self._most and len(self._kept) > 1:
            oldest = next((n for n, block in self._kept.items() if block.done()), None)
            if oldest is None:
                return
            self._nbytes -= self._kept.pop(oldest).result()[1]

    def clear(self) -> None:
        """Forget all blocks."""
        with self._lock:
            self._kept.clear()
            self._nbytes = 0

    def __getstate__(self) -> int:
        return self._most

    def __setstate__(self, most_bytes: int) -> None:
        type(self).__init__(self, most_bytes)
