"""The folder of unpacked files: which of them may be removed, and when.

A run may need more unpacked files than the cache may keep. So nothing is removed while any process
uses the cache. The last process that leaves the cache trims it, and so does the first one that
enters it: the least recently used files go until the rest fits.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path
from weakref import WeakValueDictionary

from ...engine.closing import close_after
from ...engine.errors import ArgumentError
from ..storage.index_cache import SUFFIX

UNPACKED = ".unpacked"
LIMIT_VARIABLE = "PENSTOCK_CACHE_BYTES"

MAX_CACHE_BYTES = 32 << 30
"""Bytes of all unpacked files together."""

MAX_FRACTION_OF_DISK = 0.25
"""Fraction of the file system's size, where that is less."""


class CacheUse:
    """Keeps unpacked files in the cache for as long as it lives, in this process and in others."""

    def __init__(self, folder: Path) -> None:
        """Enter the cache; a folder that cannot be written is reported when it is needed."""
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            limit = cache_limit(folder)
            lock = os.open(folder / "unpacked.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
            close_after(self, _leave, os.getpid(), lock, folder, limit)
            _trim_if_alone(lock, folder, limit)
            fcntl.flock(lock, fcntl.LOCK_SH)


def _leave(owner: int, lock: int, folder: Path, limit: int) -> None:
    if os.getpid() == owner:  # a fork has the same lock as its parent, which may use the cache
        _trim_if_alone(lock, folder, limit)
    os.close(lock)


def _trim_if_alone(lock: int, folder: Path, limit: int) -> None:
    with suppress(OSError):  # other processes use the cache, or its file system knows no locks
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        trim(folder, limit)


_uses: WeakValueDictionary[tuple[int, Path], CacheUse] = WeakValueDictionary()


def cache_use(folder: Path) -> CacheUse:
    """Return the cache of the unpacked files in `folder`, one object for each process."""
    key = os.getpid(), folder
    use = _uses.get(key)
    if use is None:
        use = _uses[key] = CacheUse(folder)
    return use


def cache_limit(folder: Path) -> int:
    """Return how many bytes of unpacked files stay in `folder` between runs.

    Raises:
        ArgumentError: the environment variable that sets the limit holds no number.
    """
    given = os.environ.get(LIMIT_VARIABLE)
    if given is None:
        size = shutil.disk_usage(folder).total
        return min(MAX_CACHE_BYTES, int(size * MAX_FRACTION_OF_DISK))
    if not given.isdecimal():
        raise ArgumentError(f"{LIMIT_VARIABLE}={given!r}: a number of bytes is expected")
    return int(given)


def trim(folder: Path, limit: int) -> None:
    """Remove the least recently used unpacked files until the others take at most `limit`."""
    files = [(path.stat(), path) for path in folder.glob(f"*{UNPACKED}")]
    files.sort(key=lambda pair: pair[0].st_atime_ns, reverse=True)
    total = 0
    for status, path in files:
        total += status.st_size
        if total > limit:
            path.unlink(missing_ok=True)
            path.with_name(path.name + SUFFIX).unlink(missing_ok=True)
