"""Local files read in two steps: bytes in the page cache first, then those from the disk.

`read_local` reads whole files. The other functions are its steps, for those who read in their own
way.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import Array
from ...engine.errors import SourceError
from ...engine.machine import memory_of_machine
from ..source import Allocate
from .claims import check_claim
from .read_team import READ_TEAM

# A FIFO without a writer would otherwise block the open for ever. Regular files ignore it.
OPEN_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK

OPEN_AT_ONCE = 64
"""Files that one read holds open: enough requests for a disk to sort, and sixteen threads stay
below the 1024 descriptors that a process usually may have."""

PIECE_BYTES = 4 << 20
"""Bytes that one thread reads at a time; longer reads are divided. That takes half a millisecond
and makes up for the start of a thread (50 us)."""


class Identity(NamedTuple):
    """Identifies a file and its state: another number means that the file has changed.

    Programs set the time of a change (`mtime`) as they like: `rsync -t`, images of containers. The
    system alone sets `ctime`. Where no time passes, as in read-only images, inodes differ.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def stamp(self) -> str:
        """A text that changes whenever the content does, on each machine that sees the file."""
        return ":".join(map(str, self[1:]))  # machines number their devices as they like


def identity(status: os.stat_result) -> Identity:
    """Return the identity that a file's status gives."""
    return Identity(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )


def check_regular(status: os.stat_result, path: str | bytes) -> None:
    """Raise OSError with the path unless the status is a regular file's."""
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory, a file is needed", os.fsdecode(path))
    if not stat.S_ISREG(status.st_mode):
        raise SourceError(f"{os.fsdecode(path)} is a device or FIFO, not a file: leave it out")


def regular_size(fd: int, path: str | bytes) -> int:
    """Return the size of an open file; raise OSError with the path unless it is a regular one."""
    status = os.fstat(fd)
    check_regular(status, path)
    return status.st_size


def read_cached(fd: int, buffer: Array, offset: int) -> bool:
    """Read the bytes that the page cache holds; return whether that filled the buffer.

    If not, the kernel is asked to fetch the rest. So the disk works on the bytes of all calls at
    once, while the caller goes on.
    """
    # Neither `suppress` nor `buffer.data`: each takes nearly as long as a small record's copy.
    buffers: Any = (buffer,)
    try:
        if os.preadv(fd, buffers, offset, os.RWF_NOWAIT) == len(buffer):
            return True
    except (OSError, AttributeError):  # Nothing is cached, or the system does not know the flag.
        pass
    with suppress(OSError, AttributeError):  # It is advice: a system may not take it.
        os.posix_fadvise(fd, offset, buffer.size, os.POSIX_FADV_WILLNEED)
    return False


def read_waiting(fd: int, buffer: Array, offset: int) -> int:
    """Fill the buffer, waiting for the disk; return how many bytes came before the file's end."""
    filled = 0
    while filled < buffer.size:
        count = os.preadv(fd, (buffer[filled:].data,), offset + filled)
        if not count:
            break
        filled += count
    return filled


def read_local(paths: list[bytes], allocate: Allocate, threads: int = 2) -> list[Array]:
    """Return the files' bytes: one uint8 array (size,) each.

    A file that changes its size while it is read gives what was there: see `FileSource.read`.

    Args:
        paths: the files.
        allocate: see `Source.read`.
        threads: threads that read large files, at most.

    Raises:
        OSError: a file cannot be opened or read; `filename` says which one.
    """
    at_once = OPEN_AT_ONCE
    if len(paths) > at_once:
        groups = [paths[start : start + at_once] for start in range(0, len(paths), at_once)]
        return [content for group in groups for content in read_local(group, allocate, threads)]
    opened: list[int] = []
    try:
        opened.extend(map(_open, paths))
        sizes = [regular_size(fd, path) for fd, path in zip(opened, paths, strict=True)]
        bounds = list(accumulate(sizes, initial=0))
        if bounds[-1] > memory_of_machine():
            check_claim(os.fsdecode(paths[sizes.index(max(sizes))]), bounds[-1])
        slab = allocate((bounds[-1],), np.uint8)
        views = [slab[start:stop] for start, stop in pairwise(bounds)]
        # The storage is asked for all that is not in memory before anything is waited for.
        if bounds[-1] < 2 * PIECE_BYTES:
            waiting = [i for i, fd in enumerate(opened) if not read_cached(fd, views[i], 0)]
        else:
            waiting = _read_by_threads(opened, views, threads)
        for i in waiting:
            views[i] = _rest(opened[i], views[i], paths[i])
        return views
    finally:
        for fd in opened:
            os.close(fd)


def _read_by_threads(opened: list[int], views: list[Array], threads: int) -> list[int]:
    """Read open files in pieces, by several threads; return which are not wholly in memory."""
    waiting: set[int] = set()
    pieces = [(i, at) for i, view in enumerate(views) for at in range(0, view.size, PIECE_BYTES)]

    def read(piece: tuple[int, int]) -> None:
        i, at = piece
        if not read_cached(opened[i], views[i][at : at + PIECE_BYTES], at):
            waiting.add(i)

    nbytes = sum(view.size for view in views)
    READ_TEAM.run_jobs(read, pieces, min(threads, nbytes // PIECE_BYTES))
    return sorted(waiting)


def _open(path: bytes) -> int:
    try:
        return os.open(path, OPEN_FLAGS)
    except OSError as error:
        raise _named(error, path) from None


def _rest(fd: int, view: Array, path: bytes) -> Array:
    try:
        return view[: read_waiting(fd, view, 0)]
    except OSError as error:
        raise _named(error, path) from None


def _named(error: OSError, path: bytes) -> OSError:
    """Return `error` with the file's path; OSError picks the same subclass by the number."""
    return OSError(error.errno, error.strerror, os.fsdecode(path))
