"""The arrays that constants are."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, types
from penstock.engine.graph.constants import ConstantOperator, constant_array


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(1, "int32"), (1.5, "float32"), (True, "bool"), (np.int64(1), "int64"), ([1, 2.0], "float32")],
)
def test_numbers_have_the_types_of_pipelines(value, dtype):
    assert constant_array(value).dtype == dtype


def test_a_type_that_is_asked_for():
    assert constant_array([1, 300], types.UINT8).tolist() == [1, 44]
    with pytest.raises(ArgumentError, match="cannot hold 4294967296; say which type"):
        constant_array(2**32)
    assert constant_array(2**32, types.INT64) == 2**32


def test_shapes():
    assert constant_array([1, 2], shape=(2, 1)).tolist() == [[1], [2]]
    assert constant_array(5, shape=(2,)).tolist() == [5, 5]
    with pytest.raises(ArgumentError, match="must not be negative"):
        constant_array(5, shape=(-1, -2))


def test_an_operator_repeats_its_value():
    class Three:
        size = 3

    operator = ConstantOperator(value=np.array([1, 2]), layout="X")
    assert operator.batch(Three).tolist() == [[1, 2]] * 3
    assert operator.output_layouts() == ("X",)
    with pytest.raises(ArgumentError, match="a letter names two dimensions"):
        ConstantOperator(value=np.zeros((1, 1)), layout="XX")
