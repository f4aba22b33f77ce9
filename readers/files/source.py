"""Whole files as samples: the storage of `fn.readers.file`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Int64s
from ...engine.pending import Later, Pending, wait_all
from ..listing.listing import FileList
from ..source import Allocate, Column, Columns, Part, checked_indices, scattered
from ..storage.local_reads import read_local
from ..storage.urls import is_url, shown


class FileSource:
    """The files of a `FileList`; a sample is a file's bytes and its label.

    Nothing stays open between two calls of `read`, so the source may be pickled, forked and
    closed at any time. Files are copied into memory rather than mapped: a file that another
    process cuts short while it is mapped kills this one (SIGBUS).
    """

    def __init__(
        self, listing: FileList, options: Mapping[str, object] | None = None, threads: int = 2
    ) -> None:
        """Take the files.

        Args:
            listing: the files.
            options: `Reader.storage_options`, for URLs.
            threads: threads that read large local files, at most.
        """
        self._listing = listing
        self._threads = threads
        self._length = len(listing)
        self.targets = listing.targets
        self._options = options or {}

    def __len__(self) -> int:
        return self._length

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return the files' bytes, one uint8 array (size,) each, and labels, (files, k).

        In the place of labels come the targets, a column each.

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
        paths = self._listing.paths(indices)
        remote = self._remote(paths) if self._listing.some_are_urls else {}
        if remote:
            contents: Column = self._read_remote(paths, remote, allocate)
        else:
            contents = read_local(paths, allocate, self._threads)
        return contents, *self._known(indices, allocate)

    def _known(self, indices: Int64s, allocate: Allocate) -> Columns:
        """Return the columns that need no file."""
        if self.targets is not None:
            return self.targets.of_samples(indices, allocate)
        labels = self._listing.labels[indices]
        return (labels if labels.ndim > 1 else labels[:, np.newaxis],)

    @classmethod
    def read_joined(cls, parts: Sequence[Part], count: int, allocate: Allocate) -> Columns | None:
        """See `Joinable`. Local files can be read together."""
        if any(source.some_are_urls for source, _, _ in parts):
            return None
        paths, known = [b""] * count, []
        for source, rows, indices in parts:
            for row, path in zip(rows.tolist(), source._listing.paths(indices), strict=True):
                paths[row] = path
            known.append((rows, source._known(indices, allocate)))
        contents = read_local(paths, allocate, parts[0][0]._threads)
        return contents, *(
            scattered([(rows, columns[i]) for rows, columns in known], count, allocate)
            for i in range(len(known[0][1]))
        )

    def placeholder(self) -> tuple[Array, ...]:
        """Return what stands for a sample that cannot be read."""
        if self.targets is not None:
            return np.empty(0, np.uint8), *self.targets.placeholder()
        labels = self._listing.labels
        return np.empty(0, np.uint8), np.zeros(labels.shape[1:] or 1, labels.dtype)

    def _read_remote(
        self, paths: list[bytes], remote: dict[int, bytes], allocate: Allocate
    ) -> list[Array]:
        """Request all URLs (`remote`, by row) at once, and read the local files meanwhile."""
        from ..remote.objects import start_whole  # needs optional libraries

        local = [path for path in paths if not is_url(path)]
        urls = map(os.fsdecode, remote.values())
        started = (start_whole(url, self._options, allocate) for url in urls)
        here: Pending[Any] = Later(lambda: read_local(local, allocate, self._threads))
        read, *fetched = wait_all(chain([here], started))
        files, objects = iter(read), iter(fetched)
        return [next(objects if row in remote else files) for row in range(len(paths))]

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

    def known_column(self, name: str) -> Array | None:
        """Return what is known of each file without reading it, by one of `known_columns`."""
        if name == "bytes" and not self.some_are_urls:
            from ..costs import file_sizes

            sizes: NDArray[np.float64] = file_sizes(self._listing.paths(np.arange(len(self))))
            return sizes
        if self.targets is not None:
            return self.targets.column(name)
        return self._listing.labels if name == "label" else None

    def known_columns(self) -> list[str]:
        """Return "label" or the columns of the table with one value, and "bytes" of local files."""
        names = ["label"] if self.targets is None else [*map(str, self.targets.names)]
        known = [name for name in names if self.known_column(name) is not None]
        return known + ["bytes"] * (not self.some_are_urls)

    def class_names(self) -> dict[str, tuple[str, ...]]:
        """Return the texts that labels or targets number, by the name of the output."""
        if self.targets is not None:
            return self.targets.class_names
        names = self._listing.class_names
        return {"label": names} if names else {}

    def class_outputs(self) -> dict[str, int]:
        """Return the number of the output that each of `class_names` numbers."""
        names = ("label",) if self.targets is None else self.targets.names
        return {name: i for i, name in enumerate(names, 1) if isinstance(name, str)}

    def folders(self) -> set[str]:
        """Return the folders of all files: absolute paths, or URLs."""
        paths = self._listing.paths(np.arange(len(self)))
        return set(map(os.fsdecode, set(map(os.path.dirname, paths))))

    @property
    def some_are_urls(self) -> bool:
        """Whether any file is a remote object."""
        return self._listing.some_are_urls

    def close(self) -> None:
        """Do nothing: no file stays open between two reads."""
