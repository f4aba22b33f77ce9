"""Device memory that is recycled: a piece returns to its pool when its last array is dropped.

An array may be dropped while the device still reads or writes the array, because kernels run later
than the calls that launch them. So a piece's lease records the streams that used the piece. When
the lease ends, an event is recorded on each of these streams. The stream of the piece's next user
waits for the events; the CPU waits for nothing.

A stream that was destroyed must not be touched again. The streams of pipelines are never destroyed
but reused. CuPy's streams live as long as their objects, which the lease holds. The life of other
streams is known only if their user declares it. A piece that other streams used is lent again only
after the whole device has finished its work.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .device_leases import Lease
from .device_pieces import DeviceSegment, FreePieces, Piece
from .stream_marks import Mark, StreamMarks
from .unused_memory import enter_pool

ALIGNMENT = 512
"""Bytes of which the addresses and sizes of pieces are multiples."""

SEGMENT_STEP = 2 << 20
"""Bytes of which a segment has a multiple, as the driver gives memory. Small pieces share one."""

WAIT_FACTOR = 1.5
"""A piece that is in use counts as larger by this factor. Training on photographs of many sizes,
the pool has 1.16 times the memory that is lent at most. With a factor of 1, half as many users
again wait for work on other streams. Without a limit, a quarter as many wait, and the pool has 1.2
times the memory; in batches of 256, 1.3 times."""

MAX_IDLE_BYTES = 4 << 30
"""Bytes that may lie idle."""

TRIM_SECONDS = 2.0
"""Seconds after which segments that nobody needed in them are freed. A pipeline takes more memory
while its consumer waits than later. To free a segment makes the device wait."""

PINNED_STEPS: tuple[int, int] = (1 << 20, 16 << 20)
"""Bytes of which small and large pinned memory has a multiple: few sizes, so that CuPy's pool has
memory of the size."""

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


class DevicePool:
    """Divides segments of one device's memory into pieces; at most `MAX_IDLE_BYTES` lie idle.

    A request gets the smallest free piece that suffices, rather one that no work uses any more. If
    no piece suffices, the pool takes a new segment. Before, the pool frees as much: segments of
    which no piece is lent, all too small for the request, and more of them if the budget is
    exceeded. Segments of which nobody needed a piece for `TRIM_SECONDS` are freed, too. To free
    memory, and to take new memory, makes the device wait.

    A lease may end at any line, also in a thread that holds the lock. So what comes back waits in a
    queue for a thread that has the lock.

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
        self._marks = StreamMarks(cupy, device)
        self._free = FreePieces()
        self._lent = self._taken = 0
        self._trimmed_at = perf_counter()
        # Pieces with the streams that used them. None: all that is idle shall be freed.
        self._returned: deque[tuple[Piece, dict[int, Any]] | None] = deque()
        self._closed = self._has_pinned = False
        self._lock = threading.Lock()
        enter_pool(self)

    @property
    def lent_bytes(self) -> int:
        """Size of the pieces that arrays hold."""
        return self._lent

    @property
    def room(self) -> int:
        """Bytes left of the budget; negative when more are lent."""
        return self.budget - self._lent

    @property
    def idle_bytes(self) -> int:
        """Bytes that the driver gave and that are not lent."""
        return self._taken - self._lent

    def lend(self, nbytes: int, stream: Any) -> tuple[Any, Lease]:
        """Return (nbytes,) uint8 on the device, for use on `stream`, and its lease."""
        cupy = self._cupy
        size = -(-max(nbytes, 1) // ALIGNMENT) * ALIGNMENT
        with self._lock:
            found = self._take(size, stream.ptr)
        piece, marks = found or (self._grow(size), ())
        lease = Lease(self, piece, stream)
        if self._returned:  # while this thread had the lock
            self._tidy()
        if marks:
            try:
                self._marks.wait(stream, marks)
            except BaseException:
                lease.used_on(-1)  # earlier work may go on, and is not known any more
                raise
        memory = cupy.cuda.UnownedMemory(piece.start, size, lease, self._device.id)
        return cupy.ndarray((nbytes,), "u1", cupy.cuda.MemoryPointer(memory, 0)), lease

    def lasting(self, nbytes: int) -> Any:
        """Return (nbytes,) uint8 on the device that is no batch's.

        The memory does not count as lent. It goes back to the device with its last array.
        """
        memory = self._cupy.cuda.MemoryPointer(self._allocate(nbytes), 0)
        return self._cupy.ndarray((nbytes,), "u1", memory)

    def owner_of(self, stream: int) -> Any:
        """See `Lender`."""
        current = self._cupy.cuda.get_current_stream()
        return current if current.ptr == stream else None

    def take_back(self, piece: Piece, streams: dict[int, Any]) -> None:
        """Take in a piece, now or as soon as the holder of the lock comes to it; see `Lender`."""
        self._returned.append((piece, streams))
        self._tidy()

    def _tidy(self) -> None:
        """Take in what came back, unless another holds the lock, who calls this afterwards."""
        while self._returned and self._lock.acquire(blocking=False):
            try:
                surplus = self._settle()
            finally:
                self._lock.release()
            del surplus  # freed without the lock

    # The caller of these holds the lock, and drops the segments without the lock.

    def _settle(self) -> list[DeviceSegment]:
        """Take in what came back; return the segments to free."""
        now = perf_counter()
        free_all = False
        while self._returned:
            back = self._returned.popleft()
            if back is None:
                free_all = True
                continue
            piece, streams = back
            self._lent -= piece.size
            piece.segment.used_at = now
            piece.waits = {} if self._closed else self._marks.set(streams)
            self._free.add(piece)
        if free_all or self._closed:
            return self._remove_idle(inf)
        idle = self._taken - self._lent
        if idle <= self._keep_bytes and now - self._trimmed_at < TRIM_SECONDS:
            return []
        self._trimmed_at = now
        return self._remove_idle(now - TRIM_SECONDS, idle - self._keep_bytes)

    def _remove_idle(self, before: float, surplus: int = 0) -> list[DeviceSegment]:
        """Remove the segments of which no piece is lent, or some of them, and return them.

        Args:
            before: seconds; segments in use since then stay.
            surplus: bytes to remove in any case; the segments that are idle longest go first.
        """
        idle = [piece for piece in self._free if piece.is_whole]
        removed = []
        for piece in sorted(idle, key=lambda piece: piece.segment.used_at):
            segment = piece.segment
            if segment.used_at >= before and surplus <= 0:
                break
            self._free.remove(piece)
            self._taken -= segment.size
            surplus -= segment.size
            removed.append(segment)
        return removed

    def _take(self, size: int, stream: int) -> tuple[Piece, Sequence[Mark]] | None:
        """Return a piece out of the free ones, with the marks that its user waits for, or None."""
        if self._closed:
            return None
        marks = self._marks
        marks.look()
        found: tuple[Piece, list[Mark]] | None = None
        least = inf
        for piece in self._free:
            if size <= piece.size <= least:
                ahead = marks.ahead(piece.waits, stream)
                rank = piece.size * WAIT_FACTOR if ahead else piece.size
                if rank <= least:  # of equal pieces the last that came back: the others may go
                    least, found = rank, (piece, ahead)
        if found is None:
            return None
        self._lent += size
        return self._free.cut(found[0], size), found[1]

    def _grow(self, size: int) -> Piece:
        """Return a piece of a new segment."""
        nbytes = -(-size // SEGMENT_STEP) * SEGMENT_STEP
        with self._lock:
            replaced = self._remove_idle(0, max(nbytes, self._taken + nbytes - self.budget))
        del replaced  # freed without the lock
        segment = DeviceSegment(self._allocate(nbytes))
        with self._lock:
            self._taken += nbytes
            self._lent += size
            whole = Piece(segment, segment.memory.ptr, nbytes)
            self._free.add(whole)
            return self._free.cut(whole, size)

    def _allocate(self, size: int) -> Any:
        memory = self._cupy.cuda.Memory
        out_of_memory = self._cupy.cuda.memory.OutOfMemoryError
        with self._device:
            try:
                return memory(size)
            except (out_of_memory, self._cupy.cuda.runtime.CUDARuntimeError):
                with self._lock:
                    idle = self._remove_idle(inf)
                del idle
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
        """Return the idle segments to the device, after the work that uses these segments."""
        self._returned.append(None)
        self._tidy()

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
        """Free the idle segments; the last holder of a piece frees a lent one."""
        self._closed = True
        self.free_idle()
