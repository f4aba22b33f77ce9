"""Rows of several shapes in one block, alone and as a batch."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.tensors import PackedRows, TensorListCPU

SHAPES = np.array([[2, 3], [0, 4], [1, 1]])


def packed(dtype=np.int16):
    sizes = SHAPES.prod(axis=1)
    memory = np.arange(sizes.sum() + 1, dtype=dtype).view(np.uint8)
    offsets = (np.cumsum(sizes) - sizes + 1) * np.dtype(dtype).itemsize
    return PackedRows(memory, offsets, SHAPES, dtype)


def test_rows():
    rows = packed()
    assert len(rows) == 3
    assert rows.nbytes == 14
    assert [row.tolist() for row in rows] == [[[1, 2, 3], [4, 5, 6]], [], [[7]]]
    assert [row.shape for row in rows] == [(2, 3), (0, 4), (1, 1)]
    rows[0][0, 0] = 40  # no copy
    assert rows[0][0, 0] == 40
    assert [row.shape for row in rows[1:]] == [(0, 4), (1, 1)]
    with pytest.raises(IndexError):
        rows[3]


def test_facts_are_of_rows():
    rows = packed()
    assert dict(rows.metadata) == {}
    known = PackedRows(
        rows.memory, rows.offsets, rows.shapes, rows.dtype, {"is_even": np.arange(3) % 2 == 0}
    )
    assert known[1:].metadata["is_even"].tolist() == [False, True]


def test_a_batch():
    rows = packed()
    batch = TensorListCPU(rows, "HW")
    assert batch.shape() == [(2, 3), (0, 4), (1, 1)]
    assert (batch.extents() == SHAPES).all()
    assert (batch.dtype, batch.ndim, batch.layout()) == (types.INT16, 2, "HW")
    assert [batch.pointers()[i] for i in (0, 2)] == [rows[i].ctypes.data for i in (0, 2)]
    assert not batch.is_dense_tensor()
    assert batch.stored is rows
    assert batch[2].source_info() == ""
    assert TensorListCPU(rows, "", ["a", "b", "c"])[2].source_info() == "c"
    assert len(batch.window(range(1, 3))) == 2
    replaced = batch.replaced(1, np.zeros((5, 5), np.int16))
    assert replaced.shape() == [(2, 3), (5, 5), (1, 1)]
    assert replaced.stored.in_block() is None


def test_rows_of_one_shape_become_an_array():
    shapes = np.array([[3], [3]])
    rows = PackedRows(np.arange(8, dtype=np.uint8), np.array([0, 5]), shapes, np.uint8)
    batch = TensorListCPU(rows)
    assert batch.is_dense_tensor()
    assert batch.as_array().tolist() == [[0, 1, 2], [5, 6, 7]]
    assert batch.pointers()[1] - batch.pointers()[0] == 3
    assert batch.shape() == [(3,), (3,)]


@pytest.mark.parametrize("rows", [np.zeros((0, 3)), []])
def test_pointers_of_nothing(rows):
    assert TensorListCPU(rows).pointers().shape == (0,)


def test_pointers_of_arrays():
    dense = np.zeros((4, 2, 6), np.float32)
    assert TensorListCPU(dense[::2]).pointers().tolist() == [
        dense.ctypes.data,
        dense.ctypes.data + 96,
    ]
    apart = [np.zeros(3), np.zeros(2)]
    assert TensorListCPU(apart).pointers().tolist() == [row.ctypes.data for row in apart]


def test_rows_that_lie_end_to_end_are_one_array():
    rows = packed()
    flat = rows.flat()
    assert flat.tolist() == [1, 2, 3, 4, 5, 6, 7]
    flat[6] = 70  # no copy
    assert rows[2].tolist() == [[70]]
    assert rows[1:].flat().tolist() == [70]
    assert rows[::2].flat().tolist() == [1, 2, 3, 4, 5, 6, 70]
    assert rows[::-1].flat() is None
    assert rows[:0].flat() is None
