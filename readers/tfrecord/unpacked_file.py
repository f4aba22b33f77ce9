"""Whole files that were compressed with gzip or zlib, as storages with random access.

Neither format can be entered in the middle. Inflating from the start for every record would make
a shuffled epoch quadratic. Saved inflater states cost memory for every few records and cannot be
kept between runs. So a file is unpacked once, into the user's cache folder, and read there like
any other file. It is unpacked again when it changes, or when the cache had to be trimmed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from ...engine.errors import SourceError
from ..storage.descriptors import Descriptor
from ..storage.index_cache import cache_folder, cached_name
from ..storage.local_file import LocalFile
from ..storage.storage import Storage
from .unpacked_cache import UNPACKED, CacheUse, cache_use

MAX_GROWTH = 256
"""A file may unpack to this many times its size; DEFLATE reaches 1032, in bombs."""

MIN_FREE_BYTES = 256 << 20
"""Bytes of the cache's file system that are left to others."""


_CHUNK = 1 << 20
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_DEFLATE = 8


def is_compressed(beginning: bytes) -> bool:
    """Return whether a file starts as gzip or zlib files do.

    gzip: RFC 1952, 2.3.1. zlib: RFC 1950, 2.2: method 8, and a multiple of 31.
    """
    if beginning[:2] == b"\x1f\x8b":
        return True
    first_two = int.from_bytes(beginning[:2], "big")
    return len(beginning) > 1 and beginning[0] & 15 == _DEFLATE and first_two % 31 == 0


def unpacked(storage: Storage, check: Callable[[bytes], None]) -> Storage:
    """Return the content of a compressed file, unpacked now unless it was before.

    Args:
        storage: the compressed file.
        check: gets the first bytes of the content; raises if it is not what is expected.

    Raises:
        SourceError: the file is damaged, or its content has no room or no sensible size.
    """
    if not storage.stamp:
        raise SourceError(
            f"{storage.name} is compressed and would have to be unpacked and kept, but its server "
            "tells neither an ETag nor a time by which to know when it changes; unpack it there"
        )
    folder = cache_folder()
    stem = cached_name(storage, "")
    state = hashlib.sha256(storage.stamp.encode()).hexdigest()[:16]
    path = folder / f"{stem}-{state}{UNPACKED}"
    use = cache_use(folder)  # before the look at the file, so that nobody removes it then
    if not path.exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _only_one(folder / f"{stem}.lock"):
                if not path.exists():
                    _remove_older(folder, stem)
                    _unpack(storage, path, check)
        except (PermissionError, NotADirectoryError, FileExistsError) as error:
            raise SourceError(
                f"{storage.name} is compressed and has to be unpacked into {folder}, which "
                f"cannot be written ({error.strerror}); set XDG_CACHE_HOME to another folder"
            ) from None
    return UnpackedFile(path, storage.name, use, f"{storage.stamp} unpacked")


class UnpackedFile(LocalFile):
    """A file of the cache, which stays there while this storage is in use."""

    def __init__(self, path: Path, name: str, use: CacheUse, stamp: str) -> None:
        """Take the path, the name of the compressed file, what keeps the file there, and a stamp.

        The compressed file tells the stamp, because each use changes the times of this one.
        """
        super().__init__(os.fspath(path), name)
        self.stamp = stamp
        self._use: CacheUse | None = use
        os.utime(path, ns=(time.time_ns(), os.stat(path).st_mtime_ns))  # the time of its last use

    def __getstate__(self) -> dict[str, object]:
        return super().__getstate__() | {"_use": None}

    def opened(self) -> Descriptor:
        """See `LocalFile.opened`."""
        if self._use is None:
            self._use = cache_use(self.path.parent)
        return super().opened()

    def close(self) -> None:
        """See `LocalFile.close`."""
        super().close()
        self._use = None


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    """Make other processes wait instead of unpacking the same file.

    The lock ends with the process that holds it.
    """
    with lock.open("wb") as file:
        with suppress(OSError):  # some network file systems know no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _remove_older(folder: Path, stem: str) -> None:
    for older in folder.glob(f"{stem}-*{UNPACKED}*"):
        older.unlink(missing_ok=True)


def _unpack(storage: Storage, path: Path, check: Callable[[bytes], None]) -> None:
    free = shutil.disk_usage(path.parent).free
    room = max(0, free - MIN_FREE_BYTES)
    limit = max(_CHUNK, MAX_GROWTH * storage.size)
    handle, partial = tempfile.mkstemp(prefix=".unpacked-", dir=path.parent)
    try:
        written = 0
        with open(handle, "wb") as file:
            for content in inflate(storage):
                if not written:
                    check(content)
                written += len(content)
                if written > min(limit, room):
                    raise _too_large(storage, limit, room, path.parent)
                file.write(content)
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


def _too_large(storage: Storage, limit: int, room: int, folder: Path) -> SourceError:
    if room < limit:
        return SourceError(
            f"{storage.name}: its {storage.size} bytes do not fit into {folder}, "
            f"which has room for {room} once they are unpacked"
        )
    return SourceError(
        f"{storage.name}: its {storage.size} bytes unpack to more than {limit}, as no sensible "
        "data do; if these do, unpack the file yourself (gunzip)"
    )


def inflate(storage: Storage) -> Iterator[bytes]:
    """Yield the content of a compressed file, a piece of at most 1 MiB at a time.

    Raises:
        SourceError: the file is damaged or cut off.
    """
    member = zlib.decompressobj(_GZIP_OR_ZLIB)
    offset = 0
    for chunk in _chunks(storage):
        rest = chunk
        while rest:
            if member.eof:  # another may follow; tapes and disks pad with zeros
                rest = rest.lstrip(b"\0")
                if not rest:
                    break
                member = zlib.decompressobj(_GZIP_OR_ZLIB)
            try:
                content = member.decompress(rest, _CHUNK)
            except zlib.error as error:
                raise SourceError(
                    f"{storage.name}: damaged near offset {offset}: {error}"
                ) from None
            rest = member.unused_data if member.eof else member.unconsumed_tail
            if content:
                yield content
        offset += len(chunk)
    yield from _last(storage, member)


def _last(storage: Storage, member: zlib._Decompress) -> Iterator[bytes]:
    content = member.flush()
    if not member.eof:
        raise SourceError(
            f"{storage.name}: the compressed data end too early; the file was cut off at "
            f"{storage.size} bytes"
        )
    if content:
        yield content


def _chunks(storage: Storage) -> Iterator[bytes]:
    storage = storage.sequential()
    for offset in range(0, storage.size, _CHUNK):
        chunk = np.empty(min(_CHUNK, storage.size - offset), np.uint8)
        storage.fill([offset], [chunk])
        yield chunk.tobytes()
