"""Device memory that is used again: blocks that come back when their last array is dropped.

An array may be dropped while the device still reads or writes it: kernels run later than the
calls that launch them. So a block's lease carries the streams that used it. When it ends, an event
is recorded on each of them, and the block's next user's stream waits for those events; the
processor waits for nothing.

A stream that was destroyed must not be touched again. Those of the pipelines are never destroyed
but used again; CuPy's live as long as their objects, which the lease holds; of others it is only
known if somebody says so. A block that others used is lent again only after the whole device has
been waited for.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .device_export import DEFAULT_STREAM, ForeignStream
from .memory import size_class

_LEAST = 512

_LASTS = object()
"""In place of what keeps a stream from being destroyed, where nobody destroys it."""

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

    __slots__ = ("_block", "_pool", "_streams")

    def __init__(self, pool: DevicePool, block: Any, stream: Any) -> None:
        self._pool = pool
        self._block = block
        # Handles, with what keeps each stream from being destroyed, if that is known.
        self._streams: dict[int, Any] = {stream.ptr: stream}

    def used_on(self, stream: int | None, *, lasts: bool = False) -> None:
        """Note that work on another stream uses the block, too.

        Args:
            stream: as DLPack numbers them: None, 0, 1 and 2 are the default streams, which
                wait for one another; -1 is one that is not told.
            lasts: whether it is certain that the stream is never destroyed.
        """
        if stream is None or 0 <= stream <= 2:
            self._streams[DEFAULT_STREAM] = _LASTS
        elif self._streams.get(stream) is None:
            self._streams[stream] = _LASTS if lasts else self._pool.owner_of(stream)

    def moved(self, stream: Any, to: Any) -> None:
        """Note that `to` has waited for what `stream` did with the block, and goes on with it."""
        if self._streams.get(stream.ptr, _LASTS) is stream:  # else a consumer noted it since
            del self._streams[stream.ptr]
        self._streams[to.ptr] = to

    def __del__(self) -> None:
        with suppress(Exception):  # at the interpreter's end anything may be gone
            self._pool.take_back(self._block, self._streams)


@dataclass(frozen=True)
class _Idle:
    """A block that waits for its next user.

    Attributes:
        events: streams that used it, and what to wait for.
        unsure_at: set if unknown streams used it: how often one had begun to wait for the device.
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
        self._waits_begun = self._waits_done = 0  # for the whole device
        self._spare: deque[Any] = deque()  # events that nobody waits for any more
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
        block = self._allocate(size) if idle is None else self._free(idle, stream)
        with self._lock:
            self._lent += size
        lease = Lease(self, block, stream)
        memory = cupy.cuda.UnownedMemory(block.ptr, size, lease, self._device.id)
        return cupy.ndarray((nbytes,), "u1", cupy.cuda.MemoryPointer(memory, 0)), lease

    def _free(self, idle: _Idle, stream: Any) -> Any:
        """Return the block, with `stream` waiting for those who still use it."""
        if idle.unsure_at is not None and self._waits_done <= idle.unsure_at:
            with self._lock:
                number = self._waits_begun = self._waits_begun + 1
            with self._device:
                self._cupy.cuda.runtime.deviceSynchronize()
            with self._lock:
                self._waits_done = max(self._waits_done, number)
        for used_on, event in idle.events:
            if used_on != stream.ptr:
                stream.wait_event(event)
            self._spare.append(event)
        return idle.block

    def owner_of(self, stream: int) -> Any:
        """Return the CuPy stream with this handle if it is this thread's current one, or None."""
        current = self._cupy.cuda.get_current_stream()
        return current if current.ptr == stream else None

    def take_back(self, block: Any, streams: dict[int, Any]) -> None:
        """Keep a block for its next user, who has to wait for what runs on `streams` now.

        Args:
            block: the memory.
            streams: handles, with what keeps each from being destroyed, or None.
        """
        keep = not self._closed and self._kept + block.size <= self._keep_bytes
        try:
            idle = self._marked(block, streams) if keep else None
        finally:
            with self._lock:
                self._lent -= block.size
        with self._lock:
            if idle is not None and not self._closed:
                self._kept += block.size
                self._idle.setdefault(block.size, deque()).append(idle)

    def _marked(self, block: Any, streams: dict[int, Any]) -> _Idle:
        foreign = (ForeignStream, self._cupy.cuda.ExternalStream)
        events = []
        unsure_at = None
        for stream, owner in streams.items():
            if owner is None or isinstance(owner, foreign):
                unsure_at = self._waits_begun
                continue
            event = self._event()
            self._cupy.cuda.runtime.eventRecord(event.ptr, stream)
            events.append((stream, event))
        return _Idle(block, events, unsure_at)

    def _event(self) -> Any:
        with suppress(IndexError):
            return self._spare.popleft()
        with self._device:
            return self._cupy.cuda.Event(disable_timing=True)

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
