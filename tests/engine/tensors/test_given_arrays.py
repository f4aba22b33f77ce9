"""Arrays of other libraries as tensors and batches."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types
from penstock.engine.errors import LayoutError
from penstock.engine.tensors import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU


def numbers():
    return np.arange(12, dtype=np.float32).reshape(2, 2, 3)


def test_tensors_share_the_memory_of_what_they_are_made_of():
    torch = pytest.importorskip("torch")
    array = numbers()
    given = [
        array,
        memoryview(array),
        array.__dlpack__(),
        TensorCPU(array),
        torch.from_numpy(array),
    ]
    for each in given:
        tensor = TensorCPU(each, "ABC", is_pinned=False)
        assert tensor.data_ptr() == array.ctypes.data, type(each)
        assert (tensor.shape(), tensor.layout(), tensor.dtype) == ([2, 2, 3], "ABC", types.FLOAT)


def test_a_tensor_keeps_its_layout_and_origin_unless_others_are_given():
    tensor = TensorCPU(np.zeros((2, 3)), "HW", "a.jpg")
    assert (TensorCPU(tensor).layout(), TensorCPU(tensor).source_info()) == ("HW", "a.jpg")
    assert TensorCPU(tensor, "AB").layout() == "AB"
    batch = TensorListCPU([tensor, tensor])
    assert (batch.layout(), batch.source_info()) == ("HW", ["a.jpg"] * 2)
    assert (TensorListCPU(batch).layout(), TensorListCPU(batch, "AB").layout()) == ("HW", "AB")


def test_bytes_become_elements():
    assert np.array(TensorCPU(b"abc")).tolist() == [97, 98, 99]
    big_endian = TensorListCPU([TensorCPU(memoryview(np.array([1, 2], ">i2")))])
    assert (big_endian.dtype, big_endian.as_array().tolist()) == (types.INT16, [[1, 2]])


def test_axis_0_of_an_array_runs_over_the_samples():
    torch = pytest.importorskip("torch")
    array = numbers()
    for given in (array, torch.from_numpy(array), array.__dlpack__(), TensorCPU(array, "NAB")):
        batch = TensorListCPU(given)
        assert (len(batch), batch.data_ptr()) == (2, array.ctypes.data)
    assert TensorListCPU(TensorCPU(array, "NAB")).layout() == "AB"


def test_lists_share_memory_unless_one_block_is_asked_for():
    rows = [TensorCPU(np.zeros((1, 2))), TensorCPU(np.ones((3, 2)))]
    shared = TensorListCPU(list_of_tensors=rows)
    assert shared.pointers().tolist() == [row.data_ptr() for row in rows]
    block = TensorListCPU(rows, contiguous=True)
    first, second = block.pointers().tolist()
    assert second - first == 16
    assert block.at(1).tolist() == [[1.0, 1.0]] * 3
    dense = TensorListCPU([np.zeros(2), np.ones(2)], "X", contiguous=True)
    assert dense.as_array().tolist() == [[0, 0], [1, 1]]
    scalars = TensorListCPU([np.float32(1), np.float32(2)], contiguous=True)
    assert scalars.as_array().tolist() == [1, 2]


def test_a_batch_of_one_tensor_many_times():
    tensor = TensorCPU(np.arange(3), "X", "here")
    batch = TensorListCPU.broadcast(tensor, 4)
    assert batch.pointers().tolist() == [tensor.data_ptr()] * 4
    assert (batch.layout(), batch.source_info()) == ("X", ["here"] * 4)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: TensorCPU([1, 2]), TypeError, "type list cannot be converted to TensorCPU"),
        (lambda: TensorCPU("text"), TypeError, "type str cannot be converted to TensorCPU"),
        (lambda: TensorListCPU(3.5), TypeError, "type float cannot be converted to TensorCPU"),
        (lambda: TensorListCPU(np.float32(3)), TypeError, "is one number; axis 0 runs over"),
        (lambda: TensorListCPU([[1], [2]]), TypeError, "position 0 cannot be converted to Tensor"),
        (
            lambda: TensorListCPU([np.zeros(1), TensorCPU(np.zeros(1, np.uint8))]),
            TypeError,
            "Tensor at position 1 has type 'uint8' expected to have type 'float64'",
        ),
        (
            lambda: TensorListCPU([TensorCPU(np.zeros(1)), np.zeros((1, 1))]),
            TypeError,
            "tensor 1 has 2, and tensor 0 has 1",
        ),
        (
            lambda: TensorListCPU([TensorCPU(np.zeros(1), "A"), TensorCPU(np.zeros(1), "B")]),
            LayoutError,
            "the tensors have the layouts A, B",
        ),
        (lambda: TensorListCPU([TensorCPU(np.zeros(1))], "AB"), ArgumentError, "has 2 letters"),
        (lambda: TensorCPU(memoryview(np.zeros(1, "c16"))), ArgumentError, "no element type"),
        (lambda: TensorListCPU.from_dlpack_list([3]), TypeError, "position 0 does not support"),
        (lambda: TensorListCPU(TensorListGPU([])), TypeError, "type TensorListGPU cannot be"),
    ],
)
def test_what_is_no_tensor(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_tensors_of_the_device(device):
    """Outputs of a pipeline, on the device or its emulation, as new tensors and batches."""
    list_type, tensor_type = {
        "cpu": (TensorListCPU, TensorCPU),
        "gpu": (TensorListGPU, TensorGPU),
    }[device]
    with Pipeline(batch_size=2, num_threads=1, device_id=0 if device == "gpu" else None) as pipe:
        data = fn.external_source(lambda: numbers(), layout="AB")
        pipe.set_outputs(data.gpu() if device == "gpu" else data)
    (batch,) = pipe.run()
    pipe.close()
    again = list_type([tensor_type(tensor) for tensor in batch])
    assert again.layout() == "AB"
    assert again.pointers().tolist() == batch.pointers().tolist()
    again.reinterpret(types.INT32)
    again.set_layout("XY")
    assert again.as_cpu().as_array().tolist() == numbers().view(np.int32).tolist()
    many = list_type.broadcast(batch[1], 3)
    assert [many.as_cpu().at(i).tolist() for i in range(3)] == [numbers()[1].tolist()] * 3
    tensor = batch[0]
    assert not tensor.squeeze()
    assert tensor.ndim() == 2
    if device == "gpu":
        assert (batch.device_id(), tensor.device_id(), batch.stream) == (0, 0, None)
        assert tensor.stream is None
        assert TensorListGPU([]).device_id() == -1
