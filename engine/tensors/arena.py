"""The address range in which a pipeline's batches lie, and which other processes can map.

An arena reserves far more addresses than the machine has memory. The system provides a page once
the page is written to.

    address                                              address + length
    |  block  |  block  |  block  |  never reserved ...  |
    '- pages written to -'         '- no memory yet -----'
       lent as slabs, idle, or discarded: see `memory`
"""

from __future__ import annotations

import errno
import fcntl
import gc
import mmap
import os
import resource
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..closing import finish_closing
from .alignment import address_of_host

PAGE = mmap.PAGESIZE
PLAIN_DTYPES = frozenset("biufcSUmM")
"""The values of `dtype.kind` for which `dtype.str` describes the dtype fully."""

ArenaSlot = tuple[int, tuple[int, ...], str]
"""An array in an arena: its offset, shape and dtype. The array is C-contiguous."""

_LAZY = 0x4000 if sys.platform == "linux" else 0  # MAP_NORESERVE; Python 3.13 names it
# Elsewhere than on Linux these pages would not read as zeros afterwards: they stay.
_REMOVE: int | None = getattr(mmap, "MADV_REMOVE", None)
_DONT_NEED = None if _REMOVE is None else mmap.MADV_DONTNEED
_FIRST_FREE_DESCRIPTOR = 3  # 0, 1 and 2 are the standard streams

MAX_ARENA_BYTES = 1 << 40
"""Size where the process has no limit."""

MIN_ARENA_BYTES = 1 << 24
"""An arena below this size is refused."""

MIN_SPARE_ARENA_BYTES = 1 << 18
"""The same for users that have memory elsewhere for what the arena cannot hold."""

LIMIT_DIVISOR = 4
"""Fraction of the remaining addresses that an arena takes under a limit (`ulimit -v`), or where no
arena of the usual size is left, because other pipelines and libraries need the rest."""


class Arena:
    """One range of addresses for all batches of a pipeline.

    A shared arena is a file in memory that is mapped whole: an array has the same offset in every
    process. A private arena can have huge pages, which systems seldom grant to files in memory.

    Args:
        descriptor: the file of another process' arena, to map that arena; None makes a new one.
        shared: whether other processes may map the arena.
        tight: whether an arena of `MIN_SPARE_ARENA_BYTES` bytes will do.

    Attributes:
        descriptor: the file; -1 if the arena is private or closed.
        map: the mapped addresses.
        address: the first of them.

    Raises:
        OSError: the limits of the process leave no room for an arena.
        MemoryError: the same, raised by `reserve` when the arena is full.
    """

    def __init__(
        self, descriptor: int | None = None, *, shared: bool = True, tight: bool = False
    ) -> None:
        self._discard_advice = _REMOVE if shared else _DONT_NEED
        self.descriptor = -1
        self._close_file: Callable[[], object] = _nothing
        if shared:
            self.descriptor = _memory_file() if descriptor is None else descriptor
            self._close_file = weakref.finalize(self, os.close, self.descriptor)
        if descriptor is None:
            self.map = self._make(MIN_SPARE_ARENA_BYTES if tight else MIN_ARENA_BYTES)
        else:
            self.map = _mapped(descriptor, os.fstat(descriptor).st_size)
        self.address = np.frombuffer(self.map, np.uint8, 1).ctypes.data
        self._extent = len(self.map)
        self._used = 0
        self._lock = threading.Lock()

    def _make(self, smallest: int) -> mmap.mmap:
        for again in (False, True):
            if again:  # dropped pipelines may be cycles that keep addresses
                gc.collect()
                finish_closing()
            extent = self._first_extent()
            if extent >= smallest:
                with suppress(OSError):
                    return self._mapped_new(extent)
        while (extent := extent // 2) >= smallest:
            with suppress(OSError):
                self._mapped_new(extent).close()  # so much is left, and others need most of it
                return self._mapped_new(max(extent // LIMIT_DIVISOR, smallest))
        raise OSError(errno.ENOMEM, _no_room(smallest, shared=self.descriptor >= 0))

    def _first_extent(self) -> int:
        most = MAX_ARENA_BYTES
        left = _addresses_left()
        if left is not None:
            most = min(most, left // LIMIT_DIVISOR)
        file_limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        if self.descriptor >= 0 and file_limit != resource.RLIM_INFINITY:
            most = min(most, file_limit)
        return most // PAGE * PAGE

    def _mapped_new(self, extent: int) -> mmap.mmap:
        extent = extent // PAGE * PAGE
        if self.descriptor >= 0:
            os.ftruncate(self.descriptor, extent)
        return _mapped(self.descriptor, extent)

    def reserve(self, nbytes: int) -> int:
        """Return the offset of whole pages that nobody has reserved before."""
        size = -(-nbytes // PAGE) * PAGE
        with self._lock:
            if self._used + size > self._extent:
                raise MemoryError(f"the {self._extent} bytes of a pipeline's arena are used up")
            offset, self._used = self._used, self._used + size
        return offset

    def discard(self, offset: int, nbytes: int) -> None:
        """Return whole pages to the system; they read as zeros from now on."""
        if self._discard_advice is None:
            return
        # Some sandboxes have no such call: the pages stay. So they do after `drop_map`.
        with suppress(OSError, ValueError):
            self.map.madvise(self._discard_advice, offset, nbytes)

    def array(self, slot: ArenaSlot) -> NDArray[Any]:
        """Return the array in `slot`."""
        offset, shape, dtype = slot
        return np.ndarray(shape, dtype, self.map, offset)

    def slot_of(self, array: NDArray[Any]) -> ArenaSlot | None:
        """Return the slot of `array`, or None.

        An array has no slot if it lies outside of the arena, is not C-contiguous, or has a dtype
        that is not in `PLAIN_DTYPES`.
        """
        offset = self.offset(array)
        if offset is None or not array.flags.c_contiguous:
            return None
        return (offset, array.shape, array.dtype.str) if array.dtype.kind in PLAIN_DTYPES else None

    def offset(self, array: NDArray[Any]) -> int | None:
        """Return the offset of an array's first element; None if the array lies elsewhere."""
        offset = address_of_host(array) - self.address
        return offset if 0 <= offset < self._extent else None

    @contextmanager
    def lent_file(self) -> Iterator[int]:
        """Lend another descriptor of the file, for a process that starts in this block.

        Raises:
            OSError: the arena is private or closed.
        """
        with self._lock:  # a number that was closed could be another file's by now
            if self.descriptor < 0:
                raise OSError(errno.EBADF, "the memory of the pipeline is private, or closed")
            descriptor = fcntl.fcntl(self.descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE_DESCRIPTOR)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Close the file, for good. Arrays stay as they are. Idempotent."""
        with self._lock:
            self.descriptor = -1
            self._close_file()

    def drop_map(self) -> None:
        """Let the addresses go with the last array that lies in them; there are no new arrays.

        The map has a descriptor of its own, which goes with it.
        """
        self.map = mmap.mmap(-1, PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def beyond_standard_streams(descriptor: int) -> int:
    """Return `descriptor`, or a duplicate above 2 in its place.

    In a process without standard streams a new file can get the descriptor 0, 1 or 2. Libraries
    would then print into that file, and child processes would lose it.
    """
    if descriptor >= _FIRST_FREE_DESCRIPTOR:
        return descriptor
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE_DESCRIPTOR)
    finally:
        os.close(descriptor)


def _nothing() -> None:
    """Do nothing: the end of a private arena's file."""


def _memory_file() -> int:
    if hasattr(os, "memfd_create"):
        return beyond_standard_streams(os.memfd_create("penstock"))
    from tempfile import mkstemp  # Linux does not need the import

    descriptor, path = mkstemp(prefix="penstock")
    os.unlink(path)
    return beyond_standard_streams(descriptor)


def _mapped(descriptor: int, extent: int) -> mmap.mmap:
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _LAZY
    flags = mmap.MAP_SHARED if descriptor >= 0 else private
    mapped = mmap.mmap(descriptor, extent, flags)
    with suppress(OSError, AttributeError):  # a kernel without huge pages refuses the advice
        mapped.madvise(mmap.MADV_HUGEPAGE)
    return mapped


def _addresses_left() -> int | None:
    """Return how many bytes of addresses the process may still map; None without a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    mapped = 0
    with suppress(OSError, ValueError, IndexError):  # without /proc the smaller extents are tried
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    return max(0, limit - mapped)


def _no_room(smallest: int, *, shared: bool) -> str:
    limits = {"addresses (`ulimit -v`)": resource.RLIMIT_AS}
    if shared:
        limits["file sizes (`ulimit -f`)"] = resource.RLIMIT_FSIZE
    values = {name: resource.getrlimit(limit)[0] for name, limit in limits.items()}
    known = [f"{name}: {n} bytes" for name, n in values.items() if n != resource.RLIM_INFINITY]
    return (
        f"no {smallest >> 10} KiB are left for the memory of a pipeline's batches; limits "
        f"of {', '.join(known) or 'the system'}; raise them, or use fewer pipelines"
    )
