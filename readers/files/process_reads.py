"""Whole local files, read by the reading process."""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from ...engine.tensors.packed_rows import PackedRows
from ..process.reading_process import ReadingProcess
from ..source import Allocate, Column
from ..storage.local_reads import read_local


class ProcessReadsTuning(NamedTuple):
    """How much memory a process gets for files whose sizes are unknown.

    Attributes:
        attempts: to read files; each but the first has the room that the files took at the one
            before.
        margin: memory that the process gets, as a multiple of what the files of earlier batches
            took.
        decay: of the mean size with each batch: large files are forgotten.
    """

    attempts: int = 3
    margin: float = 1.2
    decay: float = 0.9


TUNING = ProcessReadsTuning()


class ProcessReads:
    """Lets a process read files into an arena; this process reads the rest. Thread-safe."""

    def __init__(self, process: ReadingProcess) -> None:
        """Take the process that reads."""
        self._process = process
        self._mean = 0.0  # bytes of a file

    def read(self, paths: list[bytes], allocate: Allocate) -> Column:
        """Return the files' bytes: see `FileSource.read`."""
        if self._process.is_there and paths:
            found = self._ask(paths, allocate)
            if found is not None:
                return found
        started = perf_counter()
        contents = read_local(paths, allocate)
        self._process.count(perf_counter() - started)
        self._mean = sum(each.nbytes for each in contents) / max(1, len(contents))
        return contents

    def _ask(self, paths: list[bytes], allocate: Allocate) -> PackedRows | None:
        """Return the files' bytes; None if this process must read them."""
        room = int(self._mean * len(paths) * TUNING.margin)
        for _ in range(TUNING.attempts):
            slab = allocate((room,), np.uint8)
            offset = self._process.arena.offset(slab)
            if offset is None:
                return None
            found = self._process.ask("files", paths, offset, room)
            if found is None:
                return None
            sizes, metadata = found
            total = int(sizes.sum())
            self._mean = max(total / len(paths), self._mean * TUNING.decay)
            if total <= room:
                begins, shapes = np.cumsum(sizes) - sizes, sizes[:, np.newaxis]
                return PackedRows(slab, begins, shapes, np.uint8, metadata)
            room = total
        return None

    @property
    def path_used(self) -> str:
        """Whether a process reads the files, or why it does not; "" before it is started."""
        return "a process of its own reads" if self._process.is_there else self._process.why

    def close(self) -> None:
        """End the process, and so what is waited for; reading goes on without it."""
        self._process.close()
