from typing import Any

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.geometry.join import Cat, Stack
from penstock.tests.operators.running import apply, array, batch_of, dense, tensors

A, B = np.arange(6).reshape(2, 3), np.arange(6, 12).reshape(2, 3)


def test_stack_and_cat() -> None:
    np.testing.assert_array_equal(apply(Stack, A, B, axis=1), np.stack([A, B], 1))
    np.testing.assert_array_equal(
        apply(Cat, A, B[:, :1], axis=-1), np.concatenate([A, B[:, :1]], 1)
    )


@pytest.mark.parametrize(
    ("kind", "inputs", "arguments", "text"),
    [
        (Stack, (A, B[0]), {}, "agree in dtype and number of dimensions"),
        (Stack, (A, B[:1]), {}, "one shape to be stacked"),
        (Stack, (A, B.astype(np.uint8)), {}, "input 1 is uint8"),
        (Stack, (A, B), {"axis": 3}, "not from -2 to 2"),
        (Stack, (A, B), {"axis_name": "AB"}, "single letter"),
        (Cat, (A, B[:, :1]), {}, "along axis 0 only"),
        (Cat, (A, B), {"axis": 2}, "not from -2 to 1"),
        (Cat, (np.int64(1), np.int64(2)), {}, "inputs of 0 dimensions"),
        (Cat, (A, B), {"axis": 0, "axis_name": "H"}, "axis and axis_name exclude one another"),
        (Cat, (A, B), {"axis_name": "H"}, "no axis 'H'"),
    ],
)
def test_bad_inputs(kind: Any, inputs: Any, arguments: Any, text: Any) -> None:
    with pytest.raises(ArgumentError, match=text):
        apply(kind, *inputs, **arguments)


def test_layouts_must_agree_to_name_an_axis() -> None:
    with pytest.raises(ArgumentError, match="layouts differ"):
        Cat("cpu", (), ("HW", "WH"), axis_name="W")
    with pytest.raises(ArgumentError, match="layouts differ"):
        Stack("cpu", (), ("HW", "WH"), axis_name="C").output_layouts()
    assert Stack("cpu", (), ("HW", ""), axis=2, axis_name="C").output_layouts() == ("HWC",)


def test_stack_batches() -> None:
    operator = Stack("cpu", (), ("", ""))
    result = operator.batch(batch_of(2), dense([1, 2]), dense([3, 4]))
    assert result.as_array().tolist() == [[1, 3], [2, 4]]
    one = tensors(array("int32", [1]), array("int32", [1, 2]))
    ragged = operator.batch(batch_of(2), one, one)
    assert ragged.shape() == [(2, 1), (2, 2)]
