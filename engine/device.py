"""What GPU work is done with: memory, copies and kernel launches on one CUDA stream.

CuPy is imported only here and where operators hand data to user code, and only once a
pipeline needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from math import prod
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .device_memory import DevicePool, Lease
from .driver import driver_version
from .errors import MissingDependencyError
from .kernels import Kernel, check_grid, source_of
from .tensors import PackedRows, TensorList, TensorListCPU, TensorListGPU, address_of

_ALIGNMENT = 256
_SMALL = 1 << 18  # bytes, of buffers that share a block of memory
_ALWAYS_SHARED = 48 << 10  # bytes of shared memory that a block may have unless more are allowed
_TO_DEVICE, _TO_HOST, _ON_DEVICE = 1, 2, 3  # cudaMemcpyKind


def import_cupy() -> ModuleType:
    """Return CuPy, after a check that a device can be used; say what is missing otherwise."""
    newest = driver_version() // 1000
    extra = f"'penstock[{'cuda13' if newest >= 13 else 'cuda12'}]'"
    try:
        import cupy
    except ImportError as error:
        how = "is not installed" if error.name == "cupy" else f"cannot be loaded ({error})"
        raise MissingDependencyError(
            f"this pipeline uses the GPU, which needs CuPy, which {how}: pip install {extra}"
        ) from error
    runtime = cupy.cuda.runtime
    try:
        runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        built_for = runtime.runtimeGetVersion() // 1000
        if built_for > newest:
            raise MissingDependencyError(
                f"this pipeline uses the GPU, but CuPy is built for CUDA {built_for}, and NVIDIA's "
                f"driver speaks CUDA {newest} at most: update the driver (on Ubuntu: sudo "
                f"ubuntu-drivers install), or pip uninstall cupy-cuda{built_for}x and "
                f"pip install {extra}"
            ) from error
        raise MissingDependencyError(
            f"this pipeline uses the GPU, but CUDA does not start ({error}); see what "
            "`nvidia-smi` says"
        ) from error
    module: ModuleType = cupy
    return module


class Device:
    """One stream of one device, as operators' `gpu` functions use it (`batch.device`).

    All work goes to `stream`, in order; nothing waits for it. Memory that is dropped between
    two launches is used again only after the first one is done.

    Attributes:
        id: number of the CUDA device.
        stream: a CuPy stream, current in the threads that run operators.
        pool: where memory comes from.
        num_threads: how many threads the pipeline was given for work on the processor.
        own: what operators keep for this stream alone, by keys of their choice.
        taken_bytes: memory that was taken so far.
    """

    def __init__(
        self, cupy: ModuleType, device_id: int, stream: Any, pool: DevicePool, num_threads: int
    ) -> None:
        self.id = device_id
        self.stream = stream
        self.pool = pool
        self.num_threads = num_threads
        self.own: dict[Any, Any] = {}
        self.taken_bytes = 0
        self._cupy = cupy
        self._block: Any = None  # that small buffers are cut from
        self._cut = 0  # bytes of it
        self._small = self._usual = 0  # bytes of small buffers in this batch, and in the last one

    @cached_property
    def shared_bytes(self) -> int:
        """Shared memory of a multiprocessor."""
        return int(self._cupy.cuda.Device(self.id).attributes["MaxSharedMemoryPerMultiprocessor"])

    @cached_property
    def multiprocessors(self) -> int:
        """How many multiprocessors the device has."""
        return int(self._cupy.cuda.Device(self.id).attributes["MultiProcessorCount"])

    def buffer(self, nbytes: int) -> Any:
        """Return uninitialised memory: (nbytes,) uint8 on the device."""
        if nbytes > _SMALL:
            return self._lend(nbytes)[0]
        begin, step = self._cut, -(-nbytes // _ALIGNMENT) * _ALIGNMENT
        if self._block is None or begin + step > self._block.size:
            self._block, begin = self._lend(max(step, self._usual - self._small))[0], 0
        self._cut = begin + step
        self._small += step
        return self._block[begin : begin + nbytes]

    def end_batch(self) -> None:
        """Let go of what is kept for small buffers of the batch."""
        self._block, self._usual, self._small = None, self._small, 0

    def _lend(self, nbytes: int) -> tuple[Any, Lease]:
        self.taken_bytes += nbytes
        return self.pool.lend(nbytes, self.stream)

    def empty(self, shapes: Any, dtype: DTypeLike, layout: str = "") -> TensorListGPU:
        """Return an uninitialised batch.

        Args:
            shapes: (batch, ndim) integers. The batch is dense if they are all the same; else
                rows begin at multiples of 256 bytes.
            dtype: of the elements.
            layout: meaning of a sample's dimensions, or "".
        """
        dtype = np.dtype(dtype)
        shapes = np.asarray(shapes, np.int64)
        if len(shapes) and (shapes == shapes[0]).all():
            extents = len(shapes), *shapes[0].tolist()
            memory, lease = self._lend(prod(extents) * dtype.itemsize)
            return TensorListGPU(memory.view(dtype).reshape(extents), layout, lease=lease)
        sizes = shapes.prod(axis=1) * dtype.itemsize
        steps = -(-sizes // _ALIGNMENT) * _ALIGNMENT
        memory, lease = self._lend(int(steps.sum()))
        return TensorListGPU(
            PackedRows(memory, np.cumsum(steps) - steps, shapes, dtype), layout, lease=lease
        )

    def upload(self, array: NDArray[Any]) -> Any:
        """Return a copy of a small array as (nbytes,) uint8 on the device."""
        array = np.ascontiguousarray(array)
        memory = self.buffer(array.nbytes)
        self.copy(address_of(memory), array.ctypes.data, array.nbytes, _TO_DEVICE)
        return memory

    def copy_in(self, to: int, array: NDArray[Any]) -> None:
        """Copy a contiguous array on the host to an address; the caller keeps it until then."""
        self.copy(to, array.ctypes.data, array.nbytes, _TO_DEVICE)

    def view(self, data: Any) -> Any:
        """Return an array of any library in device memory as CuPy's, without a copy.

        It may be read on this stream: what its library was given before is waited for.
        """
        if isinstance(data, self._cupy.ndarray):
            return data
        if hasattr(data, "__dlpack__"):
            return self._cupy.from_dlpack(data)
        return self._cupy.asarray(data)

    def copied(self, rows: Any, layout: str) -> TensorListGPU:
        """Return a copy of an array over samples, or of a list of arrays of one type."""
        if not len(rows):
            return TensorListGPU([], layout)
        if isinstance(rows, list):
            result = self.empty([row.shape for row in rows], rows[0].dtype, layout)
            pairs = zip(result.rows(), rows, strict=True)
        else:
            shapes = np.broadcast_to(rows.shape[1:], (len(rows), rows.ndim - 1))
            result = self.empty(shapes, rows.dtype, layout)
            pairs = zip([result.dense()], [rows], strict=True)
        for target, source in pairs:
            if source.flags.c_contiguous:
                self.copy(address_of(target), address_of(source), source.nbytes)
            else:
                target[...] = source
        return result

    def wait(self, event: Any) -> None:
        """Let what the stream is given from now on wait for an event on another stream."""
        self.stream.wait_event(event)

    def synchronize(self) -> None:
        """Wait until the stream has done all that it was given."""
        self.stream.synchronize()

    def event(self) -> Any:
        """Return an event that marks what the stream was given so far."""
        event = self._cupy.cuda.Event(block=True, disable_timing=True)
        event.record(self.stream)
        return event

    def fill(self, memory: Any, value: int) -> None:
        """Give every byte of memory on the device a value."""
        address, runtime = address_of(memory), self._cupy.cuda.runtime
        runtime.memsetAsync(address, value, memory.nbytes, self.stream.ptr)

    def copy(self, to: int, source: int, nbytes: int, kind: int = _ON_DEVICE) -> None:
        """Copy bytes between addresses."""
        if nbytes:
            self._cupy.cuda.runtime.memcpyAsync(to, source, nbytes, kind, self.stream.ptr)

    def launch(
        self,
        kernel: Kernel,
        grid: Sequence[int],
        block: Sequence[int],
        *arguments: Any,
        shared_bytes: int = 0,
    ) -> None:
        """Launch a kernel.

        Args:
            kernel: which.
            grid, block: extents, one to three each; nothing is launched if one is 0.
            arguments: arrays on the device, which are passed as addresses, and NumPy scalars.
            shared_bytes: dynamic shared memory of a block.
        """
        if 0 in grid:
            return
        check_grid(grid)
        values = tuple(
            a if isinstance(a, np.generic) else np.uint64(address_of(a)) for a in arguments
        )
        function = compiled(kernel, self.id)
        if shared_bytes > _ALWAYS_SHARED and shared_bytes > function.max_dynamic_shared_size_bytes:
            function.max_dynamic_shared_size_bytes = shared_bytes
        function(tuple(grid), tuple(block), values, shared_mem=shared_bytes)

    def to_device(self, data: TensorList) -> TensorListGPU:
        """Copy a batch to the device, in one transfer if it is dense."""
        if isinstance(data, TensorListGPU):
            return data
        if not len(data):
            return TensorListGPU([], data.layout())
        if data.is_dense_tensor():
            array = np.ascontiguousarray(data.dense())
            shapes = np.broadcast_to(array.shape[1:], (len(array), array.ndim - 1))
            result = self.empty(shapes, array.dtype, data.layout())
            self.copy(address_of(result.dense()), array.ctypes.data, array.nbytes, _TO_DEVICE)
            return result
        rows = [np.ascontiguousarray(row) for row in data.rows()]
        if len({row.dtype for row in rows}) > 1 or len({row.ndim for row in rows}) > 1:
            return TensorListGPU([self._cupy.asarray(row) for row in rows], data.layout())
        result = self.empty([row.shape for row in rows], rows[0].dtype, data.layout())
        for row, pointer in zip(rows, result.pointers().tolist(), strict=True):
            self.copy(pointer, row.ctypes.data, row.nbytes, _TO_DEVICE)
        return result

    def to_host(self, data: TensorList, empty: Any) -> TensorListCPU:
        """Copy a batch to the host; it is there once the stream has come that far.

        Args:
            data: the batch.
            empty: called with a shape and a type for host memory.
        """
        if isinstance(data, TensorListCPU):
            return data
        assert isinstance(data, TensorListGPU)
        packed = data.packed
        if packed is not None:
            host = empty((packed.memory.size,), np.uint8)
            self.copy(host.ctypes.data, address_of(packed.memory), host.nbytes, _TO_HOST)
            return TensorListCPU(PackedRows(host, *packed.places), data.layout())
        rows = [data.dense()] if data.is_dense_tensor() else data.rows()
        hosts = [empty(row.shape, row.dtype) for row in rows]
        for row, host in zip(rows, hosts, strict=True):
            self.copy(host.ctypes.data, address_of(row), host.nbytes, _TO_HOST)
        return TensorListCPU(hosts[0] if data.is_dense_tensor() else hosts, data.layout())


@cache
def compiled(kernel: Kernel, device_id: int) -> Any:
    """Return the compiled function; CuPy keeps the code on disk for the next process."""
    import cupy

    try:
        cupy.cuda.nvrtc.getVersion()
    except RuntimeError as error:
        major = cupy.cuda.runtime.runtimeGetVersion() // 1000
        raise MissingDependencyError(
            f"GPU operators are compiled by NVRTC, which cannot be loaded ({error}): "
            f"pip install 'penstock[cuda{major}]'"
        ) from error
    module = cupy.RawModule(code=source_of(kernel.file), options=kernel.options)
    return module.get_function(kernel.function)
