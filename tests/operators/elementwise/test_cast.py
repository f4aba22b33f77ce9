import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.tensors import dtypes as types
from penstock.operators.elementwise.cast import Cast, CastLike
from penstock.tests.operators.running import apply, array, batch_of, dense, tensors


def test_cast() -> None:
    result = apply(Cast, array("float32", [1.5, -3, 400]), dtype=types.UINT8)
    assert result.dtype == np.uint8
    assert result.tolist() == [2, 0, 255]


def test_same_type_passes_through() -> None:
    image = np.zeros((2, 3), np.uint8)
    assert apply(Cast, image, dtype=np.uint8) is image


def test_type_must_be_given() -> None:
    with pytest.raises(ArgumentError, match="'dtype' must be given"):
        Cast("cpu", (), ("",))


def test_like() -> None:
    result = apply(CastLike, array("float64", [1.5, -3]), np.zeros(1, np.int16))
    assert result.dtype == np.int16
    assert result.tolist() == [2, -3]


def test_batches() -> None:
    operator = Cast("cpu", (), ("X",), dtype=types.INT32)
    result = operator.batch(batch_of(2), dense(array("float32", [[0.5], [1.4]])))
    assert result.as_array().tolist() == [[1], [1]]
    assert result.layout() == "X"
    ragged = operator.batch(
        batch_of(2), tensors(array("float32", [0.5]), array("float32", [1.4, 2]))
    )
    assert [ragged.at(i).tolist() for i in range(2)] == [[1], [1, 2]]
