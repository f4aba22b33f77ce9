"""Local files read in two steps: what is in memory, then what the disk fetched meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ...engine.errors import SourceError

# A FIFO without a writer would otherwise block the open for ever. Regular files ignore it.
OPEN_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class Identity(NamedTuple):
    """Which file it is, and what tells that it has changed."""

    device: int
    inode: int
    size: int
    mtime_ns: int


def identity(status: os.stat_result) -> Identity:
    """Return what a file's status says of it."""
    return Identity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


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


def read_cached(fd: int, buffer: NDArray[Any], offset: int) -> bool:
    """Read what the page cache holds. If that is not all, have the kernel fetch the rest.

    The second step costs nothing where all is cached, as it mostly is after the first epoch;
    where it is not, the disk works on all that it was asked for at once.
    """
    # Neither `suppress` nor `buffer.data`: a small record takes little longer than these do.
    buffers: Any = (buffer,)
    try:
        if os.preadv(fd, buffers, offset, os.RWF_NOWAIT) == len(buffer):
            return True
    except OSError:  # Nothing is cached, or the file system cannot tell.
        pass
    with suppress(OSError):  # It is advice: a file system may not take it.
        os.posix_fadvise(fd, offset, buffer.size, os.POSIX_FADV_WILLNEED)
    return False


def read_waiting(fd: int, buffer: NDArray[Any], offset: int) -> int:
    """Fill the buffer, waiting for the disk; return how many bytes came before the file's end."""
    filled = 0
    while filled < buffer.size:
        count = os.preadv(fd, (buffer[filled:].data,), offset + filled)
        if not count:
            break
        filled += count
    return filled
