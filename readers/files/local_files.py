"""Whole local files, read in this process."""

from __future__ import annotations

import os
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..source import Allocate
from ..storage.local_reads import OPEN_FLAGS, read_cached, read_waiting, regular_size

_OPEN_AT_ONCE = 64
"""Files that one read holds open: enough requests for a disk to sort, and sixteen threads
stay below the 1024 descriptors that a process usually may have."""


def read_local(paths: list[bytes], allocate: Allocate) -> list[NDArray[Any]]:
    """Return the files' bytes: see `FileSource.read`."""
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
