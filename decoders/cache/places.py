"""Where the file of a cache lies, in memory or on a disk, and how processes come to share it.

**In memory** the file has no name, so it goes with the last process that has it open, however that
process ends. Other processes find the file by a *register*, a small text file that lists which
processes have the cache open, and by which descriptor: they open /proc/PROCESS/fd/DESCRIPTOR.

**On a disk** the file lies in the user's folder, and stays.

Whoever can write to a cache, or to a register, decides what users of the cache see. So both are
regular files that belong to this user, that nobody else may write, and that have one name.

A process opens each cache once, because the locks of a file belong to the process: they go when the
process closes any descriptor of the file.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ...engine.errors import ArgumentError
from ...engine.machine import memory_of_machine
from ...engine.tensors.arena import beyond_standard_streams
from .shared_cache import VERSION, SharedCache

MIB = 1 << 20
FILE_NAME = f"decoded-{VERSION}.penstock"

_Holder = tuple[int, int]
"""A process and its descriptor of a cache."""


class Place(NamedTuple):
    """Where a cache lies.

    Attributes:
        kind: "ram" or "disk".
        mebibytes: size of the cache.
        folder: folder of the file, for "disk".
    """

    kind: str
    mebibytes: int
    folder: str = ""


_opened: dict[tuple[int, Place], tuple[SharedCache, int]] = {}
"""The caches that a process has open, and how often: by process, because a fork has its own."""

_opening = threading.RLock()  # the collector may close a pipeline while its thread opens a cache


def open_cache(place: Place) -> SharedCache:
    """Return the cache of a place; each call needs one of `close_cache`.

    All processes of a user on a host share the cache of a place.

    Raises:
        ArgumentError: the host has less memory, or the folder cannot be used.
    """
    with _opening:
        key = os.getpid(), place
        cache, users = _opened.get(key) or (_opener(place)(place), 0)
        _opened[key] = cache, users + 1
        return cache


def close_cache(place: Place) -> None:
    """Undo a call of `open_cache`. The cache in memory goes with its last user."""
    with _opening:
        key = os.getpid(), place
        if key not in _opened:  # a fork of the process that opened it
            return
        cache, users = _opened.pop(key)
        if users > 1:
            _opened[key] = cache, users - 1
            return
        cache.close()
        if place.kind == "ram":
            with _register(place) as register:
                register.write(register.living())


def _opener(place: Place) -> Callable[[Place], SharedCache]:
    return _open_in_memory if place.kind == "ram" else _open_on_disk


def _open_on_disk(place: Place) -> SharedCache:
    path = Path(place.folder) / FILE_NAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _cache_in(_open_own(path), place, f"the file {path}")
    except OSError as error:
        raise ArgumentError(
            f"cache_folder={place.folder!r} cannot hold a cache of {place.mebibytes} MiB: {error}; "
            "name a folder of a local disk that you may write"
        ) from error


def _open_in_memory(place: Place) -> SharedCache:
    memory = memory_of_machine()
    if place.mebibytes * MIB > memory:
        raise ArgumentError(
            f"cache_size is {place.mebibytes} MiB, but the host has {memory // MIB} MiB of memory; "
            "cache a part of the data set, or use cache='disk'"
        )
    with _register(place) as register:
        holders = register.living()
        shared = _of_another(holders)
        descriptor = beyond_standard_streams(
            os.memfd_create(register.name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            if shared is None
            else shared
        )
        cache = _cache_in(descriptor, place, "the cache in memory")
        if shared is None:  # to cut a file would end the processes that read its map
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        register.write([*holders, (os.getpid(), descriptor)])
    return cache


def _of_another(holders: Sequence[_Holder]) -> int | None:
    """Open the cache that other processes have open; return None if they have ended meanwhile."""
    for holder in holders:
        with suppress(OSError):
            return os.open(_path_of(holder), os.O_RDWR | os.O_CLOEXEC)
    return None


def _cache_in(descriptor: int, place: Place, name: str) -> SharedCache:
    try:
        return SharedCache(descriptor, place.mebibytes * MIB, name, verify=place.kind == "disk")
    except BaseException:
        os.close(descriptor)
        raise


class _Register:
    """The locked file that lists the processes that have a cache in memory open."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.name = path.name
        self._path = path
        self._descriptor = descriptor

    def living(self) -> list[_Holder]:
        """Return the processes that still have the cache open."""
        text = os.pread(self._descriptor, 1 << 20, 0).decode(errors="replace")
        holders = []
        for line in text.splitlines():
            with suppress(ValueError):
                process, descriptor = map(int, line.split())
                holders.append((process, descriptor))
        return [holder for holder in holders if self._holds(holder)]

    def _holds(self, holder: _Holder) -> bool:
        # The number of a process that has ended may be another's now.
        with suppress(OSError):
            return os.readlink(_path_of(holder)).startswith(f"/memfd:{self.name} ")
        return False

    def write(self, holders: list[_Holder]) -> None:
        """List these processes; without any, remove the file."""
        if not holders:
            self._path.unlink(missing_ok=True)
            return
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, "".join(f"{p} {d}\n" for p, d in holders).encode(), 0)


def _path_of(holder: _Holder) -> str:
    return f"/proc/{holder[0]}/fd/{holder[1]}"


@contextmanager
def _register(place: Place) -> Iterator[_Register]:
    """Lock the register of a cache in memory; make it if it is missing."""
    shared = Path("/dev/shm")  # each host has its own, unlike a folder for temporary files
    folder = shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())
    path = folder / f"penstock-cache-{VERSION}-{os.getuid()}-{place.mebibytes}"
    while True:
        try:
            descriptor = _open_own(path)
        except OSError as error:
            raise ArgumentError(
                f"cache='ram' needs the file {path}, which cannot be opened: {error}"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, path):
                yield _Register(path, descriptor)
                return
        finally:
            os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the file that was locked is still the one of this name: others may remove it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    return False


def _open_own(path: Path) -> int:
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
