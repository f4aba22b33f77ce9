"""Batches of constants."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.generators.constant import ConstantData
from penstock.tests.operators.running import array, batch_of


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ({"idata": 3, "shape": [2]}, array("int32", [3, 3])),
        ({"fdata": [1.5, -2], "dtype": "uint8"}, array("uint8", [2, 0])),
        ({"fdata": 1.5, "shape": []}, np.float32(1.5)),
    ],
)
def test_constants(arguments, value):
    result = ConstantData("cpu", (), (), **arguments).batch(batch_of(2))
    np.testing.assert_array_equal(result, np.stack([value, value]))
    assert result.dtype == value.dtype


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "either idata or fdata"),
        ({"idata": 1, "fdata": 1}, "either idata or fdata"),
        ({"idata": [1, 2, 3], "shape": [2, 2]}, "do not fill"),
        ({"idata": [1, 2], "layout": "HW"}, "does not describe"),
    ],
)
def test_bad_constants(arguments, text):
    with pytest.raises(ArgumentError, match=text):
        ConstantData("cpu", (), (), **arguments)
