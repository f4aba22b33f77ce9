"""Arguments, memory and errors of operators that work on a whole batch."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.tensors import TensorListCPU
from penstock.operators.common.batch_arguments import (
    empty_rows,
    made_of_arguments,
    numbers_of,
    padded_numbers,
    why_not,
)
from penstock.operators.warp.rotate import Rotate

from ..running import batch_of

DENSE = TensorListCPU(np.float32([[1, 2], [3, 4]]))
RAGGED = TensorListCPU([np.float32([1, 2]), np.float32([3])])


def operator():
    return Rotate("cpu", ("angle",), ("HWC",))


def test_memory_is_one_array_for_equal_shapes():
    batch = batch_of(2)
    assert empty_rows(batch, [(2, 3)] * 2, np.dtype("f4")).shape == (2, 2, 3)
    assert [row.shape for row in empty_rows(batch, [(2,), (3,)], np.dtype("f4"))] == [(2,), (3,)]


@pytest.mark.parametrize("angle", [5.0, TensorListCPU(np.float32([5, 5, 5]))])
def test_what_is_made_of_arguments(angle):
    batch, calls = batch_of(3), []

    def make(angle):
        calls.append(angle)
        return np.max(angle)

    results, usable = made_of_arguments(operator(), batch, {"angle": angle}, make, None)
    assert results == [5.0] * 3
    assert len(calls) == (3 if isinstance(angle, TensorListCPU) else 1)
    assert usable.all()


def test_errors_of_what_is_made_of_arguments():
    def make(angle):
        if np.max(angle) > 4:
            raise ArgumentError(f"{angle}")
        return np.max(angle)

    batch, angles = batch_of(3), TensorListCPU(np.float32([3, 5, 4]))
    made = made_of_arguments(operator(), batch, {"angle": angles}, make, 0.0)
    assert made[0] == [3, 0, 4]
    assert made[1].tolist() == [True, False, True]
    assert list(batch.errors) == [1]

    batch = batch_of(3)
    assert not made_of_arguments(operator(), batch, {"angle": 9.0}, make, 0.0)[1].any()
    assert len(set(map(id, batch.errors.values()))) == 3


def test_numbers_are_padded():
    table, counts = padded_numbers(RAGGED, 2)
    assert table.tolist() == [[1, 2], [3, 0]]
    assert counts.tolist() == [2, 1]
    for value, width in ((DENSE, 2), ((1.0, 2.0, 3.0), 3), (7.0, 1), ((), 0)):
        table, counts = padded_numbers(value, 2)
        assert table.shape == (2, width)
        assert counts.tolist() == [width] * 2


def test_padded_numbers_have_columns_for_those_that_are_missing():
    for value, wanted in ((RAGGED, [[1, 2, 0], [3, 0, 0]]), (7.0, [[7, 0, 0]] * 2), (DENSE, None)):
        table, counts = padded_numbers(value, 2, 3)
        assert table.tolist() == (wanted or [[1, 2, 0], [3, 4, 0]])
        assert counts.max() < 3
    assert padded_numbers(DENSE, 2, 1)[0].shape == (2, 2)


def test_numbers_with_another_width_are_nan():
    assert numbers_of(7, 2, 2).tolist() == [[7, 7], [7, 7]]
    assert numbers_of(RAGGED, 2, 2).tolist() == [[1, 2], [3, 3]]
    assert np.isnan(numbers_of(DENSE, 2, 3)).all()


def test_the_error_of_the_cpu():
    arguments = {"angle": (1.0, 2.0), "axis": None, "size": ()}
    error = why_not(operator(), batch_of(1), 0, (4, 5, 3), np.uint8, arguments)
    assert isinstance(error, ArgumentError)
    assert "angle has 2 values" in str(error)
