"""Arrays on the GPU from user code: accepted in many forms, checked, and copied.

User code computes on its own streams. The copy of the data runs on the same stream: after the work
that makes the data, and before later work that may overwrite them. The pipeline's stream waits for
an event that follows the copy.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from ...engine.errors import ArgumentError
from ...engine.gpu.device import Device, DeviceAccess
from ...engine.graph.context import BatchContext
from ...engine.graph.derivation import Axes
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.device_export import stream_handle
from ...engine.tensors.streams import DEFAULT_STREAM
from .user_data import Column, Expected, check_column, check_type, on_gpu, own_layout


@dataclass(frozen=True)
class Delivery:
    """The samples of one output, on the device.

    Attributes:
        data: the samples.
        ready: event after which the samples may be read.
        stream: stream of the event.
        source: the user's arrays, which must live until the copy is done.
        taken_bytes: size of the copy.
    """

    data: TensorListGPU
    ready: object
    stream: Any
    source: Any
    taken_bytes: int

    @property
    def axes(self) -> Axes:
        """What the batch tells of the axes of a sample."""
        return Axes(self.data.layout(), self.data.ndim if len(self.data) else None)

    def __len__(self) -> int:
        return len(self.data)

    def use_in(self, batch: BatchContext) -> TensorListGPU:
        """Return the samples for use on the batch's stream."""
        batch.device.wait(self.ready)
        batch.device.hold(self)
        self.data.moved(self.stream, batch.device.stream)
        return self.data


def is_on_gpu(data: object) -> bool:
    """Return whether the first sample of a batch of user data lies on the GPU."""
    if isinstance(data, TensorList):
        return isinstance(data, TensorListGPU)
    if isinstance(data, list | tuple):
        return len(data) > 0 and on_gpu(data[0])
    return on_gpu(data)


def deliver(
    data: object, expected: Expected, stage: DeviceAccess, cuda_stream: object, no_copy: bool
) -> Delivery:
    """Copy a batch of user data on the GPU; later work on the data's stream may overwrite them.

    Args:
        data: an array over samples, or a sequence of samples.
        expected: the declaration of the data.
        stage: access to the device on which the data must lie.
        cuda_stream: the user's argument; None to use the stream of the data's library.
        no_copy: use contiguous arrays without a copy; user code then must not overwrite them.
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
        if stream is None and not no_copy:  # work on an unknown stream would not wait for the copy
            device.synchronize()
        return Delivery(result, ready, device.stream, column.rows, device.taken_bytes)


def _contiguous(rows: Any) -> bool:
    arrays = rows if isinstance(rows, list) else [rows]
    return all(array.flags.c_contiguous for array in arrays)


def producer_stream(value: Any, cuda_stream: object = None) -> int | None:
    """Return the current stream of the array's library, or None if the stream is unknown."""
    if cuda_stream is not None:
        return stream_handle(cuda_stream)
    if type(value).__module__.partition(".")[0] == "torch":
        return stream_handle(sys.modules["torch"].cuda.current_stream(value.device))
    interface = getattr(value, "__cuda_array_interface__", {})
    stream: int | None = interface.get("stream")
    return stream


def device_column(data: object, expected: Expected, device: Device) -> Column:
    """Return a batch of user data, which must lie on the device, without a copy."""
    if expected.layout is None:
        expected = expected._replace(layout=own_layout(data, expected.what))
    if isinstance(data, TensorList):
        data = data.as_tensor() if data.is_dense_tensor() else list(data)
    if isinstance(data, list | tuple):
        rows: Any = [device_array(sample, expected, device) for sample in data]
    else:
        rows = device_array(data, expected, device)
    check_column(rows, expected)
    return Column(rows, expected.layout or "")


def device_array(value: object, expected: Expected, device: Device) -> object:
    """Return user data as an array of the device's library, without a copy."""
    if not on_gpu(value):
        raise ArgumentError(
            f"{expected.what} is {type(value).__name__} data in host memory, but must be on the "
            "GPU; move it with cupy.asarray(...) or .cuda()"
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
