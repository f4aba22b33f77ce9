"""Batches in another shape or type, in the memory that they have."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.geometry.same_memory import in_shapes

DENSE = [np.arange(6, dtype=np.int32) + i for i in range(2)]
RAGGED = [np.arange(6, dtype=np.int32), np.arange(4, dtype=np.int32)]


def values(data):
    return [np.array(row).tolist() for row in data.as_cpu().rows()]


@pytest.mark.parametrize("alike", [True, False])
def test_dense_samples_stay_dense(gpu_batch, alike):
    batch, [data] = gpu_batch(DENSE)
    result = in_shapes(batch, data, lambda i, shape: (2, 3), alike=alike)
    assert result.is_dense_tensor()
    assert result.data_ptr() == data.data_ptr()
    assert values(result) == [row.reshape(2, 3).tolist() for row in DENSE]


def test_dense_samples_may_become_ragged(gpu_batch):
    batch, [data] = gpu_batch(DENSE)
    result = in_shapes(batch, data, lambda i, shape: [(2, 3), (6, 1)][i], alike=False)
    assert result.pointers().tolist() == data.pointers().tolist()
    assert result.shape() == [(2, 3), (6, 1)]
    assert values(result)[1] == DENSE[1].reshape(6, 1).tolist()


def test_ragged_samples_keep_their_places(gpu_batch):
    batch, [data] = gpu_batch(RAGGED)
    result = in_shapes(batch, data, lambda i, shape: (2, shape[0] // 2), alike=True)
    assert result.pointers().tolist() == data.pointers().tolist()
    assert values(result) == [row.reshape(2, -1).tolist() for row in RAGGED]


def test_samples_of_several_numbers_of_dimensions(gpu_batch):
    batch, [data] = gpu_batch(RAGGED)
    result = in_shapes(batch, data, lambda i, shape: [(6,), (2, 2)][i], alike=False)
    assert values(result) == [RAGGED[0].tolist(), RAGGED[1].reshape(2, 2).tolist()]
    assert result.pointers().tolist() == data.pointers().tolist()


@pytest.mark.parametrize("rows", [DENSE, RAGGED])
def test_the_same_bytes_as_another_type(gpu_batch, rows):
    batch, [data] = gpu_batch(rows)
    result = in_shapes(
        batch, data, lambda i, shape: (shape[0] * 2,), alike=True, dtype=np.dtype(np.int16)
    )
    assert values(result) == [row.view(np.int16).tolist() for row in rows]


def test_shapes_are_asked_for_once_if_they_depend_on_the_shape_alone(gpu_batch):
    batch, [data] = gpu_batch(DENSE * 3)
    asked = []

    def shape_of(i, shape):
        asked.append(i)
        return shape

    in_shapes(batch, data, shape_of, alike=True)
    assert asked == [0]
    in_shapes(batch, data, shape_of, alike=False)
    assert asked == [0, *range(6)]


def test_a_row_that_fails_is_empty_and_its_error_is_in_the_batch(gpu_batch):
    batch, [data] = gpu_batch(RAGGED)

    def shape_of(i, shape):
        if i == 1:
            raise ValueError("no such shape")
        return 2, 3

    result = in_shapes(batch, data, shape_of, alike=False)
    assert list(batch.errors) == [1]
    assert result.shape() == [(2, 3), (0, 0)]
