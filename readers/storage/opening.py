"""The storage of a path or a URL, and small files as a whole."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import IO

import numpy as np

from ...engine.errors import SourceError
from ...engine.pending import Later, Pending, wait_all
from ...formats.foreign import LARGEST_POINTER, LFS, SMALLEST_POINTER, is_pointer
from .local_file import LocalFile
from .local_reads import OPEN_FLAGS, regular_size
from .storage import Storage
from .urls import Place, Url, is_url, text_of


def open_storage(
    path: str | os.PathLike[str] | Url, options: Mapping[str, object] | None = None
) -> Storage:
    """Return the storage of one file: see `open_storages`."""
    return open_storages([path], options)[0]


def open_storages(
    paths: Sequence[str | os.PathLike[str] | Url],
    options: Mapping[str, object] | None = None,
    tail: int = 0,
) -> list[Storage]:
    """Return the storage of each of `paths`: local files, or URLs such as "s3://bucket/key".

    All services are asked concurrently, so many files take about as long as one.

    Args:
        paths: of the files.
        options: `Reader.storage_options`.
        tail: so many of the last bytes of an object come in the request that opens it.
            `Storage.close` drops them.

    Raises:
        OSError: there is no such file, or it is no regular file.
        SourceError: a file is a pointer of Git LFS.
        MissingDependencyError: the library for a protocol is not installed.
    """
    storages = wait_all(_start_open(text_of(path), options or {}, tail) for path in paths)
    for storage in storages:
        if SMALLEST_POINTER <= storage.size <= LARGEST_POINTER:
            _refuse_pointer(storage)
    return storages


def _refuse_pointer(storage: Storage) -> None:
    content = np.empty(storage.size, np.uint8)
    storage.fill([0], [content])
    if is_pointer(content.tobytes()):
        raise SourceError(f"{storage.name} is {LFS}")


def _start_open(path: str, options: Mapping[str, object], tail: int) -> Pending[Storage]:
    if not is_url(path):
        return Later(partial(LocalFile, path))
    from ..remote.objects import start_open  # needs optional libraries

    return start_open(path, options, tail)


def opened(path: str | bytes | Place, options: Mapping[str, object] | None = None) -> IO[bytes]:
    """Open a file for reading from its front to its end: a local file, or an object in memory.

    Of local files, only regular ones are opened: a named pipe would wait for a writer for ever.

    Args:
        path: path of a local file, or a URL.
        options: `Reader.storage_options`, for a URL.

    Raises:
        OSError: there is no such file, or it cannot be read. SourceError: it is a device or FIFO.
    """
    text = path if isinstance(path, bytes) else text_of(path)
    if is_url(text):
        from ..remote.objects import start_whole  # needs optional libraries

        return io.BytesIO(
            start_whole(os.fsdecode(text), options or {}, np.empty).result().tobytes()
        )
    descriptor = os.open(text, OPEN_FLAGS)
    try:
        regular_size(descriptor, text)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_whole(path: str | Place, options: Mapping[str, object] | None = None) -> bytes:
    """Return the content of a small file; see `opened`."""
    with opened(path, options) as file:
        return file.read()


def exists(place: str | Place, options: Mapping[str, object] | None = None) -> bool:
    """Return whether there is a regular file, or an object behind a URL, that may be read."""
    try:
        open_storage(place, options)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return False
    except PermissionError:
        if is_url(text_of(place)):  # what object stores answer who may not list a folder
            return False
        raise
    return True
