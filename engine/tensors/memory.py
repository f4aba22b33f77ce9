"""Host memory that is recycled: a slab returns to its pool when its last view is dropped.

The C library returns large blocks to the kernel at every `free`. Each page of the next block then
costs a page fault, which takes longer than the arithmetic on the page. A `SlabPool` keeps large
blocks. A slab is an ordinary NumPy array. Any view keeps the slab out of the pool, also a view that
a consumer made through `torch.from_numpy` or DLPack. So a batch stays valid while it is held.

`Scratch` is memory of one thread for intermediate results, which is kept from call to call.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from math import prod
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .alignment import address_of_host, empty_aligned
from .arena import PAGE, Arena
from .unused_memory import enter_pool

_IdleBlock = tuple[int, int]
"""Offset in the arena, and the number of the batch at which the block became idle."""

SMALL = 32 * 1024
"""Bytes below which the C library serves memory without page faults."""

IDLE_BATCHES = 64
"""A block is returned after it lay idle for this number of batches, and for this time. Ragged
batches ask for blocks of many sizes, of which some are wanted once in hundreds of batches. A block
of 512 MiB takes half a second to come back, with its pages and their lock for a device. For so
long, too, the pool expects that as much is lent again as was lent at most."""

IDLE_SECONDS = 10.0
"""Seconds that such a block lay idle, too; see `IDLE_BATCHES`."""

TRIM_INTERVAL = 16
"""Batches between two searches for such blocks."""

MAX_IDLE_BYTES = 1 << 30
"""Bytes that may lie idle, also if fewer bytes are lent."""

LARGE_BLOCK_BYTES = 64 << 20
"""Size of the blocks after whose lending the pool counts how much is lent."""

MAX_SIZE_FACTOR = 2.0
"""The size asked for, times which an idle block may have. Batches of files differ in size. To lock
a new block of 64 MiB in memory for a device takes longer than a batch."""


def size_class(nbytes: int) -> int:
    """Round up to one of eight steps per power of two, in whole pages: little waste, few sizes."""
    # 1 MiB .. 2 MiB: steps of 128 KiB; 2 MiB .. 4 MiB: steps of 256 KiB; and so on.
    step = max(PAGE, 1 << max(0, nbytes.bit_length() - 4))
    return -(-nbytes // step) * step


def _serving_size(idle: Mapping[int, Sequence[_IdleBlock]], size: int) -> int:
    """Return the least size of idle blocks that serve for `size`, or `size` if there is none."""
    if idle.get(size):
        return size
    most = size * MAX_SIZE_FACTOR
    larger = [nbytes for nbytes in list(idle) if size < nbytes <= most and idle.get(nbytes)]
    return min(larger, default=size)


class Scratch:
    """Memory for intermediate results, kept from call to call. Not thread-safe.

    The C library returns big blocks to the system when they are freed, and new pages cost more
    than the arithmetic.
    """

    def __init__(self, most: int = sys.maxsize) -> None:
        """Set the size in bytes of the largest block that is kept."""
        self._most = most
        self._blocks: dict[Hashable, NDArray[np.uint8]] = {}

    def array(self, key: Hashable, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an uninitialized C-contiguous array, valid until the next call with `key`."""
        block = self._blocks.get(key)
        if block is not None:
            try:
                return np.ndarray(shape, dtype, block)
            except TypeError:  # the block is too small; a check of its size would take longer
                pass
        block = np.empty(max(1, prod(shape) * np.dtype(dtype).itemsize), np.uint8)
        if block.nbytes <= self._most:
            self._blocks[key] = block
        return np.ndarray(shape, dtype, block)


class Pinner(Protocol):
    """Locks memory for a device."""

    def pin(self, address: int, size: int) -> None:
        """Lock a block if the system allows it."""

    def unpin(self, address: int) -> None:
        """Undo `pin`."""


class _Pins:
    """The blocks that are locked in memory for a device."""

    def __init__(self, pinner: Pinner) -> None:
        self._pinner = pinner
        self._addresses: set[int] = set()

    def pin(self, address: int, size: int) -> None:
        self._addresses.add(address)
        self._pinner.pin(address, size)

    def unpin(self, address: int) -> None:
        if address in self._addresses:
            self._addresses.discard(address)
            self._pinner.unpin(address)

    def unpin_all(self) -> None:
        while self._addresses:
            self._pinner.unpin(self._addresses.pop())


class _Lately:
    """How many bytes a pool lends, and has lent at most in its last batches.

    Attributes:
        lent_bytes: that are lent now.
        batches: number of batches so far.
    """

    def __init__(self) -> None:
        self.lent_bytes = 0
        self.batches = 0
        self._counting = threading.RLock()  # a thread may interrupt its own counting
        self._moments: deque[tuple[float, int]] = deque()  # seconds, and batches until then
        self._begun = 0  # number of batches when the present period of `_most` began
        self._most = [0, 0]  # bytes, in this period and in the one before

    @property
    def most_bytes(self) -> int:
        """Bytes that were lent at most, if large blocks were among them."""
        return max(self._most)

    def count(self, nbytes: int) -> None:
        """Add bytes that were lent, or that came back if they are negative."""
        with self._counting:
            self.lent_bytes += nbytes

    def expect(self, nbytes: int) -> None:
        """Count in `most_bytes` a block that will be lent."""
        self._most[0] = max(self._most[0], self.lent_bytes + nbytes)

    def count_batch(self) -> int | None:
        """Count one more batch; now and then, return since before which batch idle blocks are old.

        A block is old if it lay idle since before a moment that is both `IDLE_BATCHES` batches and
        `IDLE_SECONDS` seconds ago.
        """
        self.batches += 1
        if self.batches % TRIM_INTERVAL:
            return None
        now, moments = perf_counter(), self._moments
        moments.append((now, self.batches))
        recent = self.batches - IDLE_BATCHES
        before = 0
        while moments and moments[0][1] <= recent and moments[0][0] <= now - IDLE_SECONDS:
            before = moments.popleft()[1]
        if before > self._begun:
            self._begun, self._most = self.batches, [0, self._most[0]]
        return before


class SlabPool:
    """Recycles page-aligned blocks.

    `MAX_IDLE_BYTES` may lie idle, or as many bytes as are lent, or as were lent lately besides.

    `budget` bytes should be lent at most. The pool lends more all the same: whoever starts new
    work looks at `room`. If the arena is full, the pool lends memory of the C library. So a `tight`
    arena serves as well, though more slowly.

    Blocks come back without a lock that others hold for long. The last view can be dropped in any
    thread, possibly inside another allocation of the same thread, which must not wait for itself.

    Attributes:
        arena: the addresses of all blocks.
        budget: bytes that should be lent at most.
        most_output_bytes: bytes that a sample's output may take; None for any number.
    """

    def __init__(self, budget: int = 1 << 62, *, shared: bool = True, tight: bool = False) -> None:
        self.arena = Arena(shared=shared, tight=tight)
        self._keep_bytes = MAX_IDLE_BYTES  # also known at the interpreter's end
        self.budget = budget
        self.most_output_bytes: int | None = None
        self._idle: dict[int, deque[_IdleBlock]] = {}
        self._discarded: dict[int, deque[int]] = {}
        self._lent: dict[int, weakref.ref[NDArray[np.uint8]]] = {}  # by their offset
        self._lent_of_heap: dict[int, weakref.ref[Any]] = {}  # by their address
        self._lately = _Lately()
        self._closed = False
        self._pins: _Pins | None = None
        enter_pool(self)

    def pin_with(self, pinner: Pinner) -> None:
        """Lock all blocks in memory from now on, for copies to and from a device."""
        self._pins = _Pins(pinner)
        # Nobody gives back a block that becomes garbage together with this pool. A lock that stays
        # would be one of other memory later.
        weakref.finalize(self.arena, self._pins.unpin_all).atexit = False

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Return an uninitialized C-contiguous array, which is aligned: see `alignment`."""
        dtype = np.dtype(dtype)
        nbytes = prod(shape) * dtype.itemsize
        if nbytes < SMALL:
            return empty_aligned(shape, dtype)
        return self._lend(nbytes)[:nbytes].view(dtype).reshape(shape)

    def _lend(self, nbytes: int) -> NDArray[np.uint8]:
        size = size_class(nbytes)
        if size >= LARGE_BLOCK_BYTES:
            # Now, because others may give back blocks while this one is locked in memory.
            self._lately.expect(size)
        try:
            offset, size = self._block(size)
        except MemoryError:
            return self._lend_from_heap(size)
        # Views of `slab` have `slab` as their base, because its own base is no ndarray.
        slab: NDArray[np.uint8] = np.ndarray(size, np.uint8, self.arena.map, offset)

        def give_back(_: object) -> None:
            del self._lent[offset]
            self._lately.count(-size)
            if not self._closed and self._keeps(self.idle_bytes + size):
                self._idle.setdefault(size, deque()).append((offset, self._lately.batches))
            else:
                self._discard(offset, size)
                self._drop_unused_map()

        self._lent[offset] = weakref.ref(slab, give_back)
        self._lately.count(size)
        return slab

    def _lend_from_heap(self, size: int) -> NDArray[np.uint8]:
        memory = empty_aligned((size,))
        key = address_of_host(memory)

        def give_back(_: object) -> None:
            if self._lent_of_heap.pop(key, None) is not None:
                self._lately.count(-size)

        # All views have the block of `empty_aligned` as their base.
        block: Any = memory.base
        self._lent_of_heap[key] = weakref.ref(block, give_back)
        self._lately.count(size)
        return memory

    def _keeps(self, idle: int) -> bool:
        # If batches are large, those under way will soon need the blocks that are idle now. To lock
        # such a block in memory for a device takes a tenth of a second.
        if idle <= self._keep_bytes:
            return True
        lent = self.lent_bytes
        return idle <= max(lent, self._lately.most_bytes - lent)

    def _block(self, size: int) -> tuple[int, int]:
        """Return the offset and the size of an idle block, or of a new one."""
        if self._closed:
            raise MemoryError("the memory of the pipeline is closed")
        size = _serving_size(self._idle, size)
        with suppress(KeyError, IndexError):  # another thread may have taken the last one
            return self._idle[size].pop()[0], size
        try:
            offset = self._discarded[size].pop()
        except (KeyError, IndexError):
            offset = self.arena.reserve(size)
        if self._pins is not None:
            self._pins.pin(self.arena.address + offset, size)
        return offset, size

    def _discard(self, offset: int, size: int) -> None:
        if self._pins is not None:
            self._pins.unpin(self.arena.address + offset)
        self.arena.discard(offset, size)
        self._discarded.setdefault(size, deque()).append(offset)

    def count_batch(self) -> None:
        """Count one more batch; free the blocks that no recent batch wanted. One thread calls."""
        before = self._lately.count_batch()
        if before is not None:
            self._trim(before)

    def _trim(self, before: int) -> None:
        """Free blocks that became idle before this batch; the oldest stand first."""
        for size, blocks in list(self._idle.items()):
            with suppress(IndexError):  # other threads may empty the queue meanwhile
                while blocks[0][1] < before:
                    block = blocks.popleft()
                    if block[1] >= before:  # another thread took the old one
                        blocks.appendleft(block)
                        break
                    self._discard(block[0], size)

    def free_idle(self) -> None:
        """Free the idle blocks; any thread may call."""
        self._trim(self._lately.batches + 1)

    @property
    def lent_bytes(self) -> int:
        """Bytes of the slabs that somebody still holds a view of."""
        return self._lately.lent_bytes

    @property
    def room(self) -> int:
        """Bytes left of the budget; negative when more are lent."""
        return self.budget - self.lent_bytes

    @property
    def idle_bytes(self) -> int:
        """Bytes that wait in the pool for their next user."""
        return sum(size * len(blocks) for size, blocks in list(self._idle.items()))

    def close(self) -> None:
        """Free the idle blocks; a lent block is freed when its holder drops it. Idempotent."""
        self._closed = True
        for size, blocks in list(self._idle.items()):
            with suppress(IndexError):
                while True:
                    self._discard(blocks.popleft()[0], size)
        self.arena.close()
        self._drop_unused_map()

    def _drop_unused_map(self) -> None:
        # A block that comes back is discarded, although others of the map are lent.
        if self._closed and not self._lent:
            self.arena.drop_map()
