"""Arrays on the GPU from user code: streams, checks, and copies."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.tensors import TensorListCPU, TensorListGPU
from penstock.engine.tensors.streams import DEFAULT_STREAM
from penstock.operators.user_code.device_data import (
    deliver,
    device_array,
    device_column,
    is_on_gpu,
    producer_stream,
)
from penstock.operators.user_code.user_data import Expected
from penstock.testing.emulator import DeviceArray, EmulatedDevice, Foreign, HostPool

EXPECTED = Expected("the data")


class Stage:
    """Records the streams that work was done on."""

    def __init__(self):
        self.streams = []

    @contextmanager
    def on_stream(self, handle):
        self.streams.append(handle)
        yield EmulatedDevice(HostPool())


def on_device(values, dtype=np.float32):
    return np.array(values, dtype).view(DeviceArray)


@pytest.fixture
def stage():
    return Stage()


def test_the_first_sample_tells_where_a_batch_lies():
    assert is_on_gpu(on_device([[1, 2]]))
    assert is_on_gpu([on_device([1]), on_device([2])])
    assert is_on_gpu(TensorListGPU(on_device([[1]])))
    assert not is_on_gpu([np.ones(2)])
    assert not is_on_gpu([])
    assert not is_on_gpu(TensorListCPU(np.ones((2, 2))))


def test_the_stream_of_the_data():
    data = Foreign(np.ones(3), stream=5)
    assert producer_stream(data) == 5
    assert producer_stream(data, SimpleNamespace(ptr=9)) == 9
    assert producer_stream(data, 0) == DEFAULT_STREAM
    assert producer_stream(Foreign(np.ones(3))) is None
    assert producer_stream(np.ones(3)) is None


def test_a_batch_is_copied_on_the_stream_of_its_producer(stage):
    array = on_device([[1, 2], [3, 4]])
    delivery = deliver(Foreign(array, stream=7), EXPECTED, stage, None, no_copy=False)
    array[...] = 0
    assert stage.streams == [7]
    assert len(delivery) == 2
    assert delivery.data.as_cpu().as_array().tolist() == [[1, 2], [3, 4]]
    assert delivery.taken_bytes == 16


def test_a_stream_that_the_user_names_counts_more(stage):
    deliver(Foreign(on_device([[1]]), stream=7), EXPECTED, stage, 8, no_copy=False)
    deliver(on_device([[1]]), EXPECTED, stage, None, no_copy=False)
    assert stage.streams == [8, DEFAULT_STREAM]


def test_without_a_copy_the_arrays_themselves_are_used_where_they_are_contiguous(stage):
    array = on_device([[1, 2], [3, 4]])
    delivery = deliver(array, EXPECTED, stage, None, no_copy=True)
    assert delivery.data.data_ptr() == array.ctypes.data
    assert delivery.taken_bytes == 0
    turned = deliver(array.T, EXPECTED, stage, None, no_copy=True)
    assert turned.data.data_ptr() != array.ctypes.data
    assert turned.data.as_cpu().as_array().tolist() == [[1, 3], [2, 4]]


def test_samples_of_several_shapes(stage):
    rows = [on_device([1, 2]), on_device([3])]
    delivery = deliver(rows, Expected("the data", layout="W"), stage, None, no_copy=False)
    assert delivery.data.layout() == "W"
    assert [row.tolist() for row in delivery.data.as_cpu().rows()] == [[1, 2], [3]]


def test_a_delivery_is_used_behind_its_event(stage):
    delivery = deliver(on_device([[1]]), EXPECTED, stage, None, no_copy=False)
    calls = []
    device = SimpleNamespace(
        wait=lambda event: calls.append("wait"), hold=calls.append, stream=SimpleNamespace(ptr=3)
    )
    assert delivery.use_in(SimpleNamespace(device=device)) is delivery.data
    assert calls == ["wait", delivery]
    gc.collect()


def test_data_in_host_memory_are_refused():
    device = EmulatedDevice(HostPool())
    with pytest.raises(ArgumentError, match=r"the data is ndarray data in host memory.*\.cuda\(\)"):
        device_array(np.ones(3), EXPECTED, device)
    with pytest.raises(ArgumentError, match="host memory"):
        device_column([on_device([1]), np.ones(1)], EXPECTED, device)


def test_data_of_another_device_are_refused():
    device = EmulatedDevice(HostPool())
    device.id = 1
    with pytest.raises(ArgumentError, match="lies on GPU 0, but the pipeline works on GPU 1"):
        device_array(on_device([1]), EXPECTED, device)


def test_data_of_another_declaration_are_refused():
    device = EmulatedDevice(HostPool())
    with pytest.raises(ArgumentError, match="complex64; expected booleans, or numbers"):
        device_array(on_device([1], np.complex64), EXPECTED, device)
    with pytest.raises(ArgumentError, match="dimension"):
        device_column(on_device([[1, 2]]), Expected("the data", ndim=2), device)


def test_data_that_form_no_array_are_refused():
    class Odd:
        __cuda_array_interface__ = {"shape": (2,), "typestr": "?!", "data": (0, False)}  # noqa: RUF012

    with pytest.raises(ArgumentError, match="of type Odd is no array"):
        device_array(Odd(), EXPECTED, EmulatedDevice(HostPool()))
