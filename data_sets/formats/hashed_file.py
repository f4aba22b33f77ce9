"""Files that are hashed while they are written, and are safe on the disk once they are closed."""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ...readers.storage.file_object import StorageFile
from ...readers.storage.opening import open_storage
from ...readers.storage.urls import Place
from ..manifest import ShardFile

BYTES_AT_ONCE = 1 << 20
"""Bytes of pieces that one call writes."""

PIECES_AT_ONCE = 512
"""Pieces that one call writes; Linux allows 1024."""

_C_LIBRARY = ctypes.CDLL(None, use_errno=True)

Piece = bytes | memoryview


class HashedFile:
    """A new file, its size and its SHA-256.

    Attributes:
        size: bytes that were written so far.
    """

    def __init__(self, path: Path) -> None:
        """Create the file, and its folder if need be; a file that exists is an error."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        self._hash = hashlib.sha256()
        self._pieces: list[Piece] = []
        self._waiting = 0
        self.size = 0

    def write(self, pieces: Iterable[Piece]) -> None:
        """Append pieces; their memory must not change before `finish`."""
        for piece in pieces:
            self._pieces.append(piece)
            self._waiting += len(piece)
            if self._waiting >= BYTES_AT_ONCE or len(self._pieces) >= PIECES_AT_ONCE:
                self._flush()

    def _flush(self) -> None:
        pieces, self._pieces, self._waiting = self._pieces, [], 0
        for piece in pieces:
            self._hash.update(piece)
        total = sum(map(len, pieces))
        written = os.writev(self._descriptor, pieces) if pieces else 0
        if written < total:  # of a long write, Linux may do a part
            rest = memoryview(b"".join(pieces))[written:]
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        self.size += total

    def finish(self, root: Path, *, sync: bool = True) -> ShardFile:
        """Write what is left and close the file.

        Args:
            root: folder that the file's name is relative to.
            sync: whether to wait until the disk has the file.
        """
        self._flush()
        if sync:
            os.fsync(self._descriptor)
        self.close()
        name = self._path.relative_to(root).as_posix()
        return ShardFile(name, self.size, self._hash.hexdigest())

    def close(self) -> None:
        """Close the file as it is."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def sync_file_system(path: Path) -> None:
    """Wait until the disk has all files of a file system, which is faster than file by file."""
    if not hasattr(_C_LIBRARY, "syncfs"):
        os.sync()
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if _C_LIBRARY.syncfs(descriptor):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(path))
    finally:
        os.close(descriptor)


def hash_of(path: Path, root: Path) -> ShardFile:
    """Return name, size and SHA-256 of a file that lies there."""
    return ShardFile(path.relative_to(root).as_posix(), path.stat().st_size, sha256_of(path))


def sha256_of(path: Place, options: Mapping[str, object] | None = None) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits.

    Raises:
        OSError: there is no such file, or it cannot be read. SourceError: it is a device or FIFO.
    """
    file = StorageFile(open_storage(path, options).sequential())
    return hashlib.file_digest(file, "sha256").hexdigest()


def write_new(path: Path, content: bytes, root: Path) -> ShardFile:
    """Write a small file."""
    file = HashedFile(path)
    try:
        file.write([content])
        return file.finish(root)
    finally:
        file.close()
