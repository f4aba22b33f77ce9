"""`types.Constant`: types, shapes and layouts of constants."""

import numpy as np
import pytest

from penstock import pipeline_def, types
from penstock.engine.errors import ArgumentError


def output(define):
    with pipeline_def(define, batch_size=2, num_threads=1)() as pipe:
        (result,) = pipe.run()
        return result


@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int64", "float16", "float64"])
def test_conversions(name):
    result = output(lambda: getattr(types.Constant([0, 2], layout="X"), name)())
    expected = np.array([[0, 2]] * 2).astype(name)
    np.testing.assert_array_equal(result.as_array(), expected, strict=True)
    assert result.layout() == "X"


def test_shape():
    shaped = output(lambda: types.Constant([1, 2, 3, 4], shape=[2, 2]))
    assert shaped.as_array().tolist() == [[[1, 2], [3, 4]]] * 2
    broadcast = output(lambda: types.Constant([1, 2], shape=(2, 2)))
    assert broadcast.as_array().tolist() == [[[1, 2], [1, 2]]] * 2
    with pytest.raises(ArgumentError, match=r"\(3,\) does not fill the shape \(2, 2\)"):
        output(lambda: types.Constant([1, 2, 3], shape=(2, 2)))


@pytest.mark.parametrize("value", ["a", None, object()])
def test_no_numbers(value):
    with pytest.raises(ArgumentError, match="not an array of numbers"):
        output(lambda: types.Constant(value))
