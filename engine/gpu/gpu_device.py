"""The CUDA device that the device stage drives: its memory, its streams and its events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import PipelineStopped
from ..tensors.captures import BesideCaptures
from ..tensors.current_device import CurrentDevice
from ..tensors.device_memory import DevicePool, borrow_stream, return_stream
from ..tensors.event_pool import EventPool
from ..tensors.streams import ForeignStream
from .cupy_module import compiled, import_cupy
from .device import Device
from .kernels import Kernel
from .rehearsal_device import RehearsalDevice

if TYPE_CHECKING:
    import cupy


def default_budget(memory: int) -> int:
    """Return how many bytes should be lent at most of a device with so many bytes of memory."""
    return max(4 << 30, memory // 8)


class GpuDevice:
    """One device in one pipeline.

    Args:
        device_id: number of the CUDA device; None is the current one.
        budget: bytes of the device's memory that should be lent at most; None is `default_budget`.
        num_threads: CPU threads that operators' GPU work may use.

    Attributes:
        pool: memory of the device for batches.
        lost: the error that made the CUDA context of this process unusable, or "". CUDA cannot
            mend a context, so the error holds for all pipelines of the process.

    Raises:
        PipelineStopped: the context is unusable since an earlier error.
    """

    lost: ClassVar[str] = ""
    pool: Any

    def __init__(self, device_id: int | None, budget: int | None, num_threads: int) -> None:
        self.check_context()
        self._cupy = import_cupy()
        runtime = self._cupy.cuda.runtime
        self._device = CurrentDevice(runtime.getDevice() if device_id is None else device_id)
        if budget is None:
            with self._device:
                budget = default_budget(runtime.memGetInfo()[1])
        self.pool = DevicePool(self._cupy, self._device, budget=budget)
        self._num_threads = num_threads
        self._events = EventPool(self._cupy, self._device, block=True)

    @contextmanager
    def lane(self) -> Iterator[Device]:
        """Work on a new stream until the context ends."""
        stream = borrow_stream(self._cupy, self._device)
        with self.current(), stream:
            device = Device(self._cupy, self._device.id, stream, self.pool, self._num_threads)
            try:
                yield device
            finally:
                device.drop_own()
        return_stream(self._device, stream)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this the current device of the calling thread until the context ends.

        Captures of CUDA graphs by other threads then forbid no calls in this thread.
        """
        with self._device, BesideCaptures():
            yield

    @contextmanager
    def on_stream(self, handle: int) -> Iterator[Device]:
        """Work on a stream of user code, in the caller's thread, as CuPy's current stream."""
        stream = ForeignStream(self._cupy.cuda.runtime, handle)
        with self.current(), self._cupy.cuda.Stream.from_external(stream):
            yield Device(self._cupy, self._device.id, stream, self.pool, self._num_threads)

    @contextmanager
    def aside(self) -> Iterator[Device]:
        """Work on a new stream in the caller's thread; wait for the work at the end."""
        stream = borrow_stream(self._cupy, self._device)
        try:
            with self.current(), stream:
                yield Device(self._cupy, self._device.id, stream, self.pool, self._num_threads)
                stream.synchronize()
        finally:
            return_stream(self._device, stream)

    def open_lane(self) -> Device:
        """Return a device with a new stream, for `on_lane`."""
        stream = borrow_stream(self._cupy, self._device)
        return Device(self._cupy, self._device.id, stream, self.pool, self._num_threads)

    @contextmanager
    def on_lane(self, device: Device) -> Iterator[None]:
        """Work on the stream of `open_lane` in the caller's thread; wait for the work at the end.

        What operators keep for the stream stays for the next time.
        """
        with self.current(), device.stream:
            try:
                yield
            finally:
                held = device.end_batch()
                device.stream.synchronize()
                del held

    def close_lane(self, device: Device) -> None:
        """Give back the stream of `open_lane`."""
        with self.current(), device.stream:
            device.drop_own()
        return_stream(self._device, device.stream)

    def rehearsing(self, needed: Callable[[Kernel], None]) -> RehearsalDevice:
        """Return a device that computes nothing, and calls `needed` with kernels to launch."""
        return RehearsalDevice(self._cupy, self._device.id, needed)

    def compile(self, kernel: Kernel) -> None:
        """Compile a kernel, unless that was done."""
        with self.current():
            compiled(kernel, self._device.id)

    def mark(self, device: Device) -> cupy.cuda.Event:
        """Return an event that follows all work on the device's stream so far."""
        event: cupy.cuda.Event = self._events.take()
        event.record(device.stream)
        return event

    def wait_for(self, event: cupy.cuda.Event) -> None:
        """Wait until the device has reached an event."""
        event.synchronize()

    def elapsed_ns(self, events: Sequence[cupy.cuda.Event]) -> list[int]:
        """Return the nanoseconds between events that the device has reached; recycle them."""
        between = self._cupy.cuda.get_elapsed_time
        times = [int(between(before, after) * 1e6) for before, after in pairwise(events)]
        self._events.put(events)
        return times

    def pin(self, address: int, size: int) -> None:
        """Pin host memory, which copies read and write faster than other memory."""
        with suppress(self._cupy.cuda.runtime.CUDARuntimeError), self.current():
            self._cupy.cuda.runtime.hostRegister(address, size, 0)

    def unpin(self, address: int) -> None:
        """Undo `pin`."""
        with suppress(self._cupy.cuda.runtime.CUDARuntimeError), self.current():
            self._cupy.cuda.runtime.hostUnregister(address)

    def examine(self, error: BaseException) -> None:
        """Check, after an error, whether the CUDA context still works; remember a lost context."""
        try:
            self._probe()
        except Exception as lost:
            GpuDevice.lost = GpuDevice.lost or f"{type(lost).__name__}: {lost}"
            error.add_note(
                "the CUDA context of this process is unusable from now on: start a new process"
            )

    def _probe(self) -> None:
        """Raise an exception if the context does not work."""
        with self.current():
            self._cupy.cuda.runtime.deviceSynchronize()

    @staticmethod
    def check_context() -> None:
        """Raise PipelineStopped if an earlier error has made the CUDA context unusable."""
        if GpuDevice.lost:
            raise PipelineStopped(
                "an earlier error left the CUDA context of this process unusable "
                f"({GpuDevice.lost}), so no pipeline can use the GPU: start a new process"
            )
