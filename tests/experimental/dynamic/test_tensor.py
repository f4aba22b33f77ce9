"""Tensors: construction, properties, arithmetic, slices and exchange with other libraries."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.experimental import dynamic as ndd
from penstock.tensors import TensorCPU


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (5, "i32", ()),
        (1 << 31, "u32", ()),
        (2.5, "f32", ()),
        (True, "bool", ()),
        ([1, 2, 3], "i32", (3,)),
        ([[1.5, 2], [3, 4]], "f32", (2, 2)),
        ([], "f32", (0,)),
        (range(4), "i32", (4,)),
        (np.arange(3), "i64", (3,)),
        (np.ones((2, 3)), "f64", (2, 3)),
        (np.float64(2), "f64", ()),
        (np.zeros((2, 0, 3), np.uint8), "u8", (2, 0, 3)),
        (np.ones(3, ">f4"), "f32", (3,)),
        (np.arange(12).reshape(3, 4)[::-1, ::2], "i64", (3, 2)),
        (TensorCPU(np.zeros((2, 2), np.int8), "HW"), "i8", (2, 2)),
        ([ndd.tensor(1), ndd.tensor(2)], "i32", (2,)),
    ],
)
def test_data_of_every_kind(data, dtype, shape):
    made = ndd.tensor(data)
    assert (made.dtype.name, made.shape) == (dtype, shape)
    assert made.device == ndd.Device("cpu")
    expected = np.asarray(data if not isinstance(data, range) else [*data])
    np.testing.assert_array_equal(np.asarray(made), expected)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (None, ValueError, "needs data"),
        ("text", TypeError, "not 'text'"),
        (object(), TypeError, "not elements of the type object"),
        ([[1, 2], [3]], ArgumentError, "different lengths"),
        ([1 << 40], OverflowError, "does not fit into 32 bits"),
        (np.array(["a"]), TypeError, "not elements"),
        (np.ones(2, complex), TypeError, "not elements of the type complex128"),
        (ndd.batch([1, 2]), ArgumentError, "a Batch is no tensor"),
    ],
)
def test_data_that_make_no_tensor(data, error, message):
    with pytest.raises(error, match=message):
        ndd.Tensor(data)


def test_properties():
    image = ndd.tensor(np.zeros((4, 6, 3), np.uint16), layout="HWC")
    assert (image.ndim, image.size, image.itemsize, image.nbytes) == (3, 72, 2, 144)
    assert image.layout == "HWC"
    assert image.evaluate() is image
    assert len(image) == 4
    assert ndd.tensor(3).layout is None
    with pytest.raises(ArgumentError, match="'DHWC' names 4 dimensions, but there are 3"):
        ndd.tensor(np.zeros((4, 6, 3)), layout="DHWC")


def test_numbers_of_python():
    assert [10, 20, 30][ndd.tensor(1)] == 20
    assert float(ndd.tensor([1.5])) == 1.5
    assert int(ndd.tensor(7)) == 7
    assert ndd.tensor(7).item() == 7
    assert not ndd.tensor(0)
    if ndd.tensor([2]) > 3:
        pytest.fail("2 is not above 3")
    with pytest.raises(ValueError, match="2 elements, expected 1"):
        bool(ndd.tensor([1, 2]))
    with pytest.raises(TypeError, match="no index"):
        operator.index(ndd.tensor(1.5))
    with pytest.raises(TypeError, match="no length"):
        len(ndd.tensor(1))


def test_iteration_over_the_first_axis():
    rows = [row.item() for row in ndd.tensor([5, 6, 7])]
    assert rows == [5, 6, 7]
    assert 6 in ndd.tensor([5, 6, 7])


def test_as_tensor_shares_memory_and_tensor_does_not():
    array = np.zeros((2, 3), np.float32)
    shared, copied = ndd.as_tensor(array), ndd.tensor(array)
    array[0, 0] = 7
    assert shared[0, 0].item() == 7
    assert copied[0, 0].item() == 0
    again = ndd.tensor(shared)
    array[0, 0] = 8
    assert shared[0, 0].item() == 8
    assert again[0, 0].item() == 7
    assert ndd.as_tensor(np.broadcast_to(np.float32(1), (2, 2))).shape == (2, 2)


def test_conversion():
    data = np.array([1, 1.25, 2.6, 300])
    assert np.asarray(ndd.tensor(data, dtype=ndd.uint8)).tolist() == [1, 1, 3, 255]
    assert ndd.tensor([1, 2], dtype="f16").dtype == ndd.float16
    assert ndd.float32([1, 2]).dtype == ndd.float32
    assert ndd.as_tensor(ndd.tensor(data), dtype=ndd.int32).dtype == ndd.int32
    assert ndd.as_tensor(ndd.tensor(data, layout="X"), layout="Y").layout == "Y"
    with pytest.raises(ArgumentError, match="cannot have elements of type bfloat16"):
        ndd.tensor([1.0], dtype=ndd.bfloat16)


@pytest.mark.parametrize(
    "function",
    [
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.mod),
        *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt),
        operator.ge,
    ],
)
@pytest.mark.parametrize(
    "other", [2, 2.5, [1, 2, 3], np.float32([[2], [3]]), ndd.tensor([4, 5, 6])]
)
def test_arithmetic_on_both_sides(function, other):
    numbers = np.float32([[1, 2, 3], [4, 5, 6]])
    tensor = ndd.tensor(numbers)
    for result, expected in (
        (function(tensor, other), function(numbers, np.asarray(other))),
        (function(other, tensor), function(np.asarray(other), numbers)),
    ):
        assert isinstance(result, ndd.Tensor)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6)


def test_bits_and_signs():
    numbers = np.int32([[1, 2, 3], [4, 5, 6]])
    tensor = ndd.tensor(numbers)
    for function in (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift):
        np.testing.assert_array_equal(np.asarray(function(tensor, 2)), function(numbers, 2))
        np.testing.assert_array_equal(np.asarray(function(9, tensor)), function(9, numbers))
    for sign in (operator.neg, operator.pos, operator.invert, operator.abs):
        np.testing.assert_array_equal(np.asarray(sign(tensor)), sign(numbers))
    np.testing.assert_array_equal(np.asarray(tensor**2), numbers**2)


def test_arithmetic_that_means_nothing():
    with pytest.raises(TypeError, match="None"):
        ndd.tensor(1) + None  # type: ignore[operator]
    with pytest.raises(ArgumentError, match="cannot be broadcast"):
        ndd.tensor([1, 2]) + ndd.tensor([1, 2, 3])


@pytest.mark.parametrize(
    "key",
    [
        np.s_[1],
        np.s_[-1, 2],
        np.s_[1:3, ::-1],
        np.s_[..., 0],
        np.s_[::2, None, 1:],
        np.s_[:, -3:-1, 4:0:-2],
    ],
)
def test_slices_are_those_of_numpy(key):
    numbers = np.arange(4 * 5 * 6).reshape(4, 5, 6)
    tensor = ndd.tensor(numbers, layout="ABC")
    result = tensor[key]
    np.testing.assert_array_equal(np.asarray(result), numbers[key])
    np.testing.assert_array_equal(np.asarray(result[1:]), numbers[key][1:])


def test_tensors_as_indices():
    numbers = np.arange(20).reshape(4, 5)
    tensor, index = ndd.tensor(numbers, layout="HW"), ndd.tensor(2)
    np.testing.assert_array_equal(np.asarray(tensor[index]), numbers[2])
    np.testing.assert_array_equal(np.asarray(tensor[1:index, index]), numbers[1:2, 2])
    assert tensor[index].layout == "W"
    with pytest.raises(IndexError, match="out of bounds"):
        tensor[5]
    with pytest.raises(IndexError, match="too many indices"):
        tensor[0, 0, 0]
    with pytest.raises(TypeError, match="indexed with whole numbers"):
        tensor["a"]


def test_numpy_takes_tensors():
    tensor = ndd.tensor([[1, 2], [3, 4]])
    assert np.sum(tensor) == 10
    assert np.sin(tensor).shape == (2, 2)
    assert isinstance(np.ones((2, 2)) * tensor, ndd.Tensor)
    assert np.asarray(tensor) is not np.array(tensor)
    assert np.array(tensor, np.float64).dtype == np.float64
    np.testing.assert_array_equal(np.from_dlpack(tensor), np.asarray(tensor))
    assert np.shares_memory(np.from_dlpack(tensor), np.asarray(tensor))


def test_torch_takes_and_gives_tensors():
    torch = pytest.importorskip("torch")
    given = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    tensor = ndd.as_tensor(given)
    assert tensor.dtype == ndd.float32
    given[0, 0] = 9
    assert tensor[0, 0].item() == 9
    back = tensor.torch()
    assert torch.equal(back, given)
    assert back.data_ptr() == given.data_ptr()
    assert tensor.torch(copy=True).data_ptr() != given.data_ptr()
    assert (given + 0).sum().item() == np.asarray(tensor).sum()
    assert ndd.tensor(torch.tensor(3, dtype=torch.int64)).item() == 3
    with pytest.raises(ArgumentError, match="requires grad"):
        ndd.tensor(torch.ones(2, requires_grad=True))


def test_a_tensor_outlives_what_it_was_made_of():
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.random.uniform(shape=[1000], seed=4))
        (batch,) = pipe.run()
        expected = batch.as_array()[1].copy()
        tensor = ndd.as_batch(batch).tensors[1]
        del batch
        for _ in range(5):
            pipe.run()
    np.testing.assert_array_equal(np.asarray(tensor), expected)


def test_text_of_a_tensor():
    assert repr(ndd.tensor([[1, 2], [3, 4]], layout="HW")) == (
        'Tensor(\n    [[1 2]\n     [3 4]],\n    dtype=i32,\n    device="cpu",\n'
        '    layout="HW",\n    shape=(2, 2))'
    )


def test_to_the_gpu_and_back(device_stage):
    tensor = ndd.tensor([[1, 2], [3, 4]], layout="HW")
    moved = tensor.gpu()
    assert moved.device == ndd.Device("gpu")
    assert moved.gpu() is moved
    assert (moved.layout, moved.dtype, moved.shape) == ("HW", ndd.int32, (2, 2))
    np.testing.assert_array_equal(np.asarray(moved.cpu()), np.asarray(tensor))
    assert moved.to_device("gpu", force_copy=True) is not moved
    assert (moved * 2)[1, 1].item() == 8
    with pytest.raises(TypeError, match="on the GPU"):
        np.asarray(moved)
    with pytest.raises(ArgumentError, match="Cannot mix GPU and CPU"):
        moved + tensor
    assert moved.__cuda_array_interface__["shape"] == (2, 2)
    assert not hasattr(tensor, "__cuda_array_interface__")
    assert ndd.tensor([1], device="gpu").device.device_type == "gpu"
