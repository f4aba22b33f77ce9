"""`lookup_table`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

TABLE = {
    "keys": (0, 2, 3, 4, 5, 3),
    "values": (0.2, 0.4, 0.5, 0.6, 0.7, 0.1),
    "default_value": 0.99,
}


class TestBytes(OperatorConformance):
    operator = "lookup_table"
    inputs = ([pixels(6 + i, 9 - i, 3, seed=i) % 8 for i in range(3)],)
    arguments = TABLE | {"dtype": types.FLOAT16}
    bad = (
        ({"keys": (1, 2)}, "2 keys and 6 values"),
        ({"keys": (-1, 2, 3, 4, 5, 6)}, "'keys' must be"),
        ({"values": (np.nan,) * 6}, "not finite"),
    )


class TestWideIntegers(OperatorConformance):
    operator = "lookup_table"
    layout = "X"
    inputs = ([np.array([-(2**40), -1, 0, 3, 4, 70000, 2**40 + i]) for i in range(3)],)
    arguments = {"keys": (3, 65535, 4), "values": (-1.5, 7, 300), "dtype": types.UINT8}


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"])
def test_every_type_of_integers(device, dtype):
    numbers = np.array([1, 4, 1, 0, 100, 2, 3, 5], dtype)
    (result,) = run("lookup_table", [numbers], **TABLE, device=device)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, [0.99, 0.6, 0.99, 0.2, 0.99, 0.4, 0.1, 0.7])


def test_no_keys_give_the_default(device):
    (result,) = run("lookup_table", [np.uint8([0, 255])], default_value=-3.0, device=device)
    assert result.tolist() == [-3, -3]


@pytest.mark.parametrize("dtype", ["f4", "bool"])
def test_only_integers_are_looked_up(device, dtype):
    with pytest.raises(ArgumentError, match="takes integers"):
        run("lookup_table", [np.zeros(3, dtype)], **TABLE, device=device)
