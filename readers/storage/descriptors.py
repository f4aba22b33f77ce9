"""Open files, shared by all readers of the process and bounded in number."""

from __future__ import annotations

import errno
import os
import resource
from itertools import count
from weakref import WeakValueDictionary

from .local_reads import OPEN_FLAGS

MAX_OPEN = 256
"""A process may usually hold 1024 descriptors; sockets, libraries and users need some of them."""

MAX_FRACTION_OF_LIMIT = 0.5
"""Fraction of the process's limit (`ulimit -n`), where that gives fewer."""

CLOSED_AT_ONCE = 0.25
"""Fraction of the open files that make room together, because finding the least used ones takes a
look at all."""


class Descriptor:
    """An open file, closed when nobody uses this object any more.

    A reader holds a reference while it reads, so closing the file in another thread cannot make
    the number mean another file in the middle of a read.
    """

    def __init__(self, path: str) -> None:
        self.number = os.open(path, OPEN_FLAGS)

    def __del__(self) -> None:
        if hasattr(self, "number"):
            os.close(self.number)


class SharedFile:
    """A file in one state: all storages of it use one descriptor.

    The descriptor is closed with the last storage of the file, and earlier when other files
    need it. The next read opens the file again.
    """

    def __init__(self, path: str, state: str) -> None:
        self._key = path, state
        self._descriptor: Descriptor | None = None
        self.last_use = 0

    def opened(self) -> Descriptor:
        """Return the open file; raise OSError with its path if it cannot be opened."""
        self.last_use = next(_clock)
        held = self._descriptor
        if held is None:
            _make_room(_most_open())
            held = self._descriptor = _open(self._key[0])
            _opened[self._key] = self
        return held

    def release(self) -> None:
        """Close the file once its readers are done."""
        self._descriptor = None
        _opened.pop(self._key, None)


# Without a lock, which a fork could copy while it is held: every access is one operation on a
# dict. The worst that threads can do to each other is to open a file twice.
_clock = count()
_files: WeakValueDictionary[tuple[str, str], SharedFile] = WeakValueDictionary()
_opened: WeakValueDictionary[tuple[str, str], SharedFile] = WeakValueDictionary()


def shared_file(path: str, state: str) -> SharedFile:
    """Return the file at `path`, which is opened when it is first read.

    Storages that know another `state` of the file get another object: a file that was open
    before it was replaced stays readable for them.
    """
    key = path, state
    shared = _files.get(key)
    if shared is None:
        shared = _files[key] = SharedFile(path, state)
    return shared


def _most_open() -> int:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return MAX_OPEN
    return min(MAX_OPEN, max(1, int(limit * MAX_FRACTION_OF_LIMIT)))


def _open(path: str) -> Descriptor:
    """Open a file; where the process has no descriptor left, close others for it."""
    while True:
        try:
            return Descriptor(path)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            if not _make_room(len(_opened)):
                error.add_note(
                    "the process has used up its file descriptors, and the readers hold none that "
                    "they could close: raise the limit (`ulimit -n`)"
                )
                raise


def _make_room(most: int) -> bool:
    """Close the least used files unless fewer than `most` are open; return whether any was."""
    if len(_opened) < max(1, most):
        return False
    # `valuerefs` copies in one step; other threads may open files meanwhile.
    files = [file for ref in _opened.valuerefs() if (file := ref()) is not None]
    files.sort(key=lambda file: file.last_use)
    excess = len(files) - most + max(1, int(most * CLOSED_AT_ONCE))
    for file in files[:excess]:
        file.release()
    return bool(files)
