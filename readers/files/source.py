"""Whole files as samples: the storage of `fn.readers.file`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.memory import Arena
from ...engine.packed_rows import Find
from ..process.reading_process import ReadingProcess
from ..source import Allocate, Column, checked_indices
from ..storage.urls import is_url
from .listing import FileList
from .local_files import read_local
from .process_reads import ProcessReads

_THREADS = 4
"""Of the process that reads; it works for one batch at a time."""


class FileSource:
    """The files of a `FileList`; a sample is a file's bytes and its label.

    Nothing stays open between two calls of `read`, so the source may be pickled, forked and
    closed at any time. Files are copied into memory rather than mapped: a file that another
    process cuts short while it is mapped kills this one (SIGBUS).
    """

    def __init__(self, listing: FileList, options: Mapping[str, Any] | None = None) -> None:
        """Take what to read; `options` are `Reader.storage_options`, for URLs."""
        self._listing = listing
        self._options = options or {}
        self._by_process: ProcessReads | None = None

    def __len__(self) -> int:
        return len(self._listing)

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return the files' bytes, one uint8 array (size,) each, and labels, int32 (files, 1).

        An empty file gives an empty array. A file that changes its size while it is read
        gives what was there: its first bytes up to its size when it was opened, or up to its
        new end if it became shorter.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read; the subclass (FileNotFoundError, PermissionError,
                IsADirectoryError ...) says why and `filename` which one. SourceError if it
                is neither a file nor a folder.
        """
        indices = checked_indices(indices, len(self))
        return self._contents(indices, allocate), self._listing.labels[indices][:, np.newaxis]

    def where(self, index: int) -> str:
        """Return the file's absolute path, or its URL."""
        (path,) = self._listing.paths(checked_indices(np.array([index]), len(self)))
        return os.fsdecode(path)

    def share(self, arena: Arena, find: Mapping[str, Find]) -> None:
        """Let a process of its own read local files into memory of the arena."""
        self._by_process = ProcessReads(ReadingProcess(arena, _THREADS, find))

    @property
    def note(self) -> str:
        """How files are read, or ""."""
        return "" if self._by_process is None else self._by_process.note

    def __getstate__(self) -> dict[str, Any]:
        # A copy has no part in the process.
        return self.__dict__ | {"_by_process": None}

    def interrupt(self) -> None:
        """End the process, and so what is waited for; called from another thread."""
        if self._by_process is not None:
            self._by_process.close()

    def close(self) -> None:
        """End the process, if there is one; no file stays open between two reads."""
        self.interrupt()

    def _contents(self, indices: NDArray[np.int64], allocate: Allocate) -> Column:
        paths = self._listing.paths(indices)
        urls = enumerate(paths if self._listing.some_are_urls else ())
        remote = {row: path for row, path in urls if is_url(path)}
        if remote:
            return _read_remote(paths, remote, self._options, allocate)
        if self._by_process is not None:
            return self._by_process.read(paths, allocate)
        return read_local(paths, allocate)


def _read_remote(
    paths: list[bytes], remote: dict[int, bytes], options: Mapping[str, Any], allocate: Allocate
) -> list[NDArray[Any]]:
    """Ask for all that are URLs (`remote`, by row) at once, and read the others meanwhile."""
    from ..remote.storage import begin_whole  # needs optional libraries

    waits = {row: begin_whole(os.fsdecode(url), options, allocate) for row, url in remote.items()}
    local = iter(read_local([path for path in paths if not is_url(path)], allocate))
    return [waits[row]() if row in waits else next(local) for row in range(len(paths))]
