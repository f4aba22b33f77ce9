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
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import inf
from operator import attrgetter
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .captures import BesideCaptures
from .current_device import CurrentDevice
from .device_leases import Lease
from .device_pieces import DeviceSegment, FreePieces, Piece
from .stream_marks import Mark, StreamMarks
from .unused_memory import enter_pool

ALIGNMENT = 512
"""Bytes of which the addresses and sizes of pieces are multiples."""

SEGMENT_STEP = 2 << 20
"""Bytes of which a segment has a multiple, as the driver gives memory. Small pieces share one."""

WAIT_FACTOR = 1.5
"""A piece that is in use counts as larger by this factor, so that few users wait for streams."""

SPARE_FACTOR = 1.15
"""The memory that was lent at most, times which a pool keeps. There are gaps between pieces."""

GROWTH = 1 / 8
"""Part of the memory by which it grows at least: few segments, with fewer gaps at their ends."""

TRIM_SECONDS = 2.0
"""Seconds after which the pool looks whether it has too much memory. A pipeline takes more memory
while its consumer waits than later. To free a segment makes the device wait."""

MAX_TRIM_SECONDS = 60.0
"""The same at most. The time doubles whenever the pool has to grow for as much as was lent before
it freed memory."""

PINNED_STEPS: tuple[int, int] = (1 << 20, 16 << 20)
"""Bytes of which small and large pinned memory has a multiple. CuPy's pool recycles equal sizes."""

_unused_streams: dict[int, deque[Any]] = defaultdict(deque)


def borrow_stream(cupy: ModuleType, device: CurrentDevice) -> Any:
    """Return a non-blocking CUDA stream that will never be destroyed."""
    with suppress(IndexError):
        return _unused_streams[device.id].popleft()
    with device:
        return cupy.cuda.Stream(non_blocking=True)


def return_stream(device: CurrentDevice, stream: Any) -> None:
    """Let another pipeline use the stream."""
    _unused_streams[device.id].append(stream)


def _in_steps(nbytes: int) -> int:
    return -(-nbytes // SEGMENT_STEP) * SEGMENT_STEP


class _Demand:
    """How many bytes are lent, and how many were lent at most in the last seconds.

    Attributes:
        lent: bytes of the pieces that are lent.
        sufficed: bytes for which the memory was thought to suffice when segments were retired.
    """

    def __init__(self) -> None:
        self.lent = 0
        self.sufficed = 0
        # The most that was lent since the last look for surplus, and between the looks before:
        self._most = self._most_before = 0
        self._looked_at = perf_counter()
        self._patience = TRIM_SECONDS

    @property
    def most(self) -> int:
        """Bytes that were lent at most since the look before the last one."""
        return max(self._most, self._most_before)

    def lend(self, nbytes: int) -> None:
        """Count a piece that is lent."""
        self.lent += nbytes
        self._most = max(self._most, self.lent)

    def is_look_due(self) -> bool:
        """Return whether it is time to look whether there is too much memory."""
        return perf_counter() - self._looked_at >= self._patience

    def look(self) -> int:
        """Begin another period; return how many bytes are needed, as far as is known."""
        self._looked_at = perf_counter()
        needed = self.most
        self._most_before, self._most = self._most, self.lent
        return needed

    def note_growth(self, size: int) -> None:
        """Wait for longer between looks if memory has to grow that was thought to suffice."""
        if self.lent + size <= self.sufficed:  # the gaps between pieces are too small
            self.sufficed = 0
            self._patience = min(2 * self._patience, MAX_TRIM_SECONDS)


class DevicePool:
    """Divides segments of one device's memory into pieces.

    A request gets the smallest free piece that suffices, rather one that no work uses any more. If
    no piece suffices, the pool takes a new segment. Before, the pool frees the segments of which no
    piece is lent, and which are too small, if it has much more memory than was lent at most in the
    last seconds, or exceeds the budget.

    If other segments suffice for the memory that was lent at most in the last seconds, the pool
    retires the emptiest segments: no more of their pieces are lent, and a segment is freed when its
    last piece comes back. To free memory, and to take new memory, makes the device wait.

    A lease may end at any line, also in a thread that holds the lock. So what comes back waits in a
    queue for a thread that has the lock.

    Args:
        cupy: the module.
        device: the device.
        budget: bytes that should be lent at most. The pool does not enforce the budget: callers
            check `room` before they start a batch.

    Attributes:
        budget: see the argument.
    """

    def __init__(self, cupy: ModuleType, device: CurrentDevice, budget: int = 1 << 62) -> None:
        self._cupy = cupy
        self._device = device
        self.budget = budget
        self._marks = StreamMarks(cupy, device)
        self._free = FreePieces()
        self._segments: list[DeviceSegment] = []  # those that are not retired
        self._taken = 0  # bytes of all segments
        self._demand = _Demand()
        # Pieces with the streams that used them. None: all that is idle shall be freed.
        self._returned: deque[tuple[Piece, dict[int, Any]] | None] = deque()
        self._closed = self._has_pinned = False
        self._lock = threading.Lock()
        enter_pool(self)

    @property
    def lent_bytes(self) -> int:
        """Size of the pieces that arrays hold."""
        return self._demand.lent

    @property
    def room(self) -> int:
        """Bytes left of the budget; negative when more are lent."""
        return self.budget - self._demand.lent

    @property
    def idle_bytes(self) -> int:
        """Bytes that the driver gave and that are not lent."""
        return self._taken - self._demand.lent

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
        segment = DeviceSegment(self._allocate(nbytes), self._device)
        address = segment.memory.ptr
        memory = self._cupy.cuda.UnownedMemory(address, nbytes, segment, self._device.id)
        return self._cupy.ndarray((nbytes,), "u1", self._cupy.cuda.MemoryPointer(memory, 0))

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
        with self._device, BesideCaptures():  # the thread may be any
            while self._returned and self._lock.acquire(blocking=False):
                try:
                    surplus = self._settle()
                finally:
                    self._lock.release()
                del surplus  # freed without the lock

    # The caller of these holds the lock, and drops the segments without the lock.

    def _settle(self) -> list[DeviceSegment]:
        """Take in what came back; return the segments to free."""
        unused: list[DeviceSegment] = []
        free_all = False
        while self._returned:
            back = self._returned.popleft()
            if back is None:
                free_all = True
                continue
            piece, streams = back
            segment = piece.segment
            self._demand.lent -= piece.size
            segment.lent -= piece.size
            if not segment.is_retired:
                piece.waits = self._marks.set(streams)
                self._free.add(piece)
            elif not segment.lent:
                self._taken -= segment.size
                unused.append(segment)
        if self._closed:
            surplus = self._segments
        elif free_all:
            surplus = self._idle()
        elif self._demand.is_look_due():
            surplus = self._surplus()
        else:
            return unused
        return unused + self._retire(surplus)

    def _idle(self) -> list[DeviceSegment]:
        """Return the segments of which no piece is lent."""
        return [segment for segment in self._segments if not segment.lent]

    def _surplus(self) -> list[DeviceSegment]:
        """Return the segments that are not needed, as far as the last seconds tell."""
        needed = self._demand.look()
        spare = sum(segment.size for segment in self._segments) - int(SPARE_FACTOR * needed)
        surplus = []
        for segment in sorted(self._segments, key=attrgetter("lent")):  # the emptiest first
            if segment.size <= spare:
                spare -= segment.size
                surplus.append(segment)
        if surplus:
            self._demand.sufficed = needed
        return surplus

    def _retire(self, segments: Iterable[DeviceSegment]) -> list[DeviceSegment]:
        """Lend no more pieces of segments; return those of which no piece is lent."""
        retired = set(segments)
        self._segments = [segment for segment in self._segments if segment not in retired]
        for piece in [piece for piece in self._free if piece.segment in retired]:
            self._free.remove(piece)
        for segment in retired:
            segment.is_retired = True
        unused = [segment for segment in retired if not segment.lent]
        self._taken -= sum(segment.size for segment in unused)
        return unused

    def _take(self, size: int, stream: int) -> tuple[Piece, Sequence[Mark]] | None:
        """Return a piece out of the free ones, with the marks that its user waits for, or None."""
        found: tuple[Piece, Sequence[Mark]] | None = None
        largest = inf
        for piece in self._free.of_size(size):
            if piece.size > largest:
                break
            ahead = self._marks.ahead(piece.waits, stream)
            if not ahead:
                found = piece, ahead
                break
            if found is None:
                found = piece, ahead
                largest = piece.size * WAIT_FACTOR
        if found is None:
            return None
        return self._lend(found[0], size), found[1]

    def _lend(self, piece: Piece, size: int) -> Piece:
        self._demand.lend(size)
        piece.segment.lent += size
        return self._free.cut(piece, size)

    def _grow(self, size: int) -> Piece:
        """Return a piece of a new segment. The caller does not hold the lock."""
        least = _in_steps(size)
        with self._lock:
            growth = 0 if self._closed else int(self._taken * GROWTH)
            nbytes = max(least, _in_steps(growth))
            demand = self._demand
            most = SPARE_FACTOR * max(demand.most, demand.lent + size)
            is_much = self._taken + nbytes > min(most, self.budget)
            replaced = self._retire(self._idle()) if is_much else []
        del replaced  # freed without the lock
        segment = None
        if nbytes > least:
            with suppress(MemoryError):
                segment = DeviceSegment(self._allocate(nbytes), self._device)
        segment = segment or DeviceSegment(self._allocate(least), self._device)
        with self._lock:
            self._taken += segment.size
            self._segments.append(segment)
            self._demand.note_growth(size)
            whole = Piece(segment, segment.memory.ptr, segment.size)
            self._free.add(whole)
            return self._lend(whole, size)

    def _allocate(self, size: int) -> Any:
        memory = self._cupy.cuda.Memory
        out_of_memory = self._cupy.cuda.memory.OutOfMemoryError
        with self._device:
            try:
                return memory(size)
            except (out_of_memory, self._cupy.cuda.runtime.CUDARuntimeError):
                with self._lock:
                    idle = self._retire(self._idle())
                del idle
                self._cupy.get_default_memory_pool().free_all_blocks()
            try:
                return memory(size)
            except (out_of_memory, self._cupy.cuda.runtime.CUDARuntimeError) as error:
                free, total = self._cupy.cuda.runtime.memGetInfo()
                raise MemoryError(
                    f"the GPU has no {size} bytes left for a batch ({free} of {total} bytes are "
                    f"free, and this pipeline holds {self.lent_bytes}); lower batch_size, or lower "
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
            # The context may be lost.
            ended = suppress(self._cupy.cuda.runtime.CUDARuntimeError)
            with ended, self._device, BesideCaptures():
                self._cupy.get_default_pinned_memory_pool().free_all_blocks()
            self._has_pinned = False

    def close(self) -> None:
        """Free the idle segments; the last holder of a piece frees a lent one."""
        self._closed = True
        self.free_idle()
