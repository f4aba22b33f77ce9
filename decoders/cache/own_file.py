"""Files of this user alone.

Whoever can write to a cache, or to a register, decides what users of the cache see. So both are
regular files that belong to this user, that nobody else may write, and that have one name.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from ...engine.errors import ArgumentError
from ...engine.tensors.arena import beyond_standard_streams


def open_own(path: Path) -> int:
    """Open a file of this user alone, or make it.

    Raises:
        ArgumentError: what is there is no such file.
        OSError: the file cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = beyond_standard_streams(os.open(path, flags, 0o600))
    except OSError as error:
        kind = {errno.ELOOP: "a link", errno.EISDIR: "a folder", errno.ENXIO: "a socket"}
        if error.errno in kind:
            raise _no_own_file(path, f"is {kind[error.errno]}") from error
        raise
    try:
        _check_own(os.fstat(descriptor), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_own(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _no_own_file(path, "is a pipe or a device")
    if status.st_uid != os.geteuid():
        raise _no_own_file(path, f"belongs to another user, of the number {status.st_uid}")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _no_own_file(path, "may be written by others (`chmod go-w` forbids it)")
    if status.st_nlink > 1:
        raise _no_own_file(path, "has another name, too")


def _no_own_file(path: Path, why: str) -> ArgumentError:
    return ArgumentError(
        f"{path} {why}, and a cache trusts files of its own user alone; remove it, or name another "
        "folder"
    )
