"""Batches that are read before they are asked for, so that a round trip costs no time."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import Any

from ..engine.memory import SlabPool
from .source import Allocate, Column

_JOIN_SECONDS = 0.8  # as the executor's

Read = Callable[[int, Allocate], tuple[Column, ...]]


class ReadAhead:
    """Reads the next batches in threads of their own while one is handed out.

    A batch's samples follow from its number (`Sampler.draw` is pure), so it changes nothing
    whether and how early a batch is read. `read(number, allocate)` reads one.

    At most `depth` batches are read ahead, and only while the pool has room for as many as
    are under way, each as large as the largest so far.
    """

    def __init__(self, read: Read, depth: int) -> None:
        self._read = read
        self._depth = depth
        self._begun: dict[int, _Reading] = {}
        self._largest: int | None = None

    def take(self, number: int, pool: SlabPool) -> tuple[Column, ...]:
        """Return batch `number`, or raise what reading it raised; begin with those after it."""
        wanted = range(number, number + self._depth + 1)
        self._begun = {n: reading for n, reading in self._begun.items() if n in wanted}
        self._begin(number, pool)
        for following in wanted[1:]:
            if not self._has_room(pool):
                break
            self._begin(following, pool)
        reading = self._begun.pop(number)
        columns = reading.result()
        self._largest = max(self._largest or 0, reading.bytes)
        return columns

    def close(self) -> None:
        """Drop what is under way; wait for it, unless it takes too long."""
        deadline = time.monotonic() + _JOIN_SECONDS
        while self._begun:
            self._begun.popitem()[1].join(max(0.0, deadline - time.monotonic()))

    def _has_room(self, pool: SlabPool) -> bool:
        # What those under way have taken already counts twice: rather too little than too much.
        return self._largest is not None and pool.room >= self._largest * (len(self._begun) + 1)

    def _begin(self, number: int, pool: SlabPool) -> None:
        if number not in self._begun:
            self._begun[number] = _Reading(self._read, number, pool)


class _Reading:
    """One batch that is being read.

    Attributes:
        bytes: how much memory it has taken.
    """

    def __init__(self, read: Read, number: int, pool: SlabPool) -> None:
        self.bytes = 0
        self._pool = pool
        self._columns: tuple[Column, ...] = ()
        self._error: BaseException | None = None
        # A daemon: whoever leaves without closing the pipeline need not wait for a server.
        self._thread = Thread(
            target=self._run, args=(read, number), name="penstock-read-ahead", daemon=True
        )
        self._thread.start()

    def _run(self, read: Read, number: int) -> None:
        try:
            self._columns = read(number, self._allocate)
        except BaseException as error:
            self._error = error

    def _allocate(self, shape: tuple[int, ...], dtype: Any) -> Any:
        block = self._pool.empty(shape, dtype)
        self.bytes += block.nbytes
        return block

    def join(self, seconds: float) -> None:
        """Wait so long for the thread."""
        self._thread.join(seconds)

    def result(self) -> tuple[Column, ...]:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._columns
