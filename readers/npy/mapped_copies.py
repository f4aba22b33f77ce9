"""Copies of local files that lie in memory, out of maps, by the reading process.

A copy out of a map is faster than a read. For short lines of an array it is several times as fast,
because a map needs no system call a line and skips the bytes between lines. But the kernel kills a
process that touches a map of a file which was cut short. So the reading process maps the files and
copies (`reading_process`, `mapped_child`). It gets one message of numbers a batch, and answers
which regions it copied. The other regions are read in the usual way.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.arrays import Array, Int64s
from ...engine.machine import usable_cores
from ...engine.pending import Later, Pending, Then
from ...engine.tensors.arena import Arena
from ..process.reading_process import ReadingProcess
from .region_reads import RegionRead

if TYPE_CHECKING:
    from ..process.mapped_child import Copied, Files
    from ..storage.local_reads import Identity

MAX_FRACTION_OF_CORES = 0.75
"""Fraction of the cores that is kept busy at most: more threads wait for one another, and for
those of the pipeline. On 16 cores, 12 threads copy 45 to 51 GB/s for two batches at a time, 16
threads 35 to 38 GB/s."""

MIN_REGION_COST = 512 << 10
"""Cost of reading a region (`RegionRead.cost`) that is worth a message."""

LONG_RUN_BYTES = 256 << 10
"""Bytes of a run that one call reads nearly as fast as it is copied within the caches."""

MIN_LONG_RUNS_BYTES = 4 << 20
"""Bytes of a region of long runs, to be worth a copy: so many go past the caches
(`reading_process.LONG_COPY_BYTES`), which takes less than half the time of a read."""


def copying_threads(threads: int) -> int:
    """Return how many of so many threads should copy."""
    cores = usable_cores()
    return min(threads, max(2, int(MAX_FRACTION_OF_CORES * cores)))


def worth_copying(part: RegionRead) -> bool:
    """Return whether a part is copied faster than it is read."""
    if all(grid.direct and grid.length >= LONG_RUN_BYTES for grid in part.grids):
        return part.target.nbytes >= MIN_LONG_RUNS_BYTES
    return part.cost >= MIN_REGION_COST


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

    def copy(self, parts: Sequence[RegionRead]) -> Sequence[RegionRead]:
        """Copy what can be copied without waiting; return what is left."""
        if not self._process.is_there:
            return parts
        request = _MapRequest(self._process.arena)
        left = [part for part in parts if not request.add(part)]
        if len(left) == len(parts):
            return parts
        done = self._process.ask("copy", *request.message())
        if done is None:
            return parts
        copied = request.settle(done, left)
        self._add(copied)
        return left

    def start_expected(
        self,
        paths: Sequence[str],
        beginning: tuple[bytes, int],
        begins: Int64s,
        strides: Sequence[int],
        target: Array,
    ) -> Pending[bool]:
        """Start to copy a region of each file. The result says whether all were copied.

        That needs all files to be as expected.

        Args:
            paths: paths of the files.
            beginning: first bytes of each file, and number of all its bytes.
            begins: offset of the first element of each region.
            strides: bytes from one element to the next in the files, along each axis.
            target: memory for the elements: (files, *shape).
        """
        offset = self._process.arena.offset(target)
        if offset is None or not self._process.is_there:
            return Later(lambda: False)
        numbers = {path: number for number, path in enumerate(dict.fromkeys(paths))}
        origins = np.empty((len(paths), 3), np.int64)
        origins[:, 0] = [numbers[path] for path in paths]
        origins[:, 1] = begins
        origins[:, 2] = offset + np.arange(len(paths)) * target.strides[0]
        dtype = target.dtype.str
        copies = target.shape[1:], dtype, tuple(strides), dtype, target.strides[1:], origins
        request = "copy_expected", list(numbers), beginning, copies

        def all_copied(answers: list[Any] | None) -> bool:
            copied = answers is not None and bool(answers[0][0].all())
            if copied:
                self._add(target.nbytes)
            return copied

        return Then(self._process.send_each([request]), all_copied)

    def _add(self, nbytes: int) -> None:
        with self._lock:
            self.nbytes += nbytes

    def count(self, parts: Sequence[RegionRead], seconds: float) -> None:
        """Count the time that it took to read what `copy` left."""
        if any(worth_copying(part) for part in parts):
            self._process.count(seconds)

    @property
    def path_used(self) -> str:
        """The bytes that were copied, and why no more are; "" if there is nothing to be said."""
        copied = f"{self.nbytes / 1e9:.1f} GB were copied out of mapped files"
        return "; ".join(filter(None, (copied * bool(self.nbytes), self._process.why)))

    def close(self) -> None:
        """End the process; from now on, everything is left. Idempotent."""
        self._process.close()


class _MapRequest:
    """A request to the process: parts that differ only in their places come together."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._files: list[tuple[str, Identity]] = []
        self._numbers: dict[int, int] = {}
        self._copies: dict[tuple[object, ...], list[tuple[RegionRead, tuple[int, int, int]]]] = {}
        self._left_out: set[tuple[object, ...]] = set()

    def add(self, part: RegionRead) -> bool:
        """Ask for a part; return False if it must not, or had better not, be asked for."""
        storage, target = part.storage, part.target
        form = id(part.grids), part.dtype, target.strides  # parts of one plan share its grids
        if form not in self._copies and form not in self._left_out:
            if worth_copying(part):
                self._copies[form] = []
            else:
                self._left_out.add(form)
        offset = self._arena.offset(target)
        if offset is None or form in self._left_out:
            return False
        assert storage.identity is not None
        number = self._numbers.get(id(storage))
        if number is None:
            number = self._numbers[id(storage)] = len(self._files)
            self._files.append((str(storage.path), storage.identity))
        self._copies[form].append((part, (number, part.begin, offset)))
        return True

    def message(self) -> tuple[Files, list[tuple[Any, ...]]]:
        """Return the message to the process: see `mapped_child.StridedCopies`."""
        self._copies = {form: parts for form, parts in self._copies.items() if parts}
        return self._files, [_told(*zip(*parts, strict=True)) for parts in self._copies.values()]

    def settle(self, done: Copied, left: list[RegionRead]) -> int:
        """Add to `left` what was not copied; return how many bytes were."""
        copied = 0
        for parts, good in zip(self._copies.values(), done, strict=True):
            copied += int(good.sum()) * parts[0][0].target.nbytes
            left += [parts[i][0] for i in np.flatnonzero(~good).tolist()]
        return copied


def _told(parts: Sequence[RegionRead], slots: Sequence[tuple[int, int, int]]) -> tuple[object, ...]:
    first = parts[0]
    into = first.target.dtype.str, first.target.strides
    where = np.array(slots, np.int64)
    return first.target.shape, first.dtype.str, first.strides, *into, where
