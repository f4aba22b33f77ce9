"""A storage as a file object."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from .storage import Storage

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class OutsideError(OSError):
    """The error of a seek to a place before the beginning of a file, as files raise it."""


class StorageFile(io.RawIOBase):
    """A storage as libraries read files: one thread at a time, from any place."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._position = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """See `io.IOBase.seek`."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._storage.size}
        if base[whence] + offset < 0:
            raise OutsideError("an offset before the file's beginning")
        self._position = base[whence] + offset
        return self._position

    def tell(self) -> int:
        """See `io.IOBase.tell`."""
        return self._position

    def readinto(self, buffer: WriteableBuffer) -> int:
        """See `io.RawIOBase.readinto`.

        Raises:
            OSError: the file cannot be read. SourceError if it became shorter.
        """
        target = np.frombuffer(memoryview(buffer), np.uint8)
        target = target[: max(0, self._storage.size - self._position)]
        if target.size:
            self._storage.fill([self._position], [target])
        self._position += target.size
        return int(target.size)
