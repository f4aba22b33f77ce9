"""Arguments and errors of single samples."""

import numpy as np
import pytest

from penstock.engine.graph.operator import OPERATORS
from penstock.engine.graph.row_arguments import (
    arguments_of_row,
    array_of,
    try_rows,
    values_of,
)
from penstock.engine.tensors import TensorListCPU

from ...operators.running import batch_of

DENSE = TensorListCPU(np.float32([[1, 2], [3, 4]]))
RAGGED = TensorListCPU([np.float32([1, 2]), np.float32([3])])


def operator():
    return OPERATORS["rotate"]("cpu", ("angle",), ("HWC",))


def test_values_a_sample_and_values_for_all():
    operator = OPERATORS["decoders.audio"]("cpu", ("offset",), ("",))
    offsets = TensorListCPU([np.float32(0.5), np.float32(1.5)])
    found = arguments_of_row(operator, {"offset": offsets, "duration": -1.0}, 1)
    assert found == {"offset": 1.5, "duration": -1.0}


def test_values_of_each_sample():
    assert values_of(operator(), "angle", 5.0, 2) == [5.0, 5.0]
    assert [list(value) for value in values_of(operator(), "angle", RAGGED, 2)] == [[1, 2], [3]]


def test_arrays_of_values():
    assert array_of(operator(), "angle", 5.0, 2).tolist() == [[5], [5]]
    assert array_of(operator(), "angle", DENSE, 2).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="inhomogeneous"):
        array_of(operator(), "angle", RAGGED, 2)


def test_errors_of_rows_are_entered():
    batch = batch_of(3)
    assert try_rows(batch, [0, 1, 2], lambda row: 1 / (row - 1)) == [1]
    assert isinstance(batch.errors[1], ZeroDivisionError)
