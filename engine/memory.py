"""Host memory that is used again: slabs that come back when their last view is dropped.

The C library returns big blocks to the kernel at every `free` and pays a page fault for
each page of the next one, which costs more than the arithmetic done on them. A `SlabPool`
keeps such blocks. A slab is an ordinary NumPy array; any view of it, also one that a
consumer made through `torch.from_numpy` or DLPack, keeps it out of the pool, so a batch that
the user holds on to stays right for as long as it is held.
"""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from collections import deque
from contextlib import suppress
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

_PAGE = mmap.PAGESIZE
SMALL = 32 * 1024  # below this malloc serves from its arenas without page faults
_EXTENTS = (1 << 40, 1 << 35, 1 << 32)  # of addresses: the largest that the process may have
_LAZY = 0x4000  # MAP_NORESERVE, which Python names from 3.13 on

Place = tuple[int, tuple[int, ...], str]
"""Where an array lies in an arena: offset, shape and type; it is C-contiguous."""

TOLD_BY_NAME = frozenset("biufcSUmM")
"""Kinds of types that their names say all of."""


def size_class(nbytes: int) -> int:
    """Round up to one of eight steps per power of two, in whole pages: little waste, few sizes."""
    step = max(_PAGE, 1 << max(0, nbytes.bit_length() - 4))
    return -(-nbytes // step) * step


class Arena:
    """Much more address space than any memory has, of which pages exist once they are written to.

    A shared one is a file in memory, mapped whole: what lies in it has the same offset in every
    process. One that is not can have huge pages, which systems seldom give to such files.

    Args:
        descriptor: the file of another process' arena, to share it; None makes a new one.
        shared: whether other processes may map it.

    Attributes:
        descriptor: of the file; -1 if it is not shared.
        map: the addresses.
        begin: the first of them.
    """

    def __init__(self, descriptor: int | None = None, *, shared: bool = True) -> None:
        self._discard = mmap.MADV_REMOVE if shared else mmap.MADV_DONTNEED
        self.descriptor = -1
        if shared:
            self.descriptor = os.memfd_create("penstock") if descriptor is None else descriptor
            weakref.finalize(self, os.close, self.descriptor)
        if descriptor is None:
            self.map = self._make()
        else:
            self.map = _mapped(descriptor, os.fstat(descriptor).st_size)
        self.begin = np.frombuffer(self.map, np.uint8, 1).ctypes.data
        self._used = 0
        self._lock = threading.Lock()

    def _make(self) -> mmap.mmap:
        for extent in _EXTENTS[:-1]:
            with suppress(OSError):
                return self._of(extent)
        return self._of(_EXTENTS[-1])

    def _of(self, extent: int) -> mmap.mmap:
        if self.descriptor >= 0:
            os.ftruncate(self.descriptor, extent)
        return _mapped(self.descriptor, extent)

    def take(self, nbytes: int) -> int:
        """Return the offset of whole pages that were not given to anybody before."""
        with self._lock:
            offset, self._used = self._used, self._used + -(-nbytes // _PAGE) * _PAGE
        if self._used > len(self.map):
            raise MemoryError(f"the {len(self.map)} bytes of a pipeline's arena are used up")
        return offset

    def clear(self, offset: int, nbytes: int) -> None:
        """Give whole pages back to the system; they read as zeros from now on."""
        with suppress(OSError):  # no such call in some sandboxes: the pages stay
            self.map.madvise(self._discard, offset, nbytes)

    def array(self, place: Place) -> NDArray[Any]:
        """Return the array at `place`."""
        offset, shape, dtype = place
        return np.ndarray(shape, dtype, self.map, offset)

    def locate(self, array: NDArray[Any]) -> Place | None:
        """Return where `array` lies; None if elsewhere, or it is no C-contiguous plain array."""
        offset = self.offset(array)
        if offset is None or not array.flags.c_contiguous:
            return None
        return (offset, array.shape, array.dtype.str) if array.dtype.kind in TOLD_BY_NAME else None

    def offset(self, array: NDArray[Any]) -> int | None:
        """Return where the first element of `array` lies; None if elsewhere."""
        offset: int = array.__array_interface__["data"][0] - self.begin
        return offset if 0 <= offset < len(self.map) else None


def _mapped(descriptor: int, extent: int) -> mmap.mmap:
    kind = mmap.MAP_SHARED if descriptor >= 0 else mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _LAZY
    mapped = mmap.mmap(descriptor, extent, kind)
    with suppress(OSError):  # advice, which a kernel without huge pages does not take
        mapped.madvise(mmap.MADV_HUGEPAGE)
    return mapped


class Pinner(Protocol):
    """What locks memory for a device."""

    def pin(self, address: int, size: int) -> None:
        """Lock a block, if that can be done."""

    def unpin(self, address: int) -> None:
        """Undo `pin`."""


class SlabPool:
    """Recycles page-aligned blocks; `keep_bytes` of them may lie idle, or as many as are lent.

    `budget` bytes should be lent at most; the pool lends more all the same, and those who
    begin new work look at `room`.

    Blocks come back without a lock: from whichever thread drops the last view, possibly inside
    another thread's allocation, where taking a lock could deadlock.
    """

    def __init__(
        self, keep_bytes: int = 1 << 30, budget: int = 1 << 62, *, shared: bool = True
    ) -> None:
        self.arena = Arena(shared=shared)
        self._keep_bytes = keep_bytes
        self._budget = budget
        self._idle: dict[int, deque[int]] = {}
        self._cleared: dict[int, deque[int]] = {}
        self._lent: dict[int, weakref.ref[NDArray[np.uint8]]] = {}
        self._lent_sizes: dict[int, int] = {}
        self._closed = False
        self._pinner: Pinner | None = None

    def pinned_by(self, pinner: Pinner) -> None:
        """Let all blocks be locked in memory, for copies to and from a device."""
        self._pinner = pinner

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Return an uninitialised C-contiguous array of `shape` and `dtype`."""
        dtype = np.dtype(dtype)
        nbytes = prod(shape) * dtype.itemsize
        if nbytes < SMALL:
            return np.empty(shape, dtype)
        return self._lend(nbytes)[:nbytes].view(dtype).reshape(shape)

    def _lend(self, nbytes: int) -> NDArray[np.uint8]:
        size = size_class(nbytes)
        offset = self._offset(size)
        # Views of `slab` have `slab` as their base, because its own base is no ndarray.
        slab: NDArray[np.uint8] = self.arena.array((offset, (size,), "u1"))

        def give_back(_: object) -> None:
            del self._lent[offset]
            del self._lent_sizes[offset]
            if not self._closed and self._keeps(self.idle_bytes + size):
                self._idle.setdefault(size, deque()).append(offset)
            else:
                self._clear(offset, size)

        self._lent_sizes[offset] = size
        self._lent[offset] = weakref.ref(slab, give_back)
        return slab

    def _keeps(self, idle: int) -> bool:
        # Where batches are large, those under way will need again what is idle now.
        return idle <= self._keep_bytes or idle <= self.lent_bytes

    def _offset(self, size: int) -> int:
        with suppress(KeyError, IndexError):
            return self._idle[size].pop()
        try:
            offset = self._cleared[size].pop()
        except (KeyError, IndexError):
            offset = self.arena.take(size)
        if self._pinner is not None:
            self._pinner.pin(self.arena.begin + offset, size)
        return offset

    def _clear(self, offset: int, size: int) -> None:
        self._unpin(offset)
        self.arena.clear(offset, size)
        self._cleared.setdefault(size, deque()).append(offset)

    @property
    def lent_bytes(self) -> int:
        """Bytes of the slabs that somebody still holds a view of."""
        return sum(list(self._lent_sizes.values()))

    @property
    def room(self) -> int:
        """Bytes left of the budget; negative when more are lent."""
        return self._budget - self.lent_bytes

    @property
    def idle_bytes(self) -> int:
        """Bytes that wait in the pool to be used again."""
        return sum(size * len(blocks) for size, blocks in list(self._idle.items()))

    def close(self) -> None:
        """Free what lies idle; what is lent is freed when its holder drops it."""
        self._closed = True
        for size, blocks in self._idle.items():
            for offset in blocks:
                self._unpin(offset)
                self.arena.clear(offset, size)
        self._idle.clear()

    def _unpin(self, offset: int) -> None:
        if self._pinner is not None:
            self._pinner.unpin(self.arena.begin + offset)
