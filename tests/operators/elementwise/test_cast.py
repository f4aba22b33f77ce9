from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.operators.elementwise.cast import Cast, CastLike
from penstock.testing.agreement import agree
from penstock.tests.operators.running import apply, array, batch_of, dense, tensors


def test_cast():
    result = apply(Cast, array("float32", [1.5, -3, 400]), dtype=types.UINT8)
    assert result.dtype == np.uint8
    assert result.tolist() == [2, 0, 255]


def test_same_type_passes_through():
    image = np.zeros((2, 3), np.uint8)
    assert apply(Cast, image, dtype=np.uint8) is image


def test_type_must_be_given():
    with pytest.raises(ArgumentError, match="'dtype' must be given"):
        Cast("cpu", (), ("",))


def test_like():
    result = apply(CastLike, array("float64", [1.5, -3]), np.zeros(1, np.int16))
    assert result.dtype == np.int16
    assert result.tolist() == [2, -3]


def test_batches():
    operator = Cast("cpu", (), ("X",), dtype=types.INT32)
    result = operator.batch(batch_of(2), dense(array("float32", [[0.5], [1.4]])))
    assert result.as_array().tolist() == [[1], [1]]
    assert result.layout() == "X"
    ragged = operator.batch(
        batch_of(2), tensors(array("float32", [0.5]), array("float32", [1.4, 2]))
    )
    assert [ragged.at(i).tolist() for i in range(2)] == [[1], [1, 2]]


# `cast` and `cast_like` on the GPU: every pair of types, every edge of their ranges.
TYPES = ["bool", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]


def edges(name):
    """Return numbers of a type: extremes, halves, those about the limits of other types."""
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return np.array([False, True])
    numbers = [0, 1, 2, 127, 128, 255, 256, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        numbers += [info.min, info.max, -1, -128, -129, -32769, -(2**31) - 1]
        return np.array([n for n in numbers if info.min <= n <= info.max], dtype)
    parts = [0.5, 0.49999997, 1.5, 2.5, 254.5, 255.5, 127.5, 1e5, 1e30, 1e300]
    parts += [1 + 2**-11 + 2**-40, 1 + 3 * 2**-11 - 2**-40]  # rounded to float32 before, they tie
    with np.errstate(over="ignore"):
        floats = np.array([n + 0.0 for n in numbers] + parts + [2.0**63, 2.0**64], dtype)
    return np.concatenate([floats, -floats, np.array([np.nan, np.inf, -np.inf], dtype)])


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_every_pair_of_types(device_stage, source, target):
    if not device_stage and (TYPES.index(source) + TYPES.index(target)) % 3:
        pytest.skip("the emulation compiles every pair, so it does a third of them")
    agree("cast", [edges(source)], dtype=types.to_dali_type(np.dtype(target)))


@pytest.mark.parametrize("shapes", [[(0,)], [(1, 1), (1, 7)], [(3, 5)] * 4, [(2, 3), (0, 3)]])
def test_shapes(device_stage, shapes):
    rows = [np.arange(np.prod(shape)).reshape(shape).astype(np.float32) - 3 for shape in shapes]
    agree("cast", rows, dtype=types.INT16, layout="HW" if len(shapes[0]) == 2 else "X")


def test_the_type_of_another_input(device_stage):
    agree("cast_like", [np.array([1.5, 300])] * 2, [np.zeros(1, np.uint8)] * 2)
