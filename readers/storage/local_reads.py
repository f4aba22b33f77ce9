"""Local files read in two steps: bytes in the page cache first, then those from the disk."""

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
    """Identifies a file and its state: another size or time means that the file has changed."""

    device: int
    inode: int
    size: int
    mtime_ns: int


def identity(status: os.stat_result) -> Identity:
    """Return the identity that a file's status gives."""
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
    """Read the bytes that the page cache holds; return whether that filled the buffer.

    If not, the kernel is asked to fetch the rest. So the disk works on the bytes of all calls at
    once, while the caller goes on.
    """
    # Neither `suppress` nor `buffer.data`: each takes nearly as long as a small record's copy.
    buffers: Any = (buffer,)
    try:
        if os.preadv(fd, buffers, offset, os.RWF_NOWAIT) == len(buffer):
            return True
    except OSError:  # Nothing is cached, or the file system does not know the flag.
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
