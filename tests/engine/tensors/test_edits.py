"""Tensors and batches that are changed in place."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, types
from penstock.engine.tensors import PackedRows, TensorCPU, TensorListCPU


def ragged():
    rows = [np.arange(2, dtype=np.int32), np.arange(3, dtype=np.int32)]
    memory = np.concatenate(rows).view(np.uint8)
    packed = PackedRows(memory, np.array([0, 8]), np.array([[2], [3]]), np.int32)
    return rows, packed


@pytest.mark.parametrize("form", ["dense", "list", "packed"])
def test_the_elements_of_every_form_of_batch_are_reinterpreted(form):
    rows, packed = ragged()
    data = {"dense": np.stack([rows[0]] * 2), "list": rows, "packed": packed}[form]
    batch = TensorListCPU(data, "X")
    before = batch.pointers().tolist()
    batch.reinterpret(types.UINT32)
    assert batch.dtype == types.UINT32
    assert [row.dtype for row in batch.rows()] == [np.uint32] * 2
    assert batch.pointers().tolist() == before
    with pytest.raises(ArgumentError, match="different size: 8 bytes for 4"):
        batch.reinterpret(types.FLOAT64)


@pytest.mark.parametrize(
    ("shape", "dim", "layout", "left"),
    [
        ((3, 5, 6), None, "ABC", "ABC"),
        ((3, 1, 6), None, "ABC", "AC"),
        ((3, 1, 6), -2, "ABC", "AC"),
        ((1, 1, 6), 1, "ABC", "AC"),
        ((1, 1, 1), None, "ABC", ""),
        ((1, 5, 1), 1, "ABC", "ABC"),
        ((1, 5, 1), None, "", ""),
    ],
)
def test_dimensions_of_extent_one_are_removed(shape, dim, layout, left):
    array = np.arange(np.prod(shape)).reshape(shape)
    tensor = TensorCPU(array, layout)
    changes = 1 in (shape if dim is None else (shape[dim],))
    assert tensor.squeeze(dim) is changes
    assert tensor.layout() == left
    assert tensor.ndim == tensor.ndim() == len(tensor.shape())
    assert np.array(tensor).ravel().tolist() == array.ravel().tolist()


@pytest.mark.parametrize("dim", [3, -4])
def test_a_dimension_that_is_not_there_cannot_be_removed(dim):
    with pytest.raises(ArgumentError, match=f"no dimension {dim} in a tensor of 3 dimensions"):
        TensorCPU(np.zeros((1, 1, 1))).squeeze(dim)


def test_a_layout_has_a_letter_for_each_dimension():
    batch = TensorListCPU(np.zeros((2, 3, 4)))
    batch.set_layout("HW")
    assert batch.layout() == batch[0].layout() == "HW"
    batch.set_layout(None)
    assert batch.layout() == ""
    for change in (batch.set_layout, TensorCPU(np.zeros((3, 4))).set_layout):
        with pytest.raises(ArgumentError, match="has 3 letters, but there are 2 dimensions"):
            change("HWC")
    with pytest.raises(ArgumentError, match="has 3 letters"):
        TensorCPU(np.zeros((3, 4)), "HWC")


def test_properties():
    tensor = TensorCPU(np.zeros(3), "X", "a.jpg")
    assert tensor.get_property("layout") == "X"
    assert tensor.get_property("source_info") == "a.jpg"
    assert tensor.get_property("color") is None
    assert TensorCPU(np.zeros(3)).get_property("layout") is None


def test_a_batch_loses_all_that_it_had():
    batch = TensorListCPU(np.zeros((2, 3)), "X", ["a", "b"], np.array([True, False]))
    batch.reset()
    assert (len(batch), batch.layout(), batch.source_info(), batch.shape()) == (0, "", [], [])
    assert (batch.dtype, batch.ndim(), batch.valid.tolist()) == (types.NO_TYPE, 0, [])


def test_samples_are_numbered_from_both_ends():
    batch = TensorListCPU([np.full(1, i) for i in range(3)], "", ["a", "b", "c"])
    assert [batch.at(i).item() for i in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    assert batch[-1].source_info() == "c"
    for i in (3, -4):
        with pytest.raises(IndexError, match=f"sample {i} is out of range: the batch has 3"):
            batch[i]
        with pytest.raises(IndexError, match="out of range"):
            batch.at(i)
