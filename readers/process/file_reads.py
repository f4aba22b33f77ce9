"""Whole files, read into an arena by the reading process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.tensors.arena import Arena
from ...engine.tensors.packed_rows import MetadataFunction
from ...engine.threads import Team
from ..storage.local_reads import OPEN_FLAGS, read_cached, read_waiting, regular_size
from ..storage.read_plan import Int64s
from ..storage.storage import Bytes

Metadata = dict[str, NDArray[Any]]

OPEN_AT_ONCE = 512
"""Number of files of a request that are open at a time. The descriptors of the process suffice for
several requests."""

FILES_IN_A_ROW = 8
"""Number of files that a thread opens or reads as one job."""

QUICK_SECONDS = 2e-4
"""Seconds for a file. While files take less, one thread opens and reads them, because several
threads would wait for the GIL of the process."""


class FileReads:
    """Reads whole files into an arena. Thread-safe."""

    def __init__(
        self, arena: Arena, team: Team, metadata_functions: Mapping[str, MetadataFunction]
    ) -> None:
        """Set the memory and the threads.

        Args:
            arena: memory that files are read into.
            team: threads that read.
            metadata_functions: functions to run on each file in this process, where no thread
                waits for the GIL.
        """
        self._arena = arena
        self._team = team
        self._metadata_functions = metadata_functions

    def read(
        self, paths: list[bytes], offset: int, room: int
    ) -> tuple[int, Int64s, Metadata] | None:
        """Read files end to end into the arena, from `offset` on.

        Returns:
            the bytes of all files, and the sizes and the metadata of the files. If there is no
            room for all bytes, some files are not read, and there are no metadata. None if a file
            cannot be read.
        """
        block = self._arena.array((offset, (room,), "u1"))
        sizes = np.zeros(len(paths), np.int64)
        used = 0
        for start in range(0, len(paths), OPEN_AT_ONCE):
            some = slice(start, start + OPEN_AT_ONCE)
            sizes_read = self._read_together(paths[some], block[used:])
            if sizes_read is None:
                return None
            sizes[some] = sizes_read
            used += int(sizes_read.sum())
        if used > room:
            return used, sizes, {}
        addresses = (block.ctypes.data + np.cumsum(sizes) - sizes).astype(np.uint64)
        functions = self._metadata_functions.items()
        return used, sizes, {name: function(addresses, sizes) for name, function in functions}

    def _read_together(self, paths: list[bytes], block: Bytes) -> Int64s | None:
        """Return the sizes of files, and read them if there is room for all."""
        files = _OpenedFiles(paths, self._team)
        try:
            files.open()
            ends = np.cumsum(files.sizes)
            if not files.failed and ends[-1] <= len(block):
                files.read(np.split(block[: ends[-1]], ends[:-1]))
        finally:
            files.close()
        return None if files.failed else files.sizes


class _OpenedFiles:
    """Files that are read together.

    Attributes:
        sizes: sizes of the files that are open: int64.
        failed: whether a file could not be opened or read.
    """

    def __init__(self, paths: list[bytes], team: Team) -> None:
        self.sizes: Int64s = np.zeros(len(paths), np.int64)
        self.failed = False
        self._paths = paths
        self._team = team
        self._opened = [-1] * len(paths)
        self._views: list[Bytes] = []
        self._waiting: list[int] = []

    def open(self) -> None:
        """Open the files."""
        self._do(self._open, range(len(self._paths)))

    def read(self, views: list[Bytes]) -> None:
        """Read the files: first the bytes in the page cache, while the disk fetches the others."""
        self._views = views
        self._do(self._read, range(len(views)))
        self._do(self._wait, self._waiting)

    def close(self) -> None:
        """Close the files that are open."""
        for fd in self._opened:
            if fd >= 0:
                os.close(fd)

    def _do(self, work: Callable[[int], None], numbers: Sequence[int]) -> None:
        def do_some(start: int) -> None:
            try:
                for number in numbers[start : start + FILES_IN_A_ROW]:
                    work(number)
            except Exception:  # the parent meets the same error, and raises it
                self.failed = True

        starts = range(0, len(numbers), FILES_IN_A_ROW)
        for done, start in enumerate(starts, 1):
            began = perf_counter()
            do_some(start)
            if perf_counter() - began > FILES_IN_A_ROW * QUICK_SECONDS:
                self._team.run_jobs(do_some, starts[done:])
                return

    def _open(self, number: int) -> None:
        path = self._paths[number]
        fd = self._opened[number] = os.open(path, OPEN_FLAGS)
        self.sizes[number] = regular_size(fd, path)

    def _read(self, number: int) -> None:
        if not read_cached(self._opened[number], self._views[number], 0):
            self._waiting.append(number)

    def _wait(self, number: int) -> None:
        view = self._views[number]
        if read_waiting(self._opened[number], view, 0) < view.size:
            self.failed = True  # the file has become shorter
