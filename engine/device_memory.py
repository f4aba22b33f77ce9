"""Device memory that is used again: blocks that come back when their last array is dropped.

An array may be dropped while the device still reads or writes it: kernels run later than the
calls that launch them. So a block carries the streams that used it. When it comes back, an event
is recorded on each of them, and the block's next user's stream waits for those events; the
processor waits for nothing.

A stream that was destroyed must not be touched again. Those of the pipelines are never destroyed
but used again; of others it is only known if their owner says so. A block that others used is lent
again only after the whole device has been waited for.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .memory import size_class

_LEAST = 512
_DEFAULT_STREAM = 1
"""CUDA's handle of the default stream, which waits for all streams that are not "non-blocking"."""

_spare_streams: dict[int, deque[Any]] = defaultdict(deque)


def take_stream(cupy: ModuleType, device: Any) -> Any:
    """Return a non-blocking CUDA stream that will never be destroyed."""
    with suppress(IndexError):
        return _spare_streams[device.id].popleft()
    with device:
        return cupy.cuda.Stream(non_blocking=True)


def give_stream(device: Any, stream: Any) -> None:
    """Let another pipeline use the stream."""
    _spare_streams[device.id].append(stream)


class Lease:
    """One use of a block: held by all arrays that lie in it, and gone with the last of them."""

    __slots__ = ("_block", "_pool", "is_unsure", "streams")

    def __init__(self, pool: DevicePool, block: Any, stream: int) -> None:
        self._pool = pool
        self._block = block
        self.streams = {stream}
        self.is_unsure = False

    def used_on(self, stream: int | None, *, lasts: bool = False) -> None:
        """Note that work on another stream uses the block, too.

        Args:
            stream: as DLPack numbers them: None, 0, 1 and 2 are the default streams, which
                wait for one another; -1 is one that is not told.
            lasts: whether it is certain that the stream is never destroyed.
        """
        if stream is None or 0 <= stream <= 2:
            self.streams.add(_DEFAULT_STREAM)
        elif lasts:
            self.streams.add(stream)
        else:
            self.is_unsure = True

    def __del__(self) -> None:
        with suppress(Exception):  # at the interpreter's end anything may be gone
            self._pool.take_back(self._block, self.streams, self.is_unsure)


@dataclass(frozen=True)
class _Idle:
    """A block that waits for its next user.

    Attributes:
        events: streams that used it, and what to wait for.
        unsure_at: set if unknown streams used it: how often the device had been waited for.
    """

    block: Any
    events: list[tuple[int, Any]]
    unsure_at: int | None


class DevicePool:
    """Recycles blocks of one device's memory; at most `keep_bytes` of them lie idle.

    `budget` bytes should be lent at most; the pool lends more all the same, and those who
    begin new work look at `room`.
    """

    def __init__(
        self, cupy: ModuleType, device: Any, keep_bytes: int = 4 << 30, budget: int = 1 << 62
    ) -> None:
        self._cupy = cupy
        self._device = device
        self._keep_bytes = keep_bytes
        self._budget = budget
        self._idle: dict[int, deque[_Idle]] = {}
        self._lent = self._kept = 0
        self._waits = 0  # for the whole device
        self._closed = False
        self._lock = threading.RLock()  # a lease may end inside of `lend`

    @property
    def lent_bytes(self) -> int:
        """Bytes of the blocks that some array holds."""
        return self._lent

    @property
    def room(self) -> int:
        """Bytes left of the budget; negative when more are lent."""
        return self._budget - self._lent

    @property
    def idle_bytes(self) -> int:
        """Bytes that wait to be used again."""
        return self._kept

    def lend(self, nbytes: int, stream: Any) -> tuple[Any, Lease]:
        """Return (nbytes,) uint8 on the device, for use on `stream`, and its lease."""
        cupy = self._cupy
        size = size_class(max(nbytes, 1)) if nbytes > _LEAST else _LEAST
        with self._lock:
            waiting = self._idle.get(size)
            idle = waiting.popleft() if waiting else None
            if idle is not None:
                self._kept -= size
            self._lent += size
        block = self._allocate(size) if idle is None else self._free(idle, stream)
        lease = Lease(self, block, stream.ptr)
        memory = cupy.cuda.UnownedMemory(block.ptr, size, lease, self._device.id)
        return cupy.ndarray((nbytes,), "u1", cupy.cuda.MemoryPointer(memory, 0)), lease

    def _free(self, idle: _Idle, stream: Any) -> Any:
        """Return the block, with `stream` waiting for those who still use it."""
        if idle.unsure_at == self._waits:
            with self._device:
                self._cupy.cuda.runtime.deviceSynchronize()
            self._waits += 1
        for used_on, event in idle.events:
            if used_on != stream.ptr:
                stream.wait_event(event)
        return idle.block

    def take_back(self, block: Any, streams: set[int], is_unsure: bool) -> None:
        """Keep a block for its next user, who has to wait for what runs on `streams` now.

        With `is_unsure`, other streams may use it, too.
        """
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
                idle = _Idle(block, events, self._waits if is_unsure else None)
                self._idle.setdefault(block.size, deque()).append(idle)

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
