"""Whole files read into an arena, in a process of their own: as that process sees itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.memory import Arena
from ...engine.packed_rows import Find
from ..storage.local_reads import OPEN_FLAGS, read_cached, read_waiting, regular_size
from ..storage.read_plan import Int64s
from ..storage.storage import Bytes
from .team import Team

Facts = dict[str, NDArray[Any]]

_OPEN_AT_ONCE = 512
"""Files of a request: the descriptors of the process suffice for several requests."""

_SOME = 8
"""Files that a thread opens, or reads, before it looks for more work."""


class FileReads:
    """Reads whole files into an arena. Thread-safe."""

    def __init__(self, arena: Arena, team: Team, find: Mapping[str, Find]) -> None:
        """Take the arena, the threads that read, and what is to be found out about files: this
        process has nobody who waits for its lock of Python."""
        self._arena = arena
        self._team = team
        self._find = find

    def read(self, paths: list[bytes], offset: int, room: int) -> tuple[Int64s, Facts] | None:
        """Read files one behind the other, from `offset` of the arena on.

        Returns their sizes, and facts about them, unless they are larger than `room` together:
        then not all were read. None if anything was not as it should be.
        """
        block = self._arena.array((offset, (room,), "u1"))
        sizes = np.zeros(len(paths), np.int64)
        used = 0
        for begin in range(0, len(paths), _OPEN_AT_ONCE):
            some = slice(begin, begin + _OPEN_AT_ONCE)
            found = self._read_together(paths[some], block[used:])
            if found is None:
                return None
            sizes[some] = found
            used += int(found.sum())
        if used > room:
            return sizes, {}
        begins = (block.ctypes.data + np.cumsum(sizes) - sizes).astype(np.uint64)
        return sizes, {name: find(begins, sizes) for name, find in self._find.items()}

    def _read_together(self, paths: list[bytes], block: Bytes) -> Int64s | None:
        """Return the sizes of files, and read them if there is room for all."""
        files = _Files(paths, self._team)
        try:
            files.open()
            ends = np.cumsum(files.sizes)
            if not files.failed and ends[-1] <= len(block):
                files.read(np.split(block[: ends[-1]], ends[:-1]))
        finally:
            files.close()
        return None if files.failed else files.sizes


class _Files:
    """Files that are read together.

    Attributes:
        sizes: of those that are open: int64.
        failed: whether anything has failed.
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
        """Open them."""
        self._do(self._open, range(len(self._paths)))

    def read(self, views: list[Bytes]) -> None:
        """Read them into memory: what the page cache holds first, as the disk fetches the rest."""
        self._views = views
        self._do(self._read, range(len(views)))
        self._do(self._wait, self._waiting)

    def close(self) -> None:
        """Close them."""
        for fd in self._opened:
            if fd >= 0:
                os.close(fd)

    def _do(self, work: Callable[[int], None], numbers: Sequence[int]) -> None:
        def some(begin: int) -> None:
            try:
                for number in numbers[begin : begin + _SOME]:
                    work(number)
            except Exception:  # whatever it is, the parent meets it, too
                self.failed = True

        self._team.do(some, [(begin,) for begin in range(0, len(numbers), _SOME)])

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
            self.failed = True  # it has become shorter
