"""Copies out of mapped files: of local files that lie in memory, by a process of their own.

To copy out of a map is faster than to read; where short rows are picked out of an array, several
times, for a map needs neither a system call a row nor the bytes between rows. But whoever
touches a map of a file that was cut short is killed. So another process maps the files and copies
(`reading_process`, `mapped_child`). One message goes to it for a batch: numbers alone; the answer
says which parts were copied. All others are read in the usual way.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.memory import Arena
from ..process.reading_process import ReadingProcess
from ..storage.storage import LocalFile
from .parts import Part

if TYPE_CHECKING:
    from ..process.mapped_child import Done, Files
    from ..storage.local_reads import Identity

_SHARE_OF_CORES = 0.75
"""That is kept busy at most: more threads wait for one another, and for the pipeline's own. On 16
cores, 12 threads copy 45 to 51 GB/s for two batches at a time, 16 threads 35 to 38."""

_LEAST_COST = 512 << 10
"""Of reading a part (`Part.cost`), to be worth the message."""

_LONG_RUN = 256 << 10
"""Parts of such runs of bytes are read as fast, and by two threads faster. Only many threads have
more to win than what they must wait here for one another: of `_LEAST_OF_RUNS` bytes."""

_LEAST_OF_RUNS = 4 << 20
_MANY_THREADS = 3


def copying_threads(threads: int) -> int:
    """Return how many of so many threads should copy."""
    cores = len(os.sched_getaffinity(0))
    return min(threads, max(2, int(_SHARE_OF_CORES * cores)))


def is_worth(part: Part, threads: int) -> bool:
    """Return whether so many threads copy a part faster than they read it."""
    if all(grid.direct and grid.length >= _LONG_RUN for grid in part.grids):
        return threads >= _MANY_THREADS and part.target.nbytes >= _LEAST_OF_RUNS
    return part.cost >= _LEAST_COST


class MappedCopies:
    """Has parts of local files copied into an arena. Thread-safe.

    Attributes:
        nbytes: how much was copied so far.
    """

    def __init__(self, process: ReadingProcess) -> None:
        """Take the process that copies."""
        self.nbytes = 0
        self._process = process
        self._lock = threading.Lock()

    def copy(self, parts: Sequence[Part]) -> Sequence[Part]:
        """Copy what can be copied without waiting; return what is left."""
        if not self._process.is_there:
            return parts
        request = _Request(self._process.arena, self._process.threads)
        left = [each for each in parts if not request.add(each)]
        if len(left) == len(parts):
            return parts
        done = self._process.ask("copy", *request.message())
        if done is None:
            return parts
        copied = request.settle(done, left)
        with self._lock:
            self.nbytes += copied
        return left

    def count(self, parts: Sequence[Part], seconds: float) -> None:
        """Count the time that it took to read what `copy` left."""
        if any(is_worth(part, self._process.threads) for part in parts):
            self._process.count(seconds)

    @property
    def note(self) -> str:
        """What was copied, and why no more is; "" if there is nothing to be said."""
        copied = f"{self.nbytes / 1e9:.1f} GB were copied out of mapped files"
        return "; ".join(filter(None, (copied * bool(self.nbytes), self._process.why)))

    def close(self) -> None:
        """End the process; from now on, everything is left. Idempotent."""
        self._process.close()


class _Request:
    """What the process is asked for: parts that differ only in where they lie, together."""

    def __init__(self, arena: Arena, threads: int) -> None:
        self._arena = arena
        self._threads = threads
        self._files: list[tuple[str, Identity]] = []
        self._numbers: dict[int, int] = {}
        self._alike: dict[tuple[Any, ...], list[tuple[Part, tuple[int, int, int]]]] = {}
        self._left_out: set[tuple[Any, ...]] = set()

    def add(self, part: Part) -> bool:
        """Ask for a part; return False if it must not, or had better not, be asked for."""
        storage, target = part.storage, part.target
        form = id(part.grids), part.dtype, target.strides  # parts of one plan share its grids
        if form not in self._alike and form not in self._left_out:
            if is_worth(part, self._threads):
                self._alike[form] = []
            else:
                self._left_out.add(form)
        offset = self._arena.offset(target)
        if offset is None or form in self._left_out:
            return False
        assert isinstance(storage, LocalFile)
        number = self._numbers.get(id(storage))
        if number is None:
            number = self._numbers[id(storage)] = len(self._files)
            self._files.append((storage.location, storage.identity))
        self._alike[form].append((part, (number, part.begin, offset)))
        return True

    def message(self) -> tuple[Files, list[tuple[Any, ...]]]:
        """Return what is sent: see `mapped_child.Alike`."""
        self._alike = {form: parts for form, parts in self._alike.items() if parts}
        return self._files, [_told(*zip(*parts, strict=True)) for parts in self._alike.values()]

    def settle(self, done: Done, left: list[Part]) -> int:
        """Add to `left` what was not copied; return how many bytes were."""
        copied = 0
        for parts, good in zip(self._alike.values(), done, strict=True):
            copied += int(good.sum()) * parts[0][0].target.nbytes
            left += [parts[i][0] for i in np.flatnonzero(~good).tolist()]
        return copied


def _told(parts: Sequence[Part], places: Sequence[tuple[int, int, int]]) -> tuple[Any, ...]:
    first = parts[0]
    into = first.target.dtype.str, first.target.strides
    where = np.array(places, np.int64)
    return first.target.shape, first.dtype.str, first.strides, *into, where
