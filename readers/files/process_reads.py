"""Whole local files, read by a process of their own: as this process sees it."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ...engine.packed_rows import PackedRows
from ..process.reading_process import ReadingProcess
from ..source import Allocate, Column
from .local_files import read_local

_ATTEMPTS = 3
"""To read files; each but the first has the room that they took at the one before."""

_MARGIN = 1.2
"""Memory that the process is given, as a multiple of what the files of other batches took."""

_DECAY = 0.9
"""How fast, with each batch, large files are forgotten."""


class ProcessReads:
    """Has a process read files into an arena; what it cannot read is read here. Thread-safe."""

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
        """Return the files' bytes; None if there are any that have to be read here."""
        room = int(self._mean * len(paths) * _MARGIN)
        for _ in range(_ATTEMPTS):
            slab = allocate((room,), np.uint8)
            offset = self._process.arena.offset(slab)
            if offset is None:
                return None
            found = self._process.ask("files", paths, offset, room)
            if found is None:
                return None
            sizes, facts = found
            total = int(sizes.sum())
            self._mean = max(total / len(paths), self._mean * _DECAY)
            if total <= room:
                begins, shapes = np.cumsum(sizes) - sizes, sizes[:, np.newaxis]
                return PackedRows(slab, begins, shapes, np.uint8, facts)
            room = total
        return None

    @property
    def note(self) -> str:
        """How files are read, or "" if there is nothing to be said."""
        return "a process of its own reads" if self._process.is_there else self._process.why

    def close(self) -> None:
        """End the process, and so what is waited for; reading goes on without it."""
        self._process.close()
