"""Conversion that cuts fractions off."""

import numpy as np
import pytest

from penstock.operators.elementwise.target_dtype import cut_off


def converted(values, source, target):
    out = np.empty(len(values), target)
    cut_off(np.array(values, source), out)
    return out.tolist()


@pytest.mark.parametrize("source", ["float16", "float32", "float64"])
def test_floats_to_integers(source):
    values = [-1.9, -0.5, 0.9, 2.5, 254.9, 999]
    assert converted(values, source, "uint8") == [0, 0, 0, 2, 254, 255]
    assert converted(values, source, "int8") == [-1, 0, 0, 2, 127, 127]
    assert converted([np.inf, -np.inf], source, "int64") == [2**63 - 1, -(2**63)]


def test_integers():
    assert converted([-70000, 300, 7], "int64", "uint8") == [0, 255, 7]
    assert converted([-70000, 300], "int64", "float16") == [-65504, 300]
    assert converted([70000], "uint64", "float16") == [65504]


def test_floats_become_finite():
    limit = float(np.finfo(np.float32).max)
    assert converted([1e300, -np.inf, 1.5], "float64", "float32") == [limit, -limit, 1.5]
    assert converted([np.inf], "float32", "float64") == [np.inf]


def test_bool():
    assert converted([True, False], "bool", "uint8") == [1, 0]
    assert converted([True, False], "bool", "float32") == [1.0, 0.0]
