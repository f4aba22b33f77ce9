"""Device memory that is used again: blocks that come back when their last array is dropped.

An array may be dropped while the device still reads or writes it: kernels run later than the
calls that launch them. So a block carries the streams that used it. When it comes back, an event
is recorded on each of them, and the block's next user's stream waits for those events; the
processor waits for nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from types import ModuleType
from typing import Any

from .memory import size_class

_LEAST = 512
LEGACY_STREAM = 1
"""CUDA's handle of the default stream, which waits for all streams that are not "non-blocking"."""


class Lease:
    """One use of a block: held by all arrays that lie in it, and gone with the last of them."""

    __slots__ = ("_block", "_pool", "streams")

    def __init__(self, pool: DevicePool, block: Any, stream: int) -> None:
        self._pool = pool
        self._block = block
        self.streams = {stream}

    def used_on(self, stream: int | None) -> None:
        """Note that work on this stream (as DLPack numbers them) uses the block, too."""
        self.streams.add(stream if stream is not None and stream > 2 else LEGACY_STREAM)

    def __del__(self) -> None:
        with suppress(Exception):  # at the interpreter's end anything may be gone
            self._pool.take_back(self._block, self.streams)


class DevicePool:
    """Recycles blocks of one device's memory; at most `keep_bytes` of them lie idle."""

    def __init__(self, cupy: ModuleType, device: Any, keep_bytes: int = 4 << 30) -> None:
        self._cupy = cupy
        self._device = device
        self._keep_bytes = keep_bytes
        self._idle: dict[int, deque[tuple[Any, list[tuple[int, Any]]]]] = {}
        self._lent = self._kept = 0
        self._streams: list[Any] = []
        self._closed = False
        self._lock = threading.RLock()  # a lease may end inside of `lend`

    @property
    def lent_bytes(self) -> int:
        """Bytes of the blocks that some array holds."""
        return self._lent

    @property
    def idle_bytes(self) -> int:
        """Bytes that wait to be used again."""
        return self._kept

    def new_stream(self) -> Any:
        """Return a CUDA stream that lives as long as the pool: events are recorded on it later."""
        with self._device:
            self._streams.append(self._cupy.cuda.Stream(non_blocking=True))
        return self._streams[-1]

    def lend(self, nbytes: int, stream: Any) -> tuple[Any, Lease]:
        """Return (nbytes,) uint8 on the device, for use on `stream`, and its lease."""
        cupy = self._cupy
        size = size_class(max(nbytes, 1)) if nbytes > _LEAST else _LEAST
        with self._lock:
            waiting = self._idle.get(size)
            block, events = waiting.popleft() if waiting else (None, [])
            if block is not None:
                self._kept -= size
            self._lent += size
        if block is None:
            block = self._allocate(size)
        for used_on, event in events:
            if used_on != stream.ptr:
                stream.wait_event(event)
        lease = Lease(self, block, stream.ptr)
        memory = cupy.cuda.UnownedMemory(block.ptr, size, lease, self._device.id)
        return cupy.ndarray((nbytes,), "u1", cupy.cuda.MemoryPointer(memory, 0)), lease

    def take_back(self, block: Any, streams: set[int]) -> None:
        """Keep a block for its next user, who has to wait for what runs on `streams` now."""
        runtime = self._cupy.cuda.runtime
        events = []
        with self._device:
            for stream in streams:
                event = self._cupy.cuda.Event(disable_timing=True)
                runtime.eventRecord(event.ptr, stream)
                events.append((stream, event))
        with self._lock:
            self._lent -= block.size
            if not self._closed and self._kept + block.size <= self._keep_bytes:
                self._kept += block.size
                self._idle.setdefault(block.size, deque()).append((block, events))

    def _allocate(self, size: int) -> Any:
        memory = self._cupy.cuda.Memory
        out_of_memory = self._cupy.cuda.memory.OutOfMemoryError
        with self._device:
            try:
                return memory(size)
            except (out_of_memory, self._cupy.cuda.runtime.CUDARuntimeError):
                self.free_idle()
                self._cupy.get_default_memory_pool().free_all_blocks()
            try:
                return memory(size)
            except (out_of_memory, self._cupy.cuda.runtime.CUDARuntimeError) as error:
                free, total = self._cupy.cuda.runtime.memGetInfo()
                raise MemoryError(
                    f"the GPU has no {size} bytes left for a batch ({free} of {total} bytes are "
                    f"free, this pipeline holds {self._lent}); make batches smaller, or lower "
                    "gpu_size in prefetch_queue_depth"
                ) from error

    def free_idle(self) -> None:
        """Give what lies idle back to the device; waits for the work that uses it."""
        with self._lock:
            idle, self._idle, self._kept = self._idle, {}, 0
        del idle

    def close(self) -> None:
        """Free what lies idle; what is lent is freed when its holder drops it."""
        self._closed = True
        self.free_idle()
