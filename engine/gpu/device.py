"""A device for GPU work: memory, copies and kernel launches on one CUDA stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from math import prod
from time import perf_counter_ns
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..arrays import Array, DType
from ..control.readings import Decisions, Readings
from ..tensors import PackedRows, TensorList, TensorListCPU, TensorListGPU, address_of
from ..tensors.array_rows import as_rows
from ..tensors.current_device import CurrentDevice
from ..tensors.device_leases import Lease
from ..tensors.device_memory import DevicePool, borrow_stream, return_stream
from .cupy_module import compiled
from .host_registry import HostRegistry
from .kernels import Kernel, check_grid
from .small_memory import ALIGNMENT, SmallBuffers, Staging
from .tables import StructTable

if TYPE_CHECKING:
    import cupy as cp

_SMALL = 1 << 18  # maximum size in bytes of buffers that are cut out of a common block
_ALWAYS_SHARED = 48 << 10  # bytes of shared memory that a block may have without a request
_TO_DEVICE, _TO_HOST, _ON_DEVICE = 1, 2, 3  # cudaMemcpyKind

PART_BYTES = 64 << 20
"""Size of the parts of a large memory of many blocks. Batches of files differ in size: parts of the
next batch fit where parts of another one lay. The whole would not."""

Awaited = Literal["batches", "gpu", "threads"]
"""The reasons why a thread that launches waits: batches, the GPU, or threads that work for it."""

Placing = Callable[[NDArray[np.int64], DType], TensorListGPU | None]
"""Returns memory for a batch of these shapes and this dtype, or None for any memory."""


Owned = TypeVar("Owned")


class LaneTimes:
    """Where the time of a stream, and of the thread that launches its work, went so far.

    Attributes:
        wait_ns: time that the thread waited, by what it waited for.
        engines_ns: time that engines of the GPU, such as one that decodes, worked for the stream,
            by their names. Operators that use an engine count its time here.
    """

    def __init__(self) -> None:
        self.wait_ns: dict[Awaited, int] = {"batches": 0, "gpu": 0, "threads": 0}
        self.engines_ns: Counter[str] = Counter()

    @contextmanager
    def waiting(self, awaited: Awaited) -> Iterator[None]:
        """Count the time until the context ends in `wait_ns`."""
        started = perf_counter_ns()
        try:
            yield
        finally:
            self.wait_ns[awaited] += perf_counter_ns() - started


class Device:
    """One stream of one device, as operators' `batch_gpu` functions use it (`batch.device`).

    All work goes to `stream`, in order, and the host does not wait. If memory is dropped between
    two launches, only launches after the drop use the memory again.

    Attributes:
        id: number of the CUDA device.
        stream: a CuPy stream, current in the threads that run operators.
        pool: the source of memory.
        num_threads: the pipeline's threads for CPU work.
        taken_bytes: size of all memory that was allocated so far.
        times: where the time of the stream and of its thread went.
        readings: of the pipeline, when this batch began.
        decisions: the pipeline's, to which operators add those of their rules.
    """

    def __init__(
        self,
        cupy: ModuleType,
        device_id: int,
        stream: cp.cuda.Stream,
        pool: DevicePool,
        num_threads: int,
    ) -> None:
        self.id = device_id
        self.stream = stream
        self.pool = pool
        self.num_threads = num_threads
        self._own: dict[Hashable, Any] = {}
        self.taken_bytes = 0
        self.times = LaneTimes()
        self.readings = Readings()
        self.decisions: Decisions = {}
        self._cupy = cupy
        self._place: Placing | None = None
        self._buffers = SmallBuffers()
        self._staging = Staging()
        # Host memory of copies that may not be done:
        self._held: list[object] = []

    def own(self, key: Hashable, make: Callable[[], Owned]) -> Owned:
        """Return an object that an operator keeps for this stream; make it if there is none.

        An object with a method `close` is closed when the stream is given back.

        Args:
            key: key of the object: what makes it and, if each operator has one, the operator.
            make: returns the object.
        """
        if key not in self._own:
            self._own[key] = make()
        owned: Owned = self._own[key]
        return owned

    def beside(self) -> Device:
        """Return a device with another stream and the same memory, until `give_back`."""
        stream = borrow_stream(self._cupy, CurrentDevice(self.id))
        return Device(self._cupy, self.id, stream, self.pool, self.num_threads)

    def give_back(self) -> None:
        """Give back the stream of `beside`."""
        return_stream(CurrentDevice(self.id), self.stream)

    @contextmanager
    def launching(self) -> Iterator[None]:
        """Launch kernels on this device's stream until the context ends."""
        with self.stream:
            yield

    def drop_own(self) -> None:
        """Drop all objects that operators keep for this stream, and close those that can be."""
        while self._own:
            _, owned = self._own.popitem()
            if hasattr(owned, "close"):
                owned.close()

    @cached_property
    def shared_bytes(self) -> int:
        """Shared memory of a multiprocessor."""
        return int(self._cupy.cuda.Device(self.id).attributes["MaxSharedMemoryPerMultiprocessor"])

    @cached_property
    def multiprocessors(self) -> int:
        """Number of multiprocessors of the device."""
        return int(self._cupy.cuda.Device(self.id).attributes["MultiProcessorCount"])

    @cached_property
    def registry(self) -> HostRegistry:
        """Registers host memory that kernels read; for any thread, also once the lane is gone."""
        return HostRegistry(self._cupy, self.id)

    def buffer(self, nbytes: int) -> cp.ndarray:
        """Return uninitialized memory: (nbytes,) uint8 on the device."""
        if nbytes > _SMALL:
            return self._lend(nbytes)[0]
        return self._buffers.buffer(nbytes, self._lend)

    def blocks(
        self, sizes: NDArray[np.int64], *, temporary: bool = False
    ) -> tuple[list[cp.ndarray], NDArray[np.uint64]]:
        """Return uninitialized memory for blocks of these sizes, and the address of each block.

        The memory is a list of arrays, each of `PART_BYTES` at most, or of one block.

        Args:
            sizes: in bytes: (blocks,).
            temporary: whether the memory is dropped as soon as work is launched: see `temporary`.
        """
        take = self.temporary if temporary else self.buffer
        steps = -(-sizes // ALIGNMENT) * ALIGNMENT
        ends = np.cumsum(steps)
        addresses = ends - steps
        memory: list[cp.ndarray] = []
        start = 0
        while start < len(sizes):
            first = int(addresses[start])
            stop = max(start + 1, int(ends.searchsorted(first + PART_BYTES, "right")))
            memory.append(take(int(ends[stop - 1]) - first))
            addresses[start:stop] += address_of(memory[-1]) - first
            start = stop
        return memory, addresses.astype(np.uint64)

    def temporary(self, nbytes: int) -> cp.ndarray:
        """Return uninitialized memory as `buffer` does, to be dropped as soon as work is launched.

        The memory does not count as taken by the batch.
        """
        return self.pool.lend(nbytes, self.stream)[0]

    def pinned(self, nbytes: int) -> NDArray[np.uint8]:
        """Return uninitialized host memory that copies to the device need not stage.

        The batch holds the memory.
        """
        memory = self.pool.pinned(nbytes)
        self.hold(memory)
        return memory

    def hold(self, data: object) -> None:
        """Keep memory that a copy on the stream reads or writes until the batch is done.

        The methods that copy hold their memory themselves; other users of the stream call this.
        """
        self._held.append(data)

    def end_batch(self) -> list[object]:
        """End the launches of a batch; return the memory to keep until the device has done them."""
        self._buffers.end_batch()
        self._staging.end_batch()
        held, self._held = self._held, []
        return held

    def _lend(self, nbytes: int) -> tuple[cp.ndarray, Lease]:
        self.taken_bytes += nbytes
        return self.pool.lend(nbytes, self.stream)

    def empty(self, shapes: object, dtype: DTypeLike, layout: str = "") -> TensorListGPU:
        """Return an uninitialized batch.

        Args:
            shapes: (batch, ndim) integers. If all shapes are the same, the batch is dense; else
                rows start at multiples of 256 bytes.
            dtype: dtype of the elements.
            layout: meaning of a sample's dimensions, or "".
        """
        if self._place is not None:
            placed = self._place(np.asarray(shapes, np.int64), np.dtype(dtype))
            if placed is not None:
                return placed.with_layout(layout)
        return self.scratch(shapes, dtype, layout)

    @contextmanager
    def placing(self, place: Placing | None) -> Iterator[None]:
        """Let `place` choose the memory of the batches that `empty` returns in this block.

        Args:
            place: see `Placing`; None for memory as usual.
        """
        before, self._place = self._place, place
        try:
            yield
        finally:
            self._place = before

    def scratch(self, shapes: Any, dtype: DTypeLike, layout: str = "") -> TensorListGPU:
        """Return what `empty` returns, but in memory that `placing` does not choose: no result."""
        dtype = np.dtype(dtype)
        shapes = np.asarray(shapes, np.int64)
        if len(shapes) and (shapes == shapes[0]).all():
            extents = len(shapes), *shapes[0].tolist()
            memory, lease = self._lend(prod(extents) * dtype.itemsize)
            return TensorListGPU(memory.view(dtype).reshape(extents), layout, lease=lease)
        sizes = shapes.prod(axis=1) * dtype.itemsize
        steps = -(-sizes // ALIGNMENT) * ALIGNMENT
        memory, lease = self._lend(int(steps.sum()))
        offsets = np.cumsum(steps) - steps
        return TensorListGPU(PackedRows(memory, offsets, shapes, dtype), layout, lease=lease)

    def upload(self, array: Array) -> cp.ndarray:
        """Return a copy of an array as (nbytes,) uint8 on the device."""
        memory = self.buffer(array.nbytes)
        self.send(address_of(memory), np.ascontiguousarray(array))
        return memory

    def send(self, to: int, array: Array) -> None:
        """Copy a contiguous array in host memory to an address on the device.

        Small arrays go by way of pinned memory: their copies do not wait for the work before.
        """
        if array.nbytes > _SMALL:
            self.copy_in(to, array)
            return
        self.copy(to, self._staging.put(array, self.pinned), array.nbytes, _TO_DEVICE)

    def upload_table(self, table: StructTable) -> StructTable:
        """Return a table with a copy on the device, for more than one launch."""
        if table.memory is not None:
            return table
        return StructTable(table.struct, table.array, self.upload(table.array))

    def copy_in(self, to: int, array: Array) -> None:
        """Copy a contiguous array in host memory to an address on the device, and hold it."""
        self.hold(array)
        self.copy(to, array.ctypes.data, array.nbytes, _TO_DEVICE)

    def view(self, data: object) -> Any:
        """Return another library's array in device memory as a CuPy array, without a copy.

        This stream waits for the work that the library has queued already.
        """
        if isinstance(data, self._cupy.ndarray):
            return data
        if hasattr(data, "__dlpack__"):
            return self._cupy.from_dlpack(data)
        return self._cupy.asarray(data)

    def copied(self, rows: Any, layout: str) -> TensorListGPU:
        """Return a copy of an array over samples, of a list of arrays of one dtype, or of `Rows`.

        The arrays lie on the device. The batch holds the arrays until their copies are done.
        """
        rows = as_rows(rows)
        if not len(rows):
            return TensorListGPU([], layout)
        self.hold(rows)
        result = self.scratch(rows.extents(), rows.dtype, layout)
        whole = rows.array is not None
        pairs = [(result.dense(), rows.array)] if whole else zip(result.rows(), rows, strict=True)
        for target, source in pairs:
            if source.flags.c_contiguous:
                self.copy(address_of(target), address_of(source), source.nbytes)
            else:
                target[...] = source
        return result

    def wait(self, event: cp.cuda.Event) -> None:
        """Let later work of this stream wait for an event on another stream."""
        self.stream.wait_event(event)

    def wait_for_default_stream(self) -> None:
        """Let later work of this stream wait for the work that CUDA's default stream has now."""
        event = self._cupy.cuda.Event(disable_timing=True)
        event.record(self._cupy.cuda.Stream.null)
        self.wait(event)

    def current(self) -> AbstractContextManager[None]:
        """Make the device's context current in the calling thread until the context ends."""
        return CurrentDevice(self.id)

    def waiting(self, awaited: Awaited) -> AbstractContextManager[None]:
        """Count the time until the context ends in `times.wait_ns`."""
        return self.times.waiting(awaited)

    def synchronize(self) -> None:
        """Wait until the stream has done all its work."""
        with self.waiting("gpu"):
            self.stream.synchronize()

    def event(self) -> cp.cuda.Event:
        """Return an event that follows the work of the stream so far."""
        event = self._cupy.cuda.Event(block=True, disable_timing=True)
        event.record(self.stream)
        return event

    def fill(self, memory: cp.ndarray, value: int) -> None:
        """Set every byte of memory on the device to a value."""
        address, runtime = address_of(memory), self._cupy.cuda.runtime
        runtime.memsetAsync(address, value, memory.nbytes, self.stream.ptr)

    def copy(self, to: int, source: int, nbytes: int, direction: int = _ON_DEVICE) -> None:
        """Copy bytes between addresses."""
        if nbytes:
            self._cupy.cuda.runtime.memcpyAsync(to, source, nbytes, direction, self.stream.ptr)

    def launch(
        self,
        kernel: Kernel,
        grid: Sequence[int],
        block: Sequence[int],
        *arguments: object,
        shared_bytes: int = 0,
    ) -> None:
        """Launch a kernel.

        Args:
            kernel: the kernel; the structs of its tables are declared in front of its source.
            grid, block: extents, one to three each; nothing is launched if one is 0.
            arguments: tables, arrays on the device, which are passed as addresses, and NumPy
                scalars. Tables that are not on the device are copied there.
            shared_bytes: dynamic shared memory of a block.
        """
        if 0 in grid:
            return
        check_grid(grid)
        for argument in arguments:
            if isinstance(argument, StructTable):
                kernel = kernel.declaring(*argument.struct.declarations)
        # Slow work comes before the copies of tables. A copy may wait for the device, which is then
        # idle until the kernel starts.
        function = self.kernel_function(kernel, shared_bytes)
        extents = tuple(grid), tuple(block)
        passed = [self._passed(argument) for argument in arguments]  # holds memory until the launch
        values = tuple(
            [a if isinstance(a, np.generic) else np.uint64(address_of(a)) for a in passed]
        )
        function(*extents, values, shared_mem=shared_bytes)

    def kernel_function(self, kernel: Kernel, shared_bytes: int) -> Callable[..., None]:
        """Return the function that starts a kernel: `f(grid, block, values, shared_mem=bytes)`."""
        function = compiled(kernel, self.id)
        if shared_bytes > _ALWAYS_SHARED and shared_bytes > function.max_dynamic_shared_size_bytes:
            function.max_dynamic_shared_size_bytes = shared_bytes
        started: Callable[..., None] = function
        return started

    def _passed(self, argument: object) -> object:
        """Return an argument of a kernel; for a table, the table's memory on the device."""
        if not isinstance(argument, StructTable):
            return argument
        return self.upload_table(argument).memory

    def to_device(self, data: TensorList) -> TensorListGPU:
        """Copy a batch to the device. Hold the host memory.

        A dense batch, and small rows that lie end to end, take one transfer.
        """
        if isinstance(data, TensorListGPU):
            return data
        if not len(data):
            return TensorListGPU([], data.layout())
        if data.is_dense_tensor():
            array = np.ascontiguousarray(data.dense())
            shapes = np.broadcast_to(array.shape[1:], (len(array), array.ndim - 1))
            result = self.scratch(shapes, array.dtype, data.layout())
            self.copy_in(address_of(result.dense()), array)
            return result
        flat = data.stored.flat()
        if flat is not None and 0 < flat.nbytes <= _SMALL:
            return self._spread(flat, data)
        rows = [np.ascontiguousarray(row) for row in data.rows()]
        if len({row.dtype for row in rows}) > 1 or len({row.ndim for row in rows}) > 1:
            return TensorListGPU([self._cupy.asarray(row) for row in rows], data.layout())
        result = self.scratch([row.shape for row in rows], rows[0].dtype, data.layout())
        for row, pointer in zip(rows, result.pointers().tolist(), strict=True):
            self.copy_in(pointer, row)
        return result

    def _spread(self, flat: NDArray[Any], data: TensorList) -> TensorListGPU:
        """Copy rows that lie end to end in `flat` to a ragged batch, in one transfer."""
        result = self.scratch(data.extents(), flat.dtype, data.layout())
        target = result.stored.in_block()
        assert target is not None
        lengths = data.extents().prod(axis=1)
        gaps = target.offsets // flat.itemsize - (np.cumsum(lengths) - lengths)
        staged = self.pinned(target.memory.nbytes)
        staged.view(flat.dtype)[np.arange(flat.size) + np.repeat(gaps, lengths)] = flat
        self.copy(address_of(target.memory), staged.ctypes.data, staged.nbytes, _TO_DEVICE)
        return result

    def to_host(self, data: TensorList, empty: Any) -> TensorListCPU:
        """Copy a batch to the host; the copy is complete when the stream has done its work.

        Args:
            data: the batch.
            empty: returns host memory for a shape and a dtype; the device holds this memory.
        """
        if isinstance(data, TensorListCPU):
            return data
        assert isinstance(data, TensorListGPU)

        def copy(target: Any, source: Any) -> None:
            self.hold(target)
            self.copy(target.ctypes.data, address_of(source), target.nbytes, _TO_HOST)

        return TensorListCPU(data.stored.copied(empty, copy), data.layout())


class DeviceAccess(Protocol):
    """Access to the device outside of a batch's turn, for inputs: the device stage offers this."""

    def on_stream(self, handle: int) -> AbstractContextManager[Device]:
        """Work on a stream of user code, in its thread, as CuPy's current stream."""

    def aside(self) -> AbstractContextManager[Device]:
        """Work on a new stream, in the caller's thread, which waits for the work at the end."""
