"""Whole files as samples: the storage of `fn.readers.file`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.tensors.arena import Arena
from ...engine.tensors.packed_rows import MetadataFunction
from ..listing.listing import FileList
from ..process.part_reads import processes_of_cores
from ..process.reading_process import ReadingProcess
from ..source import Allocate, Column, checked_indices
from ..storage.local_reads import read_local
from ..storage.urls import is_url, shown
from .process_reads import ProcessReads

PROCESS_THREADS = 4
"""Threads of each process; several work only while files come slowly."""


class FileSource:
    """The files of a `FileList`; a sample is a file's bytes and its label.

    Nothing stays open between two calls of `read`, so the source may be pickled, forked and
    closed at any time. Files are copied into memory rather than mapped: a file that another
    process cuts short while it is mapped kills this one (SIGBUS).
    """

    def __init__(self, listing: FileList, options: Mapping[str, Any] | None = None) -> None:
        """Take the files; `options` are `Reader.storage_options`, for URLs."""
        self._listing = listing
        self._length = len(listing)
        self._options = options or {}
        self._by_process: ProcessReads | None = None
        self._read_files: Callable[[list[bytes], Allocate], Column] = read_local

    def __len__(self) -> int:
        return self._length

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
        indices = checked_indices(indices, self._length)
        paths, labels = self._listing.paths(indices), self._listing.labels[indices]
        remote = self._remote(paths) if self._listing.some_are_urls else {}
        if remote:
            contents: Column = _read_remote(paths, remote, self._options, allocate)
        else:
            contents = self._read_files(paths, allocate)
        return contents, labels[:, np.newaxis]

    @staticmethod
    def _remote(paths: list[bytes]) -> dict[int, bytes]:
        return {row: path for row, path in enumerate(paths) if is_url(path)}

    def where(self, index: int) -> str:
        """Return the file's absolute path, or its URL without secrets."""
        (path,) = self._listing.paths(checked_indices(np.array([index]), len(self)))
        return shown(path)

    def source_info(self, index: int) -> str:
        """Return the path relative to `file_root`, as DALI does; of `files`, as they are given."""
        checked_indices(np.array([index]), len(self))
        return self._listing.name(index)

    def class_names(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the classes that the labels number, if class folders were listed."""
        names = self._listing.class_names
        return {"label": names} if names else {}

    def folders(self) -> set[str]:
        """Return the folders of all files: absolute paths, or URLs."""
        paths = self._listing.paths(np.arange(len(self)))
        return set(map(os.fsdecode, set(map(os.path.dirname, paths))))

    def share(self, arena: Arena, metadata_functions: Mapping[str, MetadataFunction]) -> None:
        """Let processes of its own read local files into memory of the arena."""
        process = ReadingProcess(arena, PROCESS_THREADS, metadata_functions, processes_of_cores())
        self._by_process = ProcessReads(process)
        self._read_files = self._by_process.read

    @property
    def path_used(self) -> str:
        """How local files are read: see `Operator.remark`."""
        return "" if self._by_process is None else self._by_process.path_used

    def __getstate__(self) -> dict[str, Any]:
        # The process writes into memory of this pipeline only.
        return self.__dict__ | {"_by_process": None, "_read_files": read_local}

    def interrupt(self) -> None:
        """End the process; a thread that waits for its answer goes on without it."""
        if self._by_process is not None:
            self._by_process.close()

    def close(self) -> None:
        """End the process, if there is one; no file stays open between two reads."""
        self.interrupt()


def _read_remote(
    paths: list[bytes], remote: dict[int, bytes], options: Mapping[str, Any], allocate: Allocate
) -> list[NDArray[Any]]:
    """Request all URLs (`remote`, by row) at once, and read the local files meanwhile."""
    from ..remote.objects import start_whole  # needs optional libraries

    waits = {row: start_whole(os.fsdecode(url), options, allocate) for row, url in remote.items()}
    local = iter(read_local([path for path in paths if not is_url(path)], allocate))
    return [waits[row]() if row in waits else next(local) for row in range(len(paths))]
