"""Whole local files, read in this process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..source import Allocate
from ..storage.local_reads import OPEN_FLAGS, read_cached, read_waiting, regular_size


@dataclass(frozen=True)
class LocalFilesTuning:
    """Numbers of reading whole local files.

    Attributes:
        open_at_once: files that one read holds open: enough requests for a disk to sort, and
            sixteen threads stay below the 1024 descriptors that a process usually may have.
    """

    open_at_once: int = 64


TUNING = LocalFilesTuning()


def read_local(paths: list[bytes], allocate: Allocate) -> list[NDArray[Any]]:
    """Return the files' bytes: see `FileSource.read`."""
    at_once = TUNING.open_at_once
    if len(paths) > at_once:
        groups = [paths[start : start + at_once] for start in range(0, len(paths), at_once)]
        return [content for group in groups for content in read_local(group, allocate)]
    opened: list[int] = []
    try:
        opened.extend(map(_open, paths))
        return _read_opened(opened, paths, allocate)
    finally:
        for fd in opened:
            os.close(fd)


def _read_opened(opened: list[int], paths: list[bytes], allocate: Allocate) -> list[NDArray[Any]]:
    """Read files into one slab, having asked the storage for all that is not in memory yet."""
    sizes = [regular_size(fd, path) for fd, path in zip(opened, paths, strict=True)]
    bounds = list(accumulate(sizes, initial=0))
    slab = allocate((bounds[-1],), np.uint8)
    views = [slab[start:stop] for start, stop in pairwise(bounds)]
    waiting = [i for i, fd in enumerate(opened) if not read_cached(fd, views[i], 0)]
    for i in waiting:
        views[i] = _rest(opened[i], views[i], paths[i])
    return views


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
