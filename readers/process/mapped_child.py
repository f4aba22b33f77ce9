"""Copies out of mapped files, made by the reading process.

If a file is cut short while it is mapped, the kernel kills the process that touches the missing
bytes (SIGBUS). So the reading process maps files, not the user's process: a pipeline survives the
loss of the reading process (see `helper_processes`). The reading process copies elements from maps
straight into the arena that it shares with its parent. The parent reads the regions that cannot be
copied, or whose copy would wait for a disk.
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

from ...engine.arrays import Array, Int64s
from ...engine.tensors.arena import Arena
from ...engine.threads import Team
from ..storage.local_reads import OPEN_FLAGS, Identity, identity

PIECE_BYTES = 4 << 20
"""Bytes that a thread copies in one call, which takes half a millisecond. With 16 threads, pieces
of 256 KiB come at a third of the speed: threads wait for the GIL."""

PIECES_OF_THREAD = 3
"""Number of pieces that are worth waking one more thread. Small requests come several at a time,
and then fewer threads for each are faster."""

MAX_MAPS = 4096
"""Number of files that are mapped at a time. Each map of Python holds a descriptor."""

GAP_BYTES = 16 << 10
"""Largest number of bytes between two lines that are probed as one range of pages. One read would
fetch both lines, too."""

MAX_PROBES = 8
"""Number of ranges of a piece that are probed: whether their pages are in memory. To probe all
ranges would take longer than the copy."""

PROBED_PAGES = 2048
"""Number of pages of a range that are probed."""

TRUSTED_PIECES = 64
"""Number of successive pieces of a file that were in memory. After these pieces, the file is not
probed until a page fault waits for the disk. This makes patches of 64^3 twice as fast."""

QUICK_PAGES = 64
"""Number of pages that are probed without releasing the GIL. A thread would wait longer for the GIL
than for the probe."""


_PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None)
_mincore, _quick_mincore = _libc.mincore, ctypes.PyDLL(None).mincore
"""`_quick_mincore` keeps the GIL: a thread would wait longer for the GIL than for a few pages."""
for _function in (_mincore, _quick_mincore):
    _function.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p


class StridedCopies(NamedTuple):
    """Regions of files with the same shape, dtype and strides.

    Attributes:
        shape: number of elements along each axis.
        dtype: dtype of the elements in the files.
        strides: bytes from one element to the next in the files, along each axis.
        target_dtype, target_strides: dtype and strides in the arena.
        origins: for each region, the number of its file in the request, and the offsets of its
            first element in the file and in the arena: int64 (regions, 3).
    """

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...]
    target_dtype: str
    target_strides: tuple[int, ...]
    origins: Int64s


Files = Sequence[tuple[str, Identity]]
"""Paths of files, and the identity that each file must have."""

Copied = list[NDArray[np.bool_]]
"""The answer to a request: for each `StridedCopies`, which of its regions were copied."""


def leave_no_dump() -> None:
    """Have SIGBUS, which a file that was cut short causes, end this process without a core dump."""
    _libc.signal(signal.SIGBUS, _libc._exit)


class MapCopier:
    """Copies regions of files into an arena. Thread-safe."""

    def __init__(self, arena: Arena, team: Team, descriptors: int) -> None:
        """Set the arena, the threads that copy, and the number of descriptors for maps."""
        self._arena = np.frombuffer(arena.map, np.uint8)
        self._maps = MappedFiles(min(MAX_MAPS, descriptors))
        self._team = team

    def copy(self, files: Files, wanted: Sequence[tuple[Any, ...]]) -> Copied:
        """Copy the regions that can be copied without waiting for a disk."""
        return self._copy(files, [self._maps.get(*file) for file in files], wanted)

    def copy_expected(
        self, paths: Sequence[str], beginning: tuple[bytes, int], wanted: tuple[Any, ...]
    ) -> Copied:
        """Copy regions of files that are alike: see `copy`.

        Args:
            paths: paths of the files, which may be in any state.
            beginning: first bytes of each file, and number of all its bytes.
            wanted: fields of a `StridedCopies`.
        """
        files: list[tuple[str, Identity]] = []
        maps: list[MappedFile | None] = []
        for path in paths:
            state = _identity_at(path)
            file = None if state is None else self._maps.get(path, state)
            if file is None or state is None or not file.begins_with(*beginning):
                return [np.zeros(len(StridedCopies(*wanted).origins), np.bool_)]
            files.append((path, state))
            maps.append(file)
        return self._copy(files, maps, [wanted])

    def _copy(
        self,
        files: Files,
        maps: Sequence[MappedFile | None],
        wanted: Sequence[tuple[Any, ...]],
    ) -> Copied:
        copies = [_CopyRequest(StridedCopies(*fields), maps, self._arena) for fields in wanted]
        jobs = [job for request in copies for job in request.jobs()]
        threads = -(-len(jobs) // PIECES_OF_THREAD)
        self._team.run_jobs(_copy_piece, jobs, threads)
        for number, (path, state) in enumerate(files):
            if maps[number] is not None and _identity_at(path) != state:
                for request in copies:
                    request.forget(number)
        return [request.done for request in copies]


class _CopyRequest:
    """The regions of a `StridedCopies`, with axes in the order of their strides in the files.

    Attributes:
        done: which regions were copied. Before the copy: which regions lie inside of their files
            and of the arena.
    """

    def __init__(
        self, copies: StridedCopies, maps: Sequence[MappedFile | None], arena: NDArray[np.uint8]
    ) -> None:
        order = sorted(range(len(copies.shape)), key=lambda axis: -copies.strides[axis])
        self._shape, self._strides, self._target_strides = (
            tuple(of_axes[axis] for axis in order)
            for of_axes in (copies.shape, copies.strides, copies.target_strides)
        )
        self._dtype, self._target_dtype = np.dtype(copies.dtype), np.dtype(copies.target_dtype)
        self._origins = copies.origins.tolist()
        self._numbers = copies.origins[:, 0]
        self._maps, self._arena = maps, arena
        sizes = np.array([0 if file is None else len(file.content) for file in maps], np.int64)
        _, starts, targets = copies.origins.T
        length = _reach(self._shape, self._strides, self._dtype.itemsize)
        self.done: NDArray[np.bool_]
        self.done = (starts >= 0) & (starts <= sizes[self._numbers] - length)
        length = _reach(self._shape, self._target_strides, self._target_dtype.itemsize)
        self.done &= (targets >= 0) & (targets <= len(arena) - length)

    def jobs(self) -> Iterator[_Job]:
        """Yield the pieces to copy, for `_copy_piece`."""
        indices = _divided(self._shape, self._dtype.itemsize)
        for region in np.flatnonzero(self.done).tolist():
            for index in indices:
                yield self, region, index

    def copy(self, region: int, index: tuple[Any, ...]) -> None:
        """Copy a piece of a region, if its pages are in memory."""
        try:
            number, start, target = self._origins[region]
            if self.done[region] and self._copied(number, start, target, index):
                return
        except Exception:  # the parent meets the same error, and raises it
            pass
        self.done[region] = False

    def _copied(self, number: int, start: int, target: int, index: tuple[Any, ...]) -> bool:
        file = self._maps[number]
        assert file is not None
        source = np.ndarray(self._shape, self._dtype, file.content, start, self._strides)
        into = np.ndarray(
            self._shape, self._target_dtype, self._arena.data, target, self._target_strides
        )
        if index:
            source, into = source[index], into[index]
        if not file.holds(source):
            return False
        faults = _faults()
        np.copyto(into, source)
        if _faults() != faults:
            file.suspect()
        return True

    def forget(self, number: int) -> None:
        """Mark all regions of a file as not copied."""
        self.done[self._numbers == number] = False


_Job = tuple[_CopyRequest, int, tuple[Any, ...]]


def _copy_piece(job: _Job) -> None:
    request, region, index = job
    request.copy(region, index)


def _reach(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> int:
    """Return the number of bytes from the first byte of an array to its last byte."""
    return itemsize + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


class MappedFile:
    """A mapped file.

    Attributes:
        state: the file's identity when it was mapped.
        content: the file's bytes.
    """

    def __init__(self, state: Identity, content: mmap.mmap) -> None:
        self.state = state
        self.content = content
        self._beginning = b""  # as far as it was compared
        self._hits = 0

    def begins_with(self, content: bytes, size: int) -> bool:
        """Return whether the file has so many bytes and begins with these, which are in memory."""
        if self.state.size != size:
            return False
        if self._beginning != content:
            address = np.frombuffer(self.content, np.uint8).ctypes.data
            if _in_memory(address, len(content)) and self.content[: len(content)] == content:
                self._beginning = content
        return self._beginning == content

    def holds(self, array: Array) -> bool:
        """Return whether the pages of an array of the file are in memory; probe some of them."""
        if self._hits >= TRUSTED_PIECES:
            return True
        starts, length = _ranges(array.shape, array.strides, array.itemsize)
        address = array.__array_interface__["data"][0]
        cached = all(_in_memory(address + start, length) for start in starts)
        self._hits = self._hits + 1 if cached else 0
        return cached

    def suspect(self) -> None:
        """Probe the file's pages again."""
        self._hits = 0


class MappedFiles:
    """The files used last, which stay mapped, so that each page causes one page fault."""

    def __init__(self, most: int) -> None:
        """Set the number of files that stay mapped."""
        self._most = most
        self._maps: OrderedDict[str, MappedFile] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: str, state: Identity) -> MappedFile | None:
        """Return the map of the file; None unless the file has this state."""
        with self._lock:
            file = self._maps.pop(path, None)
            if file is None or file.state != state:
                file = _mapped(path, state)
            if file is not None:
                self._maps[path] = file
                if len(self._maps) > self._most:
                    self._maps.popitem(last=False)  # unmapped once no thread copies out of it
        return file


def _mapped(path: str, state: Identity) -> MappedFile | None:
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
    return MappedFile(state, content)


def _faults() -> int:
    """Return how many page faults of this thread had to wait for a disk."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_majflt


def _identity_at(path: str) -> Identity | None:
    try:
        return identity(os.stat(path))
    except OSError:
        return None


@lru_cache(maxsize=256)
def _divided(shape: tuple[int, ...], itemsize: int) -> list[tuple[object, ...]]:
    """Return the indices of pieces of an array whose slowest axis is the first; () is the array."""
    axis = 0
    while axis < len(shape) - 1 and prod(shape[axis + 1 :]) * itemsize > PIECE_BYTES:
        axis += 1
    at_once = max(1, PIECE_BYTES // (prod(shape[axis + 1 :]) * itemsize))
    if not axis and at_once >= shape[0]:
        return [()]
    return [
        (*index, slice(start, start + at_once))
        for index in np.ndindex(shape[:axis])
        for start in range(0, shape[axis], at_once)
    ]


@lru_cache(maxsize=256)
def _ranges(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[list[int], int]:
    """Return the offsets and the length of byte ranges that hold an array's elements.

    The array's slowest axis is the first. At most `probes` ranges are returned.
    """
    length, axis = itemsize, len(shape)
    while axis and (shape[axis - 1] == 1 or strides[axis - 1] - length <= GAP_BYTES):
        reach = length + (shape[axis - 1] - 1) * strides[axis - 1]
        if reach > PROBED_PAGES * _PAGE:
            break
        length, axis = reach, axis - 1
    count = prod(shape[:axis])
    chosen = np.unique(np.linspace(0, count - 1, min(count, MAX_PROBES)).astype(np.int64))
    indices = np.unravel_index(chosen, shape[:axis]) if axis else ()
    starts = sum(
        (index * step for index, step in zip(indices, strides, strict=False)), np.zeros(1, np.int64)
    )
    return starts.tolist(), length


class _PageTable(threading.local):
    def __init__(self) -> None:
        self.residency = bytearray(PROBED_PAGES + 2)
        self.pointer = ctypes.addressof(ctypes.c_char.from_buffer(self.residency))


_own = _PageTable()


def _in_memory(address: int, length: int) -> bool:
    """Return whether the page cache holds all pages of a range.

    For files that this user may not write, the system reports all pages as present.
    """
    lead = address % _PAGE
    pages = -(-(lead + length) // _PAGE)
    mincore = _quick_mincore if pages <= QUICK_PAGES else _mincore
    known = mincore(address - lead, lead + length, _own.pointer) == 0
    return bool(known and _own.residency.find(0, 0, pages) < 0)
