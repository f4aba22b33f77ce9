"""The storage of a path or a URL."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .local_file import LocalFile
from .storage import Storage
from .urls import is_url


def open_storage(path: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> Storage:
    """Return the storage of one file: see `open_storages`."""
    return open_storages([path], options)[0]


def open_storages(
    paths: Sequence[str | os.PathLike[str]], options: Mapping[str, Any] | None = None
) -> list[Storage]:
    """Return the storage of each of `paths`: local files, or URLs such as "s3://bucket/key".

    All services are asked concurrently, so many files take about as long as one. `options` are
    `Reader.storage_options`.

    Raises:
        OSError: there is no such file, or it is no regular file.
        MissingDependencyError: the library for a protocol is not installed.
    """
    started = [_begin_open(os.fspath(path), options or {}) for path in paths]
    return [wait() for wait in started]


def _begin_open(path: str, options: Mapping[str, Any]) -> Callable[[], Storage]:
    if not is_url(path):
        return partial(LocalFile, path)
    from ..remote.objects import start_open  # needs optional libraries

    return start_open(path, options)
