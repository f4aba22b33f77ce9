"""Batches as arrays, row by row, and through DLPack."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from penstock import ArgumentError, types
from penstock.engine.tensors import TensorCPU, TensorListCPU


def dense():
    return TensorListCPU(np.arange(24, dtype=np.float32).reshape(2, 3, 4), "HW", ["a", "b"])


def ragged():
    return TensorListCPU([np.zeros((2, 3), np.uint8), np.ones((1, 3), np.uint8)], "HW")


def test_a_dense_batch():
    batch = dense()
    assert (len(batch), batch.shape(), batch.ndim, batch.dtype) == (2, [(3, 4)] * 2, 2, types.FLOAT)
    assert (batch.layout(), batch.source_info(), batch.valid.tolist()) == (
        "HW",
        ["a", "b"],
        [True, True],
    )
    assert batch.is_dense_tensor()
    assert np.shares_memory(batch.as_array(), batch.at(1))
    assert np.shares_memory(np.asarray(batch), batch.as_array())
    assert np.shares_memory(np.from_dlpack(batch), batch.as_array())
    assert batch.as_tensor().layout() == "NHW"
    assert batch.as_tensor().shape() == [2, 3, 4]
    assert batch.as_reshaped_tensor([4, 6]).shape() == [4, 6]
    assert batch.data_ptr() == batch.as_array().ctypes.data
    assert batch.as_cpu() is batch
    assert repr(batch) == "TensorListCPU(2 samples, (3, 4), dtype=FLOAT, layout='HW')"


def test_a_ragged_batch():
    batch = ragged()
    assert batch.shape() == [(2, 3), (1, 3)]
    assert (batch.dtype, batch.ndim) == (types.UINT8, 2)
    assert batch.source_info() == ["", ""]
    assert not batch.is_dense_tensor()
    for method in (batch.as_array, batch.as_tensor, batch.data_ptr, lambda: np.asarray(batch)):
        with pytest.raises(ArgumentError, match=r"differ in shape \(\(2, 3\), \(1, 3\)\)"):
            method()


def test_rows_apart_are_stacked_once():
    batch = TensorListCPU([np.zeros(3), np.ones(3)])
    assert batch.is_dense_tensor()
    assert batch.as_array().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert batch.as_array() is batch.as_array()
    assert np.shares_memory(batch.at(0), batch.as_array())


@pytest.mark.parametrize("rows", [np.arange(3.0), [np.array(float(i)) for i in range(3)]])
def test_numbers_are_arrays_without_dimensions(rows):
    batch = TensorListCPU(rows)
    assert batch.shape() == [()] * 3
    for i in range(3):
        assert isinstance(batch.at(i), np.ndarray)
        assert np.from_dlpack(batch[i]) == i
        assert batch[i].shape() == []
    assert batch.as_array().tolist() == [0, 1, 2]
    assert batch.replaced(1, np.array(9.0)).as_array().tolist() == [0, 9, 2]


def test_single_tensors():
    tensor = dense()[1]
    assert isinstance(tensor, TensorCPU)
    assert (tensor.shape(), tensor.ndim, tensor.dtype) == ([3, 4], 2, types.FLOAT)
    assert (tensor.layout(), tensor.source_info()) == ("HW", "b")
    assert np.asarray(tensor)[0, 0] == 12
    assert np.asarray(tensor, np.int8).dtype == np.int8
    assert tensor.__array_interface__["data"][0] == tensor.data_ptr()
    assert tensor.as_cpu() is tensor
    assert repr(tensor) == "TensorCPU(shape=[3, 4], dtype=FLOAT, layout='HW')"
    assert [t.source_info() for t in dense()] == ["a", "b"]
    assert dense().at(-1)[0, 0] == 12


def test_torch_takes_it_without_a_copy():
    torch = pytest.importorskip("torch")
    batch = dense()
    assert torch.from_dlpack(batch).data_ptr() == batch.data_ptr()
    assert torch.from_dlpack(batch[1]).tolist() == batch.at(1).tolist()


def test_a_batch_without_samples():
    batch = TensorListCPU([])
    assert (len(batch), batch.shape(), batch.dtype, batch.ndim) == (0, [], types.NO_TYPE, 0)
    assert not batch.is_dense_tensor()
    with pytest.raises(ArgumentError, match="without samples"):
        batch.as_array()


def test_origins_are_noted_on_a_copy():
    batch = TensorListCPU(np.zeros((2, 3)))
    delivered = batch.with_source_info(["x", "y"]).delivered(np.array([True, False]))
    assert (delivered.source_info(), delivered.valid.tolist()) == (["x", "y"], [True, False])
    assert batch.source_info() == ["", ""]
    assert dense().with_source_info(["x", "y"]).source_info() == ["a", "b"]  # of the operator


@pytest.mark.parametrize("address", [int, ctypes.c_void_p])
def test_copy_to_an_address(address):
    target = np.zeros((2, 3), np.int16)
    batch = TensorListCPU(np.arange(6, dtype=np.int16).reshape(3, 2).T)
    batch.copy_to_external(address(target.ctypes.data))
    np.testing.assert_array_equal(target, batch.as_array())
    batch[1].copy_to_external(address(target.ctypes.data))
    assert target[0].tolist() == [1, 3, 5]
