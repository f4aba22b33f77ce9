"""Rows lie in one slab where they are alike; results of operators become tuples of batches."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.engine.tensors import TensorListCPU
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.tensors.results import BatchRows, as_results, as_tensor_list, row_of


def stored_rows(dense_hint):
    return BatchRows(4, SlabPool(shared=False).empty, dense_hint)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (300, 300)])
@pytest.mark.parametrize("dense", [True, False])
def test_rows_of_one_shape(shape, dense):
    rows = stored_rows(dense)
    for i in (2, 0, 3):
        own = rows.empty(i, shape, np.float32)
        own[...] = i
        assert rows.store_row(i, own, own) is own
    rows.store_row(1, np.full(shape, 1, np.float32), None)
    result = rows.finish("")
    assert rows.row_type == (shape, np.float32)
    assert result.as_array().shape == (4, *shape)
    assert all((result.at(i) == i).all() for i in range(4))
    assert np.shares_memory(rows.row(1), result.at(1)) or not (dense and shape != (0,))


def test_rows_of_several_shapes_and_types():
    rows = stored_rows(dense_hint=True)
    arrays = [np.ones(3), np.ones(2), np.ones(3, np.int8), np.ones((1, 3))]
    for i, array in enumerate(arrays):
        rows.store_row(i, array, None)
    result = rows.finish("X")
    assert rows.row_type is None
    for i, array in enumerate(arrays):
        assert (result.at(i).shape, result.at(i).dtype) == (array.shape, array.dtype)
        assert not np.shares_memory(result.at(i), array)


def test_rows_that_failed_stay_empty():
    rows = stored_rows(dense_hint=True)
    rows.store_row(1, np.ones(3), None)
    assert rows.row_type == ((3,), np.float64)
    assert rows.row(0) is None


def test_rows_of_another_process_are_adopted():
    rows = stored_rows(dense_hint=True)
    slab = rows.slab((2,), np.float32)
    slab[...] = np.arange(8).reshape(4, 2)
    rows.adopt_from_slab([0, 1, 3])
    assert rows.row(3).tolist() == [6, 7]
    assert not rows.ragged
    rows.adopt(2, np.zeros(5))
    assert rows.ragged
    assert rows.finish("").shape() == [(2,), (2,), (5,), (2,)]


def test_a_row_of_numbers_is_an_array():
    assert row_of(np.arange(3), 1).shape == ()


def test_results_are_counted():
    assert as_results(None, 0) == ()
    assert as_results(5, 1) == (5,)
    assert as_results((5, 6), 2) == (5, 6)
    for result, count in [((), 1), ((1, 2), 1), (1, 2), (1, 0)]:
        with pytest.raises(ArgumentError, match=f"has {count} outputs"):
            as_results(result, count)


def test_what_batch_operators_return_becomes_a_list():
    given = TensorListCPU(np.zeros(4), "X")
    assert as_tensor_list(given, 4, "Y") is given
    assert as_tensor_list(np.zeros((4, 2)), 4, "Y").layout() == "Y"
    assert as_tensor_list([np.zeros(i) for i in range(4)], 4, "").shape()[3] == (3,)
    with pytest.raises(ArgumentError, match="3 samples for a batch of 4"):
        as_tensor_list(np.zeros(3), 4, "")
