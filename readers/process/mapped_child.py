"""Copies out of mapped files, in a process of their own: as that process sees itself.

A file that is cut short while it is mapped kills whoever touches what is gone (SIGBUS). So it is
not the user's process that maps files, but this one, which can be lost at any time: see
`reading_process`. It copies elements from maps of files straight into the arena that it shares with
its parent. What it cannot do, or what would have to wait for a disk, it leaves to the parent.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import signal
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.memory import Arena
from ..storage.local_reads import OPEN_FLAGS, Identity, identity
from ..storage.read_plan import Int64s
from .team import Team

_PIECE = 4 << 20
"""Bytes that a thread copies at once: half a millisecond. Shorter pieces have threads wait for
Python's lock: with 16 of them, pieces of 256 KiB come at a third of the speed."""

_MOST_MAPS = 4096
"""Files mapped at a time: each of Python's maps holds a descriptor."""

_PAGE = mmap.PAGESIZE
_GAP = 16 << 10
"""Rows at most so far apart are one range of pages: such ranges are read by one read otherwise."""

_PROBES = 8
"""Ranges of a piece whose pages are looked for in memory: to look for all would take longer than
the copy."""

_MOST_PAGES = 2048  # looked for in a range

_TRUSTED = 64
"""Pieces of a file in a row that were in memory: from then on nothing is looked for, until there
is a page fault that has to wait for the disk. Patches of 64^3 come twice as fast so."""

_libc = ctypes.CDLL(None)
_QUICK_PAGES = 64
_mincore, _quick_mincore = _libc.mincore, ctypes.PyDLL(None).mincore
"""The second keeps Python's lock: to wait for it would take longer than a few pages do."""
for _function in (_mincore, _quick_mincore):
    _function.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p


class Alike(NamedTuple):
    """Parts of files that differ only in where they lie: elements at regular distances.

    Attributes:
        shape: elements along each axis.
        dtype: their type in the files.
        strides: bytes from one to the next there.
        target_dtype, target_strides: the same in the arena.
        places: of each part, the number of its file in the request, and the offsets of its first
            element in the file and in the arena: int64 (parts, 3).
    """

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...]
    target_dtype: str
    target_strides: tuple[int, ...]
    places: Int64s


Files = Sequence[tuple[str, Identity]]
"""Paths, and what the files there must be."""

Done = list[NDArray[np.bool_]]
"""The answer to a request: for each `Alike`, which of its parts were copied."""


def leave_no_dump() -> None:
    """Let this process just end where a file was cut short: by the signal, it would be dumped."""
    _libc.signal(signal.SIGBUS, _libc._exit)


class Copier:
    """Copies parts of files into an arena. Thread-safe."""

    def __init__(self, arena: Arena, team: Team, descriptors: int) -> None:
        """Take the arena, the threads that copy, and how many descriptors maps may hold."""
        self._arena = np.frombuffer(arena.map, np.uint8)
        self._maps = Maps(min(_MOST_MAPS, descriptors))
        self._team = team

    def copy(self, files: Files, alikes: Sequence[tuple[Any, ...]]) -> Done:
        """Copy what can be copied without waiting."""
        maps = [self._maps.get(*file) for file in files]
        copies = [_Copies(Alike(*each), maps, self._arena) for each in alikes]
        self._team.do(_Copies.copy, [job for each in copies for job in each.jobs()])
        for number, (path, state) in enumerate(files):
            if maps[number] is not None and _identity_at(path) != state:
                for each in copies:
                    each.forget(number)
        return [each.done for each in copies]


class _Copies:
    """The parts of an `Alike`, with axes in the order of their strides in the files.

    Attributes:
        done: which parts were copied; at first, those that lie in their files and in the arena.
    """

    def __init__(self, alike: Alike, maps: Sequence[Map | None], arena: NDArray[np.uint8]) -> None:
        order = sorted(range(len(alike.shape)), key=lambda axis: -alike.strides[axis])
        self._shape, self._strides, self._target_strides = (
            tuple(of_axes[axis] for axis in order)
            for of_axes in (alike.shape, alike.strides, alike.target_strides)
        )
        self._dtype, self._target_dtype = np.dtype(alike.dtype), np.dtype(alike.target_dtype)
        self._places = alike.places.tolist()
        self._numbers = alike.places[:, 0]
        self._maps, self._arena = maps, arena
        sizes = np.array([0 if each is None else len(each.content) for each in maps], np.int64)
        _, begins, targets = alike.places.T
        length = _reach(self._shape, self._strides, self._dtype.itemsize)
        self.done: NDArray[np.bool_]
        self.done = (begins >= 0) & (begins <= sizes[self._numbers] - length)
        length = _reach(self._shape, self._target_strides, self._target_dtype.itemsize)
        self.done &= (targets >= 0) & (targets <= len(arena) - length)

    def jobs(self) -> Iterator[_Job]:
        """Yield the arguments of `copy`."""
        indices = _divided(self._shape, self._dtype.itemsize)
        for part in np.flatnonzero(self.done).tolist():
            for index in indices:
                yield self, part, index

    def copy(self, part: int, index: tuple[Any, ...]) -> None:
        """Copy a piece of a part, if its pages are in memory."""
        try:
            number, begin, target = self._places[part]
            if self.done[part] and self._copied(number, begin, target, index):
                return
        except Exception:  # whatever it is, the parent meets it, too
            pass
        self.done[part] = False

    def _copied(self, number: int, begin: int, target: int, index: tuple[Any, ...]) -> bool:
        found = self._maps[number]
        assert found is not None
        source = np.ndarray(self._shape, self._dtype, found.content, begin, self._strides)
        into = np.ndarray(
            self._shape, self._target_dtype, self._arena.data, target, self._target_strides
        )
        if index:
            source, into = source[index], into[index]
        if not found.holds(source):
            return False
        faults = _faults()
        np.copyto(into, source)
        if _faults() != faults:
            found.suspect()
        return True

    def forget(self, number: int) -> None:
        """Note that nothing of a file was copied."""
        self.done[self._numbers == number] = False


_Job = tuple[_Copies, int, tuple[Any, ...]]


def _reach(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> int:
    """Return the bytes from an array's first one to its last one."""
    return itemsize + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


class Map:
    """A file in memory.

    Attributes:
        state: what it was when it was mapped.
        content: its bytes.
    """

    def __init__(self, state: Identity, content: mmap.mmap) -> None:
        self.state = state
        self.content = content
        self._hits = 0

    def holds(self, array: NDArray[Any]) -> bool:
        """Return whether the pages of a part of the file are in memory: some are looked for."""
        if self._hits >= _TRUSTED:
            return True
        begins, length = _ranges(array.shape, array.strides, array.itemsize)
        address = array.__array_interface__["data"][0]
        found = all(_in_memory(address + begin, length) for begin in begins)
        self._hits = self._hits + 1 if found else 0
        return found

    def suspect(self) -> None:
        """Look for pages again."""
        self._hits = 0


class Maps:
    """Files that are kept mapped, so that page faults are paid once: those used last."""

    def __init__(self, most: int) -> None:
        """Take how many."""
        self._most = most
        self._maps: OrderedDict[str, Map] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: str, state: Identity) -> Map | None:
        """Return the file as it was in this state; None if it is not there any more."""
        with self._lock:
            found = self._maps.pop(path, None)
            if found is None or found.state != state:
                found = _mapped(path, state)
            if found is not None:
                self._maps[path] = found
                if len(self._maps) > self._most:
                    self._maps.popitem(last=False)  # unmapped once nobody copies out of it
        return found


def _mapped(path: str, state: Identity) -> Map | None:
    try:
        fd = os.open(path, OPEN_FLAGS)
        try:
            if identity(os.fstat(fd)) != state:
                return None
            content = mmap.mmap(fd, state.size, mmap.MAP_SHARED, mmap.PROT_READ)
        finally:
            os.close(fd)
    except (OSError, ValueError):
        return None
    return Map(state, content)


def _faults() -> int:
    """Return how many page faults of this thread had to wait for a disk."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_majflt


def _identity_at(path: str) -> Identity | None:
    try:
        return identity(os.stat(path))
    except OSError:
        return None


@lru_cache(maxsize=256)
def _divided(shape: tuple[int, ...], itemsize: int) -> list[tuple[Any, ...]]:
    """Return the indices of pieces of an array whose slowest axis is the first; () is all."""
    axis = 0
    while axis < len(shape) - 1 and prod(shape[axis + 1 :]) * itemsize > _PIECE:
        axis += 1
    at_once = max(1, _PIECE // (prod(shape[axis + 1 :]) * itemsize))
    if not axis and at_once >= shape[0]:
        return [()]
    return [
        (*place, slice(begin, begin + at_once))
        for place in np.ndindex(shape[:axis])
        for begin in range(0, shape[axis], at_once)
    ]


@lru_cache(maxsize=256)
def _ranges(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[list[int], int]:
    """Return where ranges of bytes begin that hold an array's elements, and their length.

    Its slowest axis is the first. If there are many ranges, some of them are returned.
    """
    length, axis = itemsize, len(shape)
    while axis and (shape[axis - 1] == 1 or strides[axis - 1] - length <= _GAP):
        reach = length + (shape[axis - 1] - 1) * strides[axis - 1]
        if reach > _MOST_PAGES * _PAGE:
            break
        length, axis = reach, axis - 1
    count = prod(shape[:axis])
    chosen = np.unique(np.linspace(0, count - 1, min(count, _PROBES)).astype(np.int64))
    places = np.unravel_index(chosen, shape[:axis]) if axis else ()
    begins = sum(
        (place * step for place, step in zip(places, strides, strict=False)), np.zeros(1, np.int64)
    )
    return begins.tolist(), length


class _Own(threading.local):
    def __init__(self) -> None:
        self.told = bytearray(_MOST_PAGES + 2)
        self.pointer = ctypes.addressof(ctypes.c_char.from_buffer(self.told))


_own = _Own()


def _in_memory(address: int, length: int) -> bool:
    """Return whether the page cache holds all pages of a range.

    Where the system does not tell that (of files that are not ours to write), it says so of all.
    """
    lead = address % _PAGE
    pages = -(-(lead + length) // _PAGE)
    mincore = _quick_mincore if pages <= _QUICK_PAGES else _mincore
    told = mincore(address - lead, lead + length, _own.pointer) == 0
    return bool(told and _own.told.find(0, 0, pages) < 0)
