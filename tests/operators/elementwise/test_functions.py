"""The table of arithmetic functions: dtypes, and results of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.elementwise.functions import FUNCTIONS, zero_division


def computed(name, *operands):
    arrays = [np.asarray(operand) for operand in operands]
    common, result = FUNCTIONS[name].types(tuple(array.dtype for array in arrays))
    out = np.empty(np.broadcast_shapes(*(array.shape for array in arrays)), result)
    FUNCTIONS[name].compute(arrays, common, out)
    return out


@pytest.mark.parametrize(
    ("name", "operands", "result"),
    [
        ("floordiv", ([-7, 7], [2, -2]), [-3, -3]),
        ("mod", ([-7, 7], [2, -2]), [-1, 1]),
        ("pow", ([2, 3], [-1, 2]), [0, 9]),
        ("clamp", ([1, 5, 9], [2], [8]), [2, 5, 8]),
        ("lt", (np.uint64([2**63]), np.int64([-1])), [False]),
    ],
)
def test_integers(name, operands, result):
    assert computed(name, *operands).tolist() == result


def test_integers_divided_are_float32():
    assert computed("truediv", np.int32([1]), np.int32([2])).dtype == np.float32


def test_a_zero_divisor_is_an_error_for_integers_alone():
    with pytest.raises(ZeroDivisionError, match=str(zero_division())):
        computed("mod", [1], [0])
    with np.errstate(all="ignore"):
        assert np.isnan(computed("mod", [1.0], [0.0])).all()


@pytest.mark.parametrize(
    ("name", "dtypes", "message"),
    [
        ("add", ("?", "?"), "booleans alone"),
        ("and", ("f4", "i4"), "integers only"),
        ("sqrt", ("f4", "f4"), "takes 1 operands"),
    ],
)
def test_dtypes_that_do_not_fit(name, dtypes, message):
    with pytest.raises(ArgumentError, match=message):
        FUNCTIONS[name].types(tuple(map(np.dtype, dtypes)))
