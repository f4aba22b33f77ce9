import itertools

import numpy as np
import pytest

from penstock.operators.elementwise.promotion import promote, promote_all, promote_to_float

NAMES = [
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64"),
]


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("uint8", "uint8", "uint8"),
        ("uint8", "uint32", "uint32"),
        ("int8", "uint8", "int16"),
        ("int32", "uint8", "int32"),
        ("int8", "uint32", "int64"),
        ("int64", "uint64", "int64"),
        ("int64", "float16", "float16"),
        ("float64", "float32", "float64"),
        ("bool", "uint16", "uint16"),
        ("bool", "bool", "bool"),
    ],
)
def test_pairs(left, right, result):
    assert promote(np.dtype(left), np.dtype(right)) == result


@pytest.mark.parametrize(("left", "right"), list(itertools.combinations(NAMES, 2)))
def test_order_does_not_matter(left, right):
    a, b = np.dtype(left), np.dtype(right)
    assert promote(a, b) == promote(b, a)


def test_several_types():
    assert promote_all([np.dtype("int8"), np.dtype("uint8"), np.dtype("int16")]) == "int16"


def test_integers_become_float32():
    assert promote_to_float([np.dtype("int64"), np.dtype("uint8")]) == "float32"
    assert promote_to_float([np.dtype("int64"), np.dtype("float64")]) == "float64"
