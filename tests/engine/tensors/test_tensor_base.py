"""The common part of batches: shapes, dtypes, rows and dense arrays, whatever holds the rows."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.tensors import PackedRows, Tensor, TensorList, TensorListCPU, TensorListGPU
from penstock.engine.tensors.alignment import empty_aligned
from penstock.engine.tensors.dtypes import DALIDataType

SHAPES = np.array([[2, 3], [1, 4]])
ROWS = [np.arange(6, dtype=np.int16).reshape(2, 3), np.arange(4, dtype=np.int16).reshape(1, 4)]


def packed():
    memory = np.zeros(64, np.uint8)
    rows = PackedRows(memory, np.array([0, 32]), SHAPES, np.dtype(np.int16))
    for i, row in enumerate(ROWS):
        rows[i][...] = row
    return TensorListCPU(rows, "HW")


def test_a_tensor_describes_its_array():
    tensor = Tensor(np.zeros((2, 3), np.float32), "HW", "a.npy")
    assert (tensor.shape(), tensor.ndim, tensor.dtype) == ([2, 3], 2, DALIDataType.FLOAT)
    assert (tensor.layout(), tensor.source_info()) == ("HW", "a.npy")
    assert repr(tensor) == "Tensor(shape=[2, 3], dtype=FLOAT, layout='HW')"
    assert np.from_dlpack(tensor).shape == (2, 3)


@pytest.mark.parametrize("batch", [packed(), TensorListCPU(ROWS, "HW")], ids=["packed", "list"])
def test_ragged_rows(batch):
    assert len(batch) == 2
    assert batch.shape() == [(2, 3), (1, 4)]
    assert batch.extents().tolist() == SHAPES.tolist()
    assert (batch.ndim, batch.dtype, batch.layout()) == (2, DALIDataType.INT16, "HW")
    assert [row.tolist() for row in batch.rows()] == [row.tolist() for row in ROWS]
    assert [tensor.shape() for tensor in batch] == [[2, 3], [1, 4]]
    assert batch.pointers().tolist() == [row.ctypes.data for row in batch.rows()]
    assert not batch.is_dense_tensor()
    message = r"differ in shape \(\(2, 3\), \(1, 4\)\).*at\(i\), or resize, crop or pad"
    with pytest.raises(ArgumentError, match=message):
        batch.dense()


def test_dense_rows_need_no_copy():
    array = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    batch = TensorListCPU(array, "HW")
    assert batch.is_dense_tensor()
    assert batch.dense() is array
    assert batch.shape() == [(2, 2)] * 3
    assert batch.extents().tolist() == [[2, 2]] * 3
    assert np.shares_memory(batch.window(range(1, 3)), array)
    assert batch.window(range(1, 3)).tolist() == array[1:].tolist()
    assert np.diff(batch.pointers().astype(np.int64)).tolist() == [4, 4]
    assert batch.as_tensor().layout() == "NHW"
    assert batch.as_reshaped_tensor([4, 3]).shape() == [4, 3]
    assert batch.data_ptr() == array.ctypes.data


def test_rows_of_one_shape_are_stacked_once():
    batch = TensorListCPU([np.ones(3), np.zeros(3)])
    before = batch.pointers()
    stacked = batch.dense()
    assert stacked.tolist() == [[1, 1, 1], [0, 0, 0]]
    assert batch.dense() is stacked
    assert np.shares_memory(batch.row(1), stacked)
    assert batch.pointers().tolist() != before.tolist()


def test_rows_of_several_types_form_no_array():
    batch = TensorListCPU([np.ones(3, np.int8), np.ones(3, np.float64)])
    with pytest.raises(ArgumentError, match=r"differ in dtype \(float64, int8\).*cast"):
        batch.as_tensor()


def test_a_batch_without_samples():
    batch = TensorListCPU([])
    assert (len(batch), batch.ndim, batch.dtype) == (0, 0, DALIDataType.NO_TYPE)
    assert batch.shape() == batch.source_info() == []
    with pytest.raises(ArgumentError, match="without samples"):
        batch.dense()


def test_locations_and_validity():
    batch = TensorListCPU(ROWS)
    assert batch.source_info() == ["", ""]
    assert batch.valid.tolist() == [True, True]
    delivered = batch.with_source_info(["a", "b"]).delivered(np.array([True, False]))
    assert delivered.source_info() == ["a", "b"]
    assert delivered[1].source_info() == "b"
    assert delivered.valid.tolist() == [True, False]


def test_a_constant_is_delivered_as_a_copy():
    constant = np.ones((2, 3))
    constant.flags.writeable = False
    delivered = TensorListCPU(constant).delivered(None)
    assert delivered.dense().flags.writeable
    assert not np.shares_memory(delivered.dense(), constant)
    array = empty_aligned((2, 3), np.float32)
    assert TensorListCPU(array).delivered(None).dense() is array


def test_another_row_leaves_the_batch_as_it_is():
    batch = TensorListCPU(np.zeros((2, 3)), "W")
    changed = batch.replaced(0, np.ones(5))
    assert [row.tolist() for row in changed.rows()] == [[1] * 5, [0] * 3]
    assert batch.dense().tolist() == [[0] * 3] * 2
    assert changed.layout() == "W"


def test_the_text_names_some_shapes():
    rows = [np.zeros(n, np.uint8) for n in (1, 2, 3, 4, 4)]
    assert repr(TensorListCPU(rows)) == (
        "TensorListCPU(5 samples, (1,), (2,), (3,), ..., dtype=UINT8, layout='')"
    )


def test_both_devices_derive_from_it():
    assert issubclass(TensorListCPU, TensorList)
    assert issubclass(TensorListGPU, TensorList)
    with pytest.raises(NotImplementedError):
        TensorList([]).as_cpu()
