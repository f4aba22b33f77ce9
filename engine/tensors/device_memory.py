"""Device memory that is recycled: a block returns to its pool when its last array is dropped.

An array may be dropped while the device still reads or writes the array, because kernels run later
than the calls that launch them. So a block's lease records the streams that used the block. When
the lease ends, an event is recorded on each of these streams. The stream of the block's next user
waits for the events; the CPU waits for nothing.

A stream that was destroyed must not be touched again. The streams of pipelines are never destroyed
but reused. CuPy's streams live as long as their objects, which the lease holds. The life of other
streams is known only if their user declares it. A block that other streams used is lent again only
after the whole device has finished its work.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from contextlib import suppress
from itertools import count
from time import perf_counter
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .memory import serving_size, size_class
from .streams import DEFAULT_STREAM, ForeignStream
from .unused_memory import enter_pool

MIN_BLOCK_BYTES = 512
"""Bytes of the smallest blocks."""

MAX_IDLE_BYTES = 4 << 30
"""Bytes that may lie idle."""

TRIM_SECONDS = 2.0
"""Seconds after which blocks that nobody needed in them are freed. A pipeline takes more memory
while its consumer waits than later. To free a block makes the device wait."""

PINNED_STEPS: tuple[int, int] = (1 << 20, 16 << 20)
"""Bytes of which small and large pinned memory has a multiple: few sizes, so that CuPy's pool has
memory of the size."""


_LASTS = object()
"""The owner of a stream that nobody destroys."""

_unused_streams: dict[int, deque[Any]] = defaultdict(deque)


def borrow_stream(cupy: ModuleType, device: Any) -> Any:
    """Return a non-blocking CUDA stream that will never be destroyed."""
    with suppress(IndexError):
        return _unused_streams[device.id].popleft()
    with device:
        return cupy.cuda.Stream(non_blocking=True)


def return_stream(device: Any, stream: Any) -> None:
    """Let another pipeline use the stream."""
    _unused_streams[device.id].append(stream)


class Lease:
    """One use of a block; all arrays in the block hold the lease, and the last array ends it."""

    __slots__ = ("_block", "_pool", "_streams")

    def __init__(self, pool: DevicePool, block: Any, stream: Any) -> None:
        self._pool = pool
        self._block = block
        # Handles, each with the owner that keeps the stream alive, if the owner is known.
        self._streams: dict[int, Any] = {stream.ptr: stream}

    def used_on(self, stream: int | None, *, lasts: bool = False) -> None:
        """Record that work on another stream also uses the block.

        Args:
            stream: number of the stream in DLPack. None, 0, 1 and 2 are the default streams,
                which wait for one another; -1 is an unknown stream.
            lasts: whether the stream is certainly never destroyed.
        """
        if stream is None or 0 <= stream <= 2:
            self._streams[DEFAULT_STREAM] = _LASTS
        elif self._streams.get(stream) is None:
            self._streams[stream] = _LASTS if lasts else self._pool.owner_of(stream)

    def moved(self, stream: Any, to: Any) -> None:
        """Record that `to` waits for the work of `stream` on the block, and uses the block next."""
        if self._streams.get(stream.ptr, _LASTS) is stream:  # no consumer has recorded it since
            del self._streams[stream.ptr]
        self._streams[to.ptr] = to

    def __del__(self) -> None:
        with suppress(Exception):  # at the interpreter's end, other objects may be gone
            self._pool.take_back(self._block, self._streams)


class JointLease(Lease):
    """The leases of the blocks in which the rows of one batch lie. Arrays in a block hold its own.

    Args:
        leases: leases of the blocks.
    """

    __slots__ = ("_leases",)

    def __init__(self, *leases: Lease) -> None:
        self._leases = leases

    def used_on(self, stream: int | None, *, lasts: bool = False) -> None:
        for lease in self._leases:
            lease.used_on(stream, lasts=lasts)

    def moved(self, stream: Any, to: Any) -> None:
        for lease in self._leases:
            lease.moved(stream, to)

    def __del__(self) -> None:
        """Do nothing: the blocks' own leases end with the last array."""


class _Idle(NamedTuple):
    """A block that waits for its next user.

    Attributes:
        events: streams that used the block, each with an event that follows the use.
        unsure_at: number of waits for the whole device that had started when the lease ended, if
            unknown streams used the block; else None.
        number: number of the block among all that came back.
    """

    block: Any
    events: list[tuple[int, Any]]
    unsure_at: int | None
    number: int


class DevicePool:
    """Recycles blocks of one device's memory; at most `MAX_IDLE_BYTES` of them lie idle.

    A block of another size serves, too, if it is not too large. If too much lies idle, or more than
    the budget leaves, the blocks that came back first are freed. So are blocks of which none was
    needed for `TRIM_SECONDS`. To free memory, and to take new memory, makes the device wait.

    Args:
        cupy: the module.
        device: the CuPy device.
        budget: bytes that should be lent at most. The pool does not enforce the budget: callers
            check `room` before they start a batch.

    Attributes:
        budget: see the argument.
    """

    def __init__(self, cupy: ModuleType, device: Any, budget: int = 1 << 62) -> None:
        self._cupy = cupy
        self._device = device
        self._keep_bytes = MAX_IDLE_BYTES  # also known at the interpreter's end
        self.budget = budget
        self._idle: dict[int, deque[_Idle]] = {}
        self._lent = self._kept = 0
        # By size, the number of blocks that nobody has needed since a time:
        self._unneeded: dict[int, int] = {}
        self._since = perf_counter()
        self._waits_started = self._waits_done = 0  # waits for the whole device
        self._numbers = count()
        self._free_events: deque[Any] = deque()  # events for which no stream waits any more
        self._closed = self._has_pinned = False
        self._lock = threading.RLock()  # a lease may end inside of `lend`
        enter_pool(self)

    @property
    def lent_bytes(self) -> int:
        """Size of the blocks that arrays hold."""
        return self._lent

    @property
    def room(self) -> int:
        """Bytes left of the budget; negative when more are lent."""
        return self.budget - self._lent

    @property
    def idle_bytes(self) -> int:
        """Size of the blocks that wait for their next user."""
        return self._kept

    def lend(self, nbytes: int, stream: Any) -> tuple[Any, Lease]:
        """Return (nbytes,) uint8 on the device, for use on `stream`, and its lease."""
        cupy = self._cupy
        least = MIN_BLOCK_BYTES
        size = size_class(nbytes) if nbytes > least else least
        with self._lock:
            idle = self._take(serving_size(self._idle, size))
            surplus = self._take_surplus(size) if idle is None else []
        del surplus  # freed without the lock
        block = self._allocate(size) if idle is None else self._free(idle, stream)
        with self._lock:
            self._lent += block.size
        lease = Lease(self, block, stream)
        memory = cupy.cuda.UnownedMemory(block.ptr, block.size, lease, self._device.id)
        return cupy.ndarray((nbytes,), "u1", cupy.cuda.MemoryPointer(memory, 0)), lease

    def lasting(self, nbytes: int) -> Any:
        """Return (nbytes,) uint8 on the device that is no batch's.

        The memory does not count as lent. It goes back to the device with its last array.
        """
        memory = self._cupy.cuda.MemoryPointer(self._allocate(nbytes), 0)
        return self._cupy.ndarray((nbytes,), "u1", memory)

    # A lease that the garbage collector ends may change `_idle` at any line of these.

    def _take(self, size: int) -> _Idle | None:
        """Return the block of a size that came back first, if there is one."""
        waiting = self._idle.get(size)
        if not waiting:
            return None
        self._kept -= size
        idle = waiting.popleft()
        self._unneeded[size] = min(self._unneeded.get(size, 0), len(waiting))
        return idle

    def _take_surplus(self, new_bytes: int = 0) -> list[_Idle]:
        """Return the blocks of which too many lie idle, those first that came back first.

        Args:
            new_bytes: size of the block that will be allocated.
        """
        surplus = self._take_unneeded()
        most = min(self._keep_bytes, max(self.budget - self._lent - new_bytes, 0))
        while self._kept > most:
            waiting = list(self._idle.items())
            first = [(idle.number, size) for size, all_ in waiting for idle in list(all_)[:1]]
            idle = self._take(min(first)[1]) if first else None
            if idle is None:
                break
            surplus.append(idle)
        return surplus

    def _take_unneeded(self) -> list[_Idle]:
        """Return the blocks that nobody has needed lately; at most once in `TRIM_SECONDS`."""
        now = perf_counter()
        if now - self._since < TRIM_SECONDS:
            return []
        taken = [
            self._take(size)
            for size, unneeded in list(self._unneeded.items())
            for _ in range(unneeded)
        ]
        self._unneeded = {size: len(waiting) for size, waiting in self._idle.items()}
        self._since = now
        return [idle for idle in taken if idle is not None]

    def _free(self, idle: _Idle, stream: Any) -> Any:
        """Return the block; make `stream` wait for earlier work that uses the block."""
        if idle.unsure_at is not None and self._waits_done <= idle.unsure_at:
            with self._lock:
                number = self._waits_started = self._waits_started + 1
            with self._device:
                self._cupy.cuda.runtime.deviceSynchronize()
            with self._lock:
                self._waits_done = max(self._waits_done, number)
        for used_on, event in idle.events:
            if used_on != stream.ptr:
                stream.wait_event(event)
            self._free_events.append(event)
        return idle.block

    def owner_of(self, stream: int) -> Any:
        """Return the CuPy stream with this handle if it is this thread's current one, or None."""
        current = self._cupy.cuda.get_current_stream()
        return current if current.ptr == stream else None

    def take_back(self, block: Any, streams: dict[int, Any]) -> None:
        """Keep a block for its next user, whose stream waits for the present work of `streams`.

        Args:
            block: the memory.
            streams: handles, each with the owner that keeps the stream alive, or None.
        """
        keep = not self._closed and block.size <= self._keep_bytes
        try:
            idle = self._marked(block, streams) if keep else None
        finally:
            with self._lock:
                self._lent -= block.size
        with self._lock:
            if idle is not None and not self._closed:
                self._idle.setdefault(block.size, deque()).append(idle)
                self._kept += block.size
            surplus = self._take_surplus()
        del surplus  # freed without the lock

    def _marked(self, block: Any, streams: dict[int, Any]) -> _Idle:
        foreign = (ForeignStream, self._cupy.cuda.ExternalStream)
        events = []
        unsure_at = None
        for stream, owner in streams.items():
            if owner is None or isinstance(owner, foreign):
                unsure_at = self._waits_started
                continue
            event = self._event()
            self._cupy.cuda.runtime.eventRecord(event.ptr, stream)
            events.append((stream, event))
        return _Idle(block, events, unsure_at, next(self._numbers))

    def _event(self) -> Any:
        try:
            return self._free_events.popleft()
        except IndexError:
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
                    f"free, and this pipeline holds {self._lent}); lower batch_size, or lower "
                    "gpu_size in prefetch_queue_depth"
                ) from error

    def free_idle(self) -> None:
        """Return the idle blocks to the device, after the work that uses these blocks."""
        with self._lock:
            idle, self._idle, self._kept = self._idle, {}, 0
        del idle

    def pinned(self, nbytes: int) -> NDArray[np.uint8]:
        """Return uninitialized host memory out of CuPy's pool of pinned memory."""
        small, large = PINNED_STEPS
        step = small if nbytes <= small else large
        self._has_pinned |= nbytes > small
        pointer = self._cupy.cuda.alloc_pinned_memory(-(-nbytes // step) * step)
        return np.frombuffer(pointer, np.uint8, nbytes)

    def free_pinned(self) -> None:
        """Return CuPy's idle pinned memory to the system, if this pool has taken much; idempotent.

        The call frees idle memory of CuPy's other users, too, who have to pin memory again. CuPy
        cannot tell whose memory it is. A pool of our own is no way out: its end frees memory that
        arrays still use.
        """
        if self._has_pinned:
            with suppress(self._cupy.cuda.runtime.CUDARuntimeError):  # the context may be lost
                self._cupy.get_default_pinned_memory_pool().free_all_blocks()
            self._has_pinned = False

    def close(self) -> None:
        """Free the idle blocks; a lent block is freed when its holder drops it."""
        self._closed = True
        self.free_idle()
