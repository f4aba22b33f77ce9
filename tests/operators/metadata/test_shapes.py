import numpy as np

from penstock.engine.tensors import dtypes as types
from penstock.operators.metadata.shapes import Shapes
from penstock.tests.operators.running import apply, batch_of, tensors


def test_shape() -> None:
    result = apply(Shapes, np.zeros((2, 3, 4)))
    assert result.dtype == np.int64
    assert result.tolist() == [2, 3, 4]
    assert apply(Shapes, np.float32(1)).shape == (0,)


def test_type() -> None:
    assert apply(Shapes, np.zeros(2), dtype=types.FLOAT).dtype == np.float32
    assert apply(Shapes, np.zeros(2), type=types.INT32).dtype == np.int32


def test_batch() -> None:
    result = Shapes("cpu", (), ("HW",)).batch(
        batch_of(2), tensors(np.zeros((2, 3)), np.zeros((4, 5)))
    )
    assert result.tolist() == [[2, 3], [4, 5]]
