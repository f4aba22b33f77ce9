import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.random.choice import Choice
from penstock.tests.operators.goodness import chi_square
from penstock.tests.operators.running import array, batch_of, dense, per_batch, tensors


def draw(a, size=3000, layout="", **arguments):
    data = {k: v for k, v in arguments.items() if hasattr(v, "row")}
    constants = {k: v for k, v in arguments.items() if k not in data}
    operator = Choice("cpu", tuple(data), (layout,), **constants)
    source = a if hasattr(a, "row") else dense(np.broadcast_to(a, (size, *np.shape(a))))
    return operator.batch(batch_of(size), source, **per_batch(operator, data))


def test_numbers_below_a_scalar():
    numbers = draw(np.uint8(4)).as_array()
    assert numbers.dtype == np.uint8
    assert chi_square(np.bincount(numbers, minlength=4), [750] * 4) < 16.3


def test_elements():
    numbers = draw(array("float32", [0.5, 2.5]), 10, shape=(2, 3)).as_array()
    assert numbers.shape == (10, 2, 3)
    assert set(numbers.ravel().tolist()) == {0.5, 2.5}


def test_probabilities():
    numbers = draw(np.int32(4), p=[0.1, 0.0, 0.6, 0.3]).as_array()
    counts = np.bincount(numbers, minlength=4)
    assert counts[1] == 0
    assert chi_square(counts[[0, 2, 3]], [300, 1800, 900]) < 13.8


def test_by_sample():
    source = tensors(array("int32", [5]), array("int32", [6, 7]))
    p = tensors(array("float32", [1]), array("float32", [0, 1]))
    assert draw(source, 2, p=p).as_array().tolist() == [5, 7]


def test_rows_of_a_matrix():
    matrix = np.arange(12).reshape(4, 3)
    rows = draw(matrix, 5, layout="HW", shape=(2,))
    assert rows.shape() == [(2, 3)] * 5
    assert rows.layout() == "HW"
    assert {tuple(row) for row in rows.as_array().reshape(-1, 3)} <= {tuple(r) for r in matrix}
    assert draw(matrix, 5, layout="HW").layout() == "W"


@pytest.mark.parametrize(
    ("a", "arguments", "text"),
    [
        (np.float32(5), {}, "must be an integer"),
        (np.int32(0), {}, "0 elements"),
        (np.int32(-5), {}, "-5 elements"),
        (np.int32(3), {"p": [0.5, 0.5]}, "2 probabilities for 3 elements"),
        (np.int32(2), {"p": [0.5, 0.4]}, "add up to 1"),
        (np.int32(2), {"p": [-1, 2]}, "from 0 to 1"),
    ],
)
def test_bad_arguments(a, arguments, text):
    with pytest.raises(ArgumentError, match=text):
        draw(a, 2, **arguments)
