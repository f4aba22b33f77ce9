"""Arrays on the GPU that come from user code: taken in many forms, checked, and copied.

User code computes on streams of its own. So what it hands over is read, and copied, on the very
stream that it computes on: after what was queued there before, and before what comes later, which
may overwrite the data. The pipeline's stream waits for an event behind the copy.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...engine.device_export import DEFAULT_STREAM, stream_handle
from ...engine.errors import ArgumentError
from ...engine.tensors import TensorList, TensorListGPU
from .user_data import Column, Expected, check_column, check_type, on_gpu

if TYPE_CHECKING:
    from ...engine.batch import Batch
    from ...engine.device import Device
    from ...engine.device_stage import DeviceStage


@dataclass(frozen=True)
class Delivery:
    """The samples of one output, on the device.

    Attributes:
        data: the samples.
        ready: event from which on they may be read.
        stream: on which that is.
        source: the user's arrays, which must stay until they are copied.
        taken_bytes: memory that the copy takes.
    """

    data: TensorListGPU
    ready: Any
    stream: Any
    source: Any
    taken_bytes: int

    def __len__(self) -> int:
        return len(self.data)

    def take(self, batch: Batch) -> TensorListGPU:
        """Return the samples for use on the batch's stream."""
        batch.device.wait(self.ready)
        batch.held.append(self)
        self.data.moved(self.stream, batch.device.stream)
        return self.data


def is_on_gpu(data: Any) -> bool:
    """Say whether a whole batch of user data lies on the GPU, to judge by its first sample."""
    if isinstance(data, TensorList):
        return isinstance(data, TensorListGPU)
    if isinstance(data, list | tuple):
        return len(data) > 0 and on_gpu(data[0])
    return on_gpu(data)


def deliver(
    data: Any, expected: Expected, stage: DeviceStage, cuda_stream: Any, no_copy: bool
) -> Delivery:
    """Take a batch of user data on the GPU; it may be overwritten on its stream after that.

    Args:
        data: an array over samples, or a sequence of samples.
        expected: what was declared of it.
        stage: on whose device it must lie.
        cuda_stream: that the user named; None to ask the data.
        no_copy: use the arrays themselves, which then must not be overwritten, where they are
            contiguous.
    """
    first = data[0] if isinstance(data, list | tuple | TensorList) else data
    stream = producer_stream(first, cuda_stream)
    with stage.on_stream(DEFAULT_STREAM if stream is None else stream) as device:
        column = device_column(data, expected, device)
        if no_copy and _contiguous(column.rows):
            result = TensorListGPU(column.rows, column.layout)
        else:
            result = device.copied(column.rows, column.layout)
        ready = device.event()
        if stream is None and not no_copy:  # what overwrites the data would not wait for the copy
            device.synchronize()
        return Delivery(result, ready, device.stream, column.rows, device.taken_bytes)


def _contiguous(rows: Any) -> bool:
    arrays = rows if isinstance(rows, list) else [rows]
    return all(array.flags.c_contiguous for array in arrays)


def producer_stream(value: Any, cuda_stream: Any = None) -> int | None:
    """Return the stream that the array's library works on now; None where nothing tells it."""
    if cuda_stream is not None:
        return stream_handle(cuda_stream)
    if type(value).__module__.partition(".")[0] == "torch":
        return stream_handle(sys.modules["torch"].cuda.current_stream(value.device))
    interface = getattr(value, "__cuda_array_interface__", {})
    stream: int | None = interface.get("stream")
    return stream


def device_column(data: Any, expected: Expected, device: Device) -> Column:
    """Return a whole batch of user data, which must lie on the device; without a copy."""
    layout = expected.layout
    if isinstance(data, TensorList):
        layout = data.layout() if layout is None else layout
        data = data.as_tensor() if data.is_dense_tensor() else list(data)
    if isinstance(data, list | tuple):
        rows: Any = [device_array(sample, expected, device) for sample in data]
    else:
        rows = device_array(data, expected, device)
    check_column(rows, expected)
    return Column(rows, layout or "")


def device_array(value: Any, expected: Expected, device: Device) -> Any:
    """Return user data as an array of the device's library, without a copy."""
    if not on_gpu(value):
        raise ArgumentError(
            f"{expected.what} is {type(value).__name__} data in host memory, but data on the GPU "
            "is wanted; move it with cupy.asarray(...) or .cuda()"
        )
    try:
        array = device.view(value)
    except (ValueError, TypeError, RuntimeError, BufferError) as error:
        raise ArgumentError(
            f"{expected.what} of type {type(value).__name__} is no array: {error}"
        ) from error
    if array.device.id != device.id:
        raise ArgumentError(
            f"{expected.what} lies on GPU {array.device.id}, but the pipeline works on GPU "
            f"{device.id}; set device_id, or move the data"
        )
    check_type(array, expected)
    return array
