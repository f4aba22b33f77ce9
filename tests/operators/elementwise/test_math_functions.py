"""`penstock.math`: each function of a node, against Python's own module."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import penstock
from penstock import ArgumentError, Pipeline, fn
from penstock.operators.elementwise import math_functions

ONE = {
    "abs": abs,
    "fabs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "cbrt": lambda x: x ** (1 / 3),
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "atanh": math.atanh,
}
TWO = {"min": min, "max": max, "pow": pow, "fpow": pow, "atan2": math.atan2}
POINT = 0.3125


def compute(function, *operands, dtype=np.float32):
    """Return the function of nodes that hold these numbers."""
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        nodes = [
            fn.external_source(partial(list, [np.array(operand, dtype)])) for operand in operands
        ]
        pipe.set_outputs(function(*nodes))
        return pipe.run()[0].at(0)


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_number(name):
    result = compute(getattr(penstock.math, name), POINT)
    assert result.dtype == np.float32
    assert result == pytest.approx(ONE[name](POINT), rel=1e-6)


def test_acosh_begins_at_1():
    assert compute(penstock.math.acosh, 2) == pytest.approx(math.acosh(2), rel=1e-6)


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_numbers(name):
    result = compute(getattr(penstock.math, name), POINT, 2.5)
    assert result == pytest.approx(TWO[name](POINT, 2.5), rel=1e-6)


@pytest.mark.parametrize(("value", "result"), [(-3, 0), (1, 1), (9, 2)])
def test_clamp(value, result):
    assert compute(lambda x: penstock.math.clamp(x, 0, 2), value, dtype=np.int16) == result


def test_every_function_of_the_module_is_tested():
    public = {
        name
        for name, function in vars(math_functions).items()
        if not name.startswith("_")
        and getattr(function, "__module__", "") == math_functions.__name__
    }
    assert public == {*ONE, *TWO, "acosh", "clamp"}


@pytest.mark.parametrize("name", ["sqrt", "sin", "floor", "fpow"])
def test_integers_become_float32(name):
    operands = (4, 3) if name == "fpow" else (4,)
    assert compute(getattr(penstock.math, name), *operands, dtype=np.int32).dtype == np.float32


@pytest.mark.parametrize("name", ["abs", "min", "max", "pow"])
def test_these_keep_integers(name):
    operands = (4,) if name == "abs" else (4, 3)
    result = compute(getattr(penstock.math, name), *operands, dtype=np.int16)
    assert result.dtype == np.int16


def test_numbers_and_arrays_may_be_operands():
    assert compute(lambda x: penstock.math.max(3, x), 2) == 3
    assert compute(lambda x: penstock.math.min(x, np.array([1, 5])), 2).tolist() == [1, 2]


def test_numbers_alone_are_refused():
    message = r"math\.sqrt computes with data of the pipeline, but was given \(4,\); use Python's"
    with pytest.raises(ArgumentError, match=message):
        penstock.math.sqrt(4)
