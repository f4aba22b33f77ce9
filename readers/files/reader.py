"""Whole files as samples: `fn.readers.file` and its storage."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from itertools import accumulate, pairwise
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.batch import Batch
from ...engine.errors import ArgumentError
from ...engine.memory import Arena
from ...engine.operator import Array, register
from ...engine.packed_rows import Find, PackedRows
from ...engine.params import BOOL, INTS, STR, STRS, param
from ...engine.tensors import TensorList
from ..batch_groups import Expect
from ..process.reading_process import ReadingProcess
from ..reader import Reader
from ..source import Allocate, Column, checked_indices
from ..storage.local_reads import OPEN_FLAGS, read_cached, read_waiting, regular_size
from ..storage.urls import is_url
from .listing import KNOWN_EXTENSIONS, FileList, list_files

_THREADS = 4
"""Of the process that reads; it works for one batch at a time."""

_MARGIN = 1.2
"""Memory that the process is given, as a multiple of what the files of other batches took."""

_DECAY = 0.9
"""How fast, with each batch, large files are forgotten."""

_OPEN_AT_ONCE = 64
"""Files that one `read` holds open: enough requests for a disk to sort, and sixteen threads
stay below the 1024 descriptors that a process usually may have."""


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
        self._process: ReadingProcess | None = None
        self._mean = 0.0  # bytes of a file, for `_begin`
        self._next: NDArray[np.int64] | None = None
        self._begun: deque[_Begun] = deque()

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
        begun = self._begun_for(indices)
        paths = self._listing.paths(indices) if begun is None else begun.paths
        contents: Column
        urls = enumerate(paths if self._listing.some_are_urls else ())
        remote = {row: path for row, path in urls if is_url(path)}
        if remote:
            contents = _read_remote(paths, remote, self._options, allocate)
        elif self._process is not None:
            contents = self._read_by_process(self._process, paths, allocate, begun)
        else:
            contents = _read_local(paths, allocate)
        return contents, self._listing.labels[indices][:, np.newaxis]

    def expect(self, indices: NDArray[np.int64]) -> None:
        """Note which files are likely to be read after those that are read next: the process
        begins with them meanwhile."""
        self._next = indices

    def where(self, index: int) -> str:
        """Return the file's absolute path, or its URL."""
        (path,) = self._listing.paths(checked_indices(np.array([index]), len(self)))
        return os.fsdecode(path)

    def share(self, arena: Arena, find: Mapping[str, Find]) -> None:
        """Let a process of its own read local files into memory of the arena."""
        self._process = ReadingProcess(arena, _THREADS, find)

    @property
    def note(self) -> str:
        """How files are read, or ""."""
        if self._process is None:
            return ""
        return "a process of its own reads" if self._process.is_there else self._process.why

    def __getstate__(self) -> dict[str, Any]:
        # A copy has no part in the process.
        return self.__dict__ | {"_process": None, "_next": None, "_begun": deque()}

    def interrupt(self) -> None:
        """End the process, and so what is waited for; called from another thread."""
        if self._process is not None:
            self._process.close()

    def close(self) -> None:
        """End the process, if there is one; no file stays open between two reads."""
        self.interrupt()

    def _begun_for(self, indices: NDArray[np.int64]) -> _Begun | None:
        """Return the read of these files, if it has begun; wait for one of others."""
        try:
            begun = self._begun.pop()
        except IndexError:
            return None
        if np.array_equal(begun.indices, indices):
            return begun
        begun.answer()  # for until then its memory is written to
        return None

    def _begin_next(self, process: ReadingProcess, allocate: Allocate) -> None:
        """Have the process begin with the files that are expected."""
        indices, self._next = self._next, None
        if indices is None or self._begun or not len(indices):
            return
        if self._mean == 0 or self._listing.some_are_urls:
            return
        paths = self._listing.paths(indices)
        slab = allocate((self._room(len(paths)),), np.uint8)
        offset = process.arena.offset(slab)
        answer = None
        if offset is not None:
            answer = process.begin("files", paths, offset, slab.size)
        if answer is not None:
            self._begun.append(_Begun(indices, paths, slab, answer))

    def _room(self, files: int) -> int:
        return int(self._mean * files * _MARGIN)

    def _read_by_process(
        self,
        process: ReadingProcess,
        paths: list[bytes],
        allocate: Allocate,
        begun: _Begun | None,
    ) -> Column:
        found = None
        if process.is_there and paths:
            self._begin_next(process, allocate)
            found = self._ask(process, paths, allocate, begun)
        elif begun is not None:
            begun.answer()
        if found is not None:
            return found
        started = perf_counter()
        contents = _read_local(paths, allocate)
        process.count(perf_counter() - started)
        self._mean = sum(each.nbytes for each in contents) / max(1, len(contents))
        return contents

    def _ask(
        self,
        process: ReadingProcess,
        paths: list[bytes],
        allocate: Allocate,
        begun: _Begun | None,
    ) -> PackedRows | None:
        """Return the files' bytes; None if there are any that have to be read here."""
        room = self._room(len(paths))
        for _ in range(3):
            if begun is not None:
                slab, found, begun = begun.slab, begun.answer(), None
                room = slab.size
            else:
                slab = allocate((room,), np.uint8)
                found = _read_into(slab, process, paths)
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


class _Begun(NamedTuple):
    """A read that the process has begun.

    Attributes:
        indices, paths: of the files.
        slab: where they are read to.
        answer: waits for their sizes and facts about them: see `FileReads.read`.
    """

    indices: NDArray[np.int64]
    paths: list[bytes]
    slab: NDArray[np.uint8]
    answer: Callable[[], Any]


def _read_into(slab: NDArray[np.uint8], process: ReadingProcess, paths: list[bytes]) -> Any:
    """Have files read one behind the other; return their sizes, and facts about them, unless they
    are larger than the slab."""
    offset = process.arena.offset(slab)
    return None if offset is None else process.ask("files", paths, offset, slab.size)


def _read_remote(
    paths: list[bytes], remote: dict[int, bytes], options: Mapping[str, Any], allocate: Allocate
) -> list[NDArray[Any]]:
    """Ask for all that are URLs (`remote`, by row) at once, and read the others meanwhile."""
    from ..remote.storage import begin_whole  # needs optional libraries

    waits = {row: begin_whole(os.fsdecode(url), options, allocate) for row, url in remote.items()}
    local = iter(_read_local([path for path in paths if not is_url(path)], allocate))
    return [waits[row]() if row in waits else next(local) for row in range(len(paths))]


def _read_local(paths: list[bytes], allocate: Allocate) -> list[NDArray[Any]]:
    contents: list[NDArray[Any]] = []
    for begin in range(0, len(paths), _OPEN_AT_ONCE):
        contents += _read_together(paths[begin : begin + _OPEN_AT_ONCE], allocate)
    return contents


def _read_together(paths: list[bytes], allocate: Allocate) -> list[NDArray[Any]]:
    """Read files into one slab, having asked the storage for all that is not in memory yet."""
    opened: list[int] = []
    sizes: list[int] = []
    try:
        for path in paths:
            opened.append(_open(path))
            sizes.append(regular_size(opened[-1], path))
        bounds = list(accumulate(sizes, initial=0))
        slab = allocate((bounds[-1],), np.uint8)
        views = [slab[begin:end] for begin, end in pairwise(bounds)]
        waiting = [i for i, fd in enumerate(opened) if not read_cached(fd, views[i], 0)]
        for i in waiting:
            views[i] = _rest(opened[i], views[i], paths[i])
        return views
    finally:
        for fd in opened:
            os.close(fd)


def _open(path: bytes) -> int:
    try:
        return os.open(path, OPEN_FLAGS)
    except OSError as error:
        raise _named(error, path) from None


def _rest(fd: int, view: NDArray[Any], path: bytes) -> NDArray[Any]:
    try:
        return view[: read_waiting(fd, view, 0)]
    except OSError as error:
        raise _named(error, path) from None


def _named(error: OSError, path: bytes) -> OSError:
    """Return `error` with the file's path; OSError picks the same subclass by the number."""
    return OSError(error.errno, error.strerror, os.fsdecode(path))


@register
class File(Reader):
    """Reads whole files, such as encoded images, with an integer label each.

    The files come from folders of classes (`file_root`), from a list of paths (`files`), or
    from a text file that lists them (`file_list`). Each of these may be or hold URLs, such as
    "s3://bucket/train".

    In pipelines that use the GPU or worker processes, a process of the reader's own reads local
    files, after a second of reading: threads that read would wait for Python's lock.

    Outputs:
        the file's bytes: uint8, shape (size,).
        its label: int32, shape (1,).

    Raises:
        SourceError: a folder or list cannot be read or holds nothing that matches.
        OSError: a file cannot be read (see `on_error` of the pipeline).
    """

    name = "readers.file"
    aliases = ("file_reader",)
    outputs = 2

    source: FileSource

    file_root = param(
        STR,
        None,
        "Folder whose subfolders are the classes, numbered in the order of their names; also what "
        "relative paths in `files` or `file_list` are relative to.",
    )
    files = param(STRS, None, "Paths of the files.")
    labels = param(INTS, None, "Their labels; by default 0, 1, 2, ...")
    file_list = param(
        STR, None, "Text file with a path and a label on each line; paths may hold spaces."
    )
    file_filters = param(
        STRS, KNOWN_EXTENSIONS, "Patterns such as '*.jpg'; with `file_root` alone."
    )
    dir_filters = param(STRS, None, "Patterns of the class folders' names; by default all.")
    case_sensitive_filter = param(BOOL, False, "Whether the patterns distinguish case.")

    def open_source(self) -> FileSource:
        if self.file_root is None and self.files is None and self.file_list is None:
            raise ArgumentError("fn.readers.file needs file_root, files or file_list")
        return FileSource(
            list_files(
                file_root=self.file_root,
                files=self.files,
                labels=self.labels,
                file_list=self.file_list,
                file_filters=self.file_filters,
                dir_filters=self.dir_filters,
                case_sensitive_filter=self.case_sensitive_filter,
                storage_options=self.storage_options,
            ),
            self.storage_options,
        )

    def expecting(self) -> Expect | None:
        return None if self._blocks else self.source.expect

    def shares_memory(self, *, uses_gpu: bool) -> bool:
        return uses_gpu

    def share(self, arena: Arena, find: Mapping[str, Find]) -> None:
        self.source.share(arena, find)

    def interrupt(self) -> None:
        super().interrupt()
        self.source.interrupt()

    def _take(self, batch: Batch) -> tuple[Column | TensorList, ...]:
        found = super()._take(batch)
        self.note = self.source.note
        return found

    def placeholder(self) -> tuple[Array, ...]:
        return np.empty(0, np.uint8), np.zeros(1, np.int32)
