"""The device stage: one thread, one CUDA stream, whole batches.

The thread launches the work of a segment and waits for the stream; then the batch goes on.
CuPy is imported only here and in operators' `gpu` functions, and only once a pipeline needs it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import perf_counter_ns
from types import ModuleType
from typing import Any

from .batch import Batch, run_batch_step
from .errors import MissingDependencyError
from .plan import Segment
from .stats import Clocks
from .tensors import TensorList, TensorListGPU

Done = Callable[[Batch, int, BaseException | None], None]


def import_cupy() -> ModuleType:
    """Return CuPy, after a check that a device can be used; say what is missing otherwise."""
    try:
        import cupy
    except ImportError as error:
        raise MissingDependencyError(
            "this pipeline uses the GPU, which needs CuPy: pip install 'penstock[cuda13]' "
            "(or 'penstock[cuda12]' where `nvidia-smi` reports CUDA 12)"
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise MissingDependencyError(
            f"this pipeline uses the GPU, but no CUDA driver answers ({error}); install NVIDIA's "
            "driver, or build the pipeline without device='mixed', device='gpu' and .gpu()"
        ) from error
    if count == 0:
        raise MissingDependencyError("this pipeline uses the GPU, but the driver sees no device")
    module: ModuleType = cupy
    return module


class DeviceLane:
    """Runs `gpu` segments in order on a stream of its own.

    Args:
        device_id: CUDA device; None is the current one.
        done: called with the batch, the segment's index and what went wrong, if anything.
        clocks: told how long each operator took; the wait for the device counts for the last.
    """

    def __init__(self, device_id: int | None, done: Done, clocks: Clocks) -> None:
        self._cupy = import_cupy()
        self._device = self._cupy.cuda.Device(device_id)
        self._done = done
        self._clocks = clocks
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self.thread = threading.Thread(target=self._loop, name="penstock-device", daemon=True)

    def put(self, batch: Batch, segment: Segment, index: int) -> None:
        """Queue a segment of a batch."""
        self._queue.put((batch, segment, index))

    def stop(self) -> None:
        """Let the thread end after the work at hand."""
        self._queue.put(None)

    def _loop(self) -> None:
        with self._device, self._cupy.cuda.Stream(non_blocking=True) as stream:
            while (job := self._queue.get()) is not None:
                batch, segment, index = job
                self._done(batch, index, self._run(batch, segment, stream))
                del job, batch  # or this thread would hold the batch's memory while it waits

    def _run(self, batch: Batch, segment: Segment, stream: Any) -> BaseException | None:
        try:
            for step in segment.steps:
                started = perf_counter_ns()
                run_batch_step(step, batch, "GPU")
                if step is segment.steps[-1]:
                    stream.synchronize()
                self._clocks.add_device(step.node.ordinal, perf_counter_ns() - started)
        except BaseException as error:
            return error
        return None


def to_device(data: TensorList) -> TensorListGPU:
    """Copy a batch to the current device, on the current stream, in one transfer if dense."""
    cupy = import_cupy()
    if isinstance(data, TensorListGPU):
        return data
    if data.is_dense_tensor():
        return TensorListGPU(cupy.asarray(data.dense()), data.layout())
    return TensorListGPU([cupy.asarray(data.row(i)) for i in range(len(data))], data.layout())
