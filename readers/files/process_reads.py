"""Whole local files, read by a process of their own: as this process sees it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    """Has a process read files into an arena; what it cannot read is read here. Thread-safe.

    A read is one request, which is sent again if there was too little room for the files. That of
    the next read is sent before this one's answer is waited for.
    """

    def __init__(
        self, process: ReadingProcess, paths: Callable[[NDArray[np.int64]], list[bytes]]
    ) -> None:
        """Take the process that reads, and what returns the paths of files."""
        self._process = process
        self._paths = paths
        self._mean = 0.0  # bytes of a file
        self._next: NDArray[np.int64] | None = None
        self._begun: deque[_Request] = deque()

    def expect(self, indices: NDArray[np.int64]) -> None:
        """Note which files are likely to be read after those that are read next."""
        self._next = indices

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> Column:
        """Return the files' bytes: see `FileSource.read`."""
        request = self._begun_for(indices)
        self._begin_next(allocate)
        room = self._room(len(indices))
        for _ in range(_ATTEMPTS):
            if request is None:
                request = self._begin(indices, room, allocate)
            if request is None:
                break
            found = request.answer()
            if found is None:
                break
            sizes, facts = found
            room = int(sizes.sum())
            self._mean = max(room / len(sizes), self._mean * _DECAY)
            if room <= request.slab.size:
                begins, shapes = np.cumsum(sizes) - sizes, sizes[:, np.newaxis]
                return PackedRows(request.slab, begins, shapes, np.uint8, facts)
            request = None
        return self._read_here(self._paths(indices), allocate)

    def _begun_for(self, indices: NDArray[np.int64]) -> _Request | None:
        """Return the request for these files, if it was sent; wait for one for others."""
        try:
            request = self._begun.pop()
        except IndexError:
            return None
        if np.array_equal(request.indices, indices):
            return request
        request.answer()  # for until then its memory is written to
        return None

    def _begin_next(self, allocate: Allocate) -> None:
        """Have the process begin with the files that are expected."""
        indices, self._next = self._next, None
        if indices is None or self._begun:
            return
        request = self._begin(indices, self._room(len(indices)), allocate)
        if request is not None:
            self._begun.append(request)

    def _begin(self, indices: NDArray[np.int64], room: int, allocate: Allocate) -> _Request | None:
        """Have the process begin with files; None if it cannot."""
        if not self._process.is_there or not len(indices):
            return None
        slab = allocate((room,), np.uint8)
        offset = self._process.arena.offset(slab)
        if offset is None:
            return None
        answer = self._process.begin("files", self._paths(indices), offset, room)
        return None if answer is None else _Request(indices, slab, answer)

    def _room(self, files: int) -> int:
        return int(self._mean * files * _MARGIN)

    def _read_here(self, paths: list[bytes], allocate: Allocate) -> Column:
        started = perf_counter()
        contents = read_local(paths, allocate)
        self._process.count(perf_counter() - started)
        self._mean = sum(each.nbytes for each in contents) / max(1, len(contents))
        return contents

    @property
    def note(self) -> str:
        """How files are read, or "" if there is nothing to be said."""
        return "a process of its own reads" if self._process.is_there else self._process.why

    def close(self) -> None:
        """End the process, and so what is waited for; reading goes on without it."""
        self._process.close()


class _Request(NamedTuple):
    """What the process was asked for.

    Attributes:
        indices: of the files.
        slab: where they are read to.
        answer: waits for their sizes and facts about them: see `FileReads.read`. Has to be
            called once.
    """

    indices: NDArray[np.int64]
    slab: NDArray[np.uint8]
    answer: Callable[[], Any]
