"""Host memory that is used again: slabs that come back when their last view is dropped.

The C library returns big blocks to the kernel at every `free` and pays a page fault for
each page of the next one, which costs more than the arithmetic done on them. A `SlabPool`
keeps such blocks. A slab is an ordinary NumPy array; any view of it, also one that a
consumer made through `torch.from_numpy` or DLPack, keeps it out of the pool, so a batch that
the user holds on to stays right for as long as it is held.
"""

from __future__ import annotations

import mmap
import weakref
from collections import deque
from contextlib import suppress
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

_PAGE = mmap.PAGESIZE
_HUGE = 4 << 20  # from here on, one page fault for 2 MiB instead of 512
_SMALL = 32 * 1024  # below this malloc serves from its arenas without page faults


def size_class(nbytes: int) -> int:
    """Round up to one of eight steps per power of two, in whole pages: little waste, few sizes."""
    step = max(_PAGE, 1 << max(0, nbytes.bit_length() - 4))
    return -(-nbytes // step) * step


def _address(block: mmap.mmap) -> int:
    return np.frombuffer(block, np.uint8).ctypes.data


def _new_block(size: int) -> mmap.mmap:
    block = mmap.mmap(-1, size)
    if size >= _HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # advice, which a kernel without huge pages does not take
            block.madvise(mmap.MADV_HUGEPAGE)
    return block


class Pinner(Protocol):
    """What locks memory for a device."""

    def pin(self, address: int, size: int) -> None:
        """Lock a block, if that can be done."""

    def unpin(self, address: int) -> None:
        """Undo `pin`."""


class SlabPool:
    """Recycles page-aligned blocks; at most `keep_bytes` of them lie idle.

    `budget` bytes should be lent at most; the pool lends more all the same, and those who
    begin new work look at `room`.

    Thread-safe without a lock: a block comes back from whichever thread drops the last view,
    possibly inside another thread's allocation, where taking a lock could deadlock.
    """

    def __init__(self, keep_bytes: int = 1 << 30, budget: int = 1 << 62) -> None:
        self._keep_bytes = keep_bytes
        self._budget = budget
        self._idle: dict[int, deque[mmap.mmap]] = {}
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
        if nbytes < _SMALL:
            return np.empty(shape, dtype)
        return self._lend(nbytes)[:nbytes].view(dtype).reshape(shape)

    def _lend(self, nbytes: int) -> NDArray[np.uint8]:
        size = size_class(nbytes)
        try:
            block = self._idle[size].pop()
        except (KeyError, IndexError):
            block = _new_block(size)
            if self._pinner is not None:
                self._pinner.pin(_address(block), size)
        # Views of `slab` have `slab` as their base, because its own base is no ndarray.
        slab: NDArray[np.uint8] = np.frombuffer(block, np.uint8)
        key = id(block)

        def give_back(_: object) -> None:
            del self._lent[key]
            del self._lent_sizes[key]
            if not self._closed and self.idle_bytes + size <= self._keep_bytes:
                self._idle.setdefault(size, deque()).append(block)
            else:
                self._unpin(block)

        self._lent_sizes[key] = size
        self._lent[key] = weakref.ref(slab, give_back)
        return slab

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
        for blocks in self._idle.values():
            for block in blocks:
                self._unpin(block)
        self._idle.clear()

    def _unpin(self, block: mmap.mmap) -> None:
        if self._pinner is not None:
            self._pinner.unpin(_address(block))
