"""Types and values of arithmetic, against NVIDIA DALI."""

import itertools

import numpy as np
import pytest

from penstock.engine.errors import PenstockError
from penstock.operators.elementwise.arithmetic import Arithmetic
from penstock.tests.operators.running import apply
from penstock.tests.parity.oracle import dali

math = pytest.importorskip("nvidia.dali.math")

NAMES = [
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float32", "float64"),  # DALI has no float16 arithmetic on the CPU
]
PAIRS = list(itertools.product(NAMES, NAMES))
TWO = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "min": math.min,
    "max": math.max,
    "pow": lambda a, b: a**b,
    "atan2": math.atan2,
}
BITWISE = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
ONE = [
    *("abs", "fabs", "floor", "ceil", "sqrt", "cbrt", "exp", "log", "log2", "log10"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"),
    "atanh",
]


def values(name, seed, extremes):
    """Return five numbers of the type, none 0, with the integers' extremes among them."""
    dtype = np.dtype(name)
    rng = np.random.default_rng(seed)
    if dtype.kind == "f":
        return (rng.normal(size=5) * 4).astype(dtype)
    if dtype.kind == "b":
        return np.ones(5, bool)
    numbers = rng.integers(1, 7, 5).astype(dtype)
    if extremes:
        ends = np.iinfo(dtype)
        numbers[3:] = ends.max, ends.min or 1
    return numbers


def allowed(names, function):
    floating = any(n.startswith("float") for n in names)
    if function in BITWISE:
        return not floating
    return function in ("mul", "lt", "ge", "eq") or set(names) != {"bool"}


@pytest.mark.parametrize("function", [*TWO, *BITWISE])
def test_every_pair_of_types(function):
    pairs = [pair for pair in PAIRS if allowed(pair, function)]
    extremes = function not in ("mod", "pow")  # C++ defines no result, or computes in double
    left = [values(a, 1, extremes) for a, _ in pairs]
    right = [values(b, 2, extremes)[::-1].copy() for _, b in pairs]
    expressions = {**TWO, **BITWISE}
    outputs = dali(
        lambda *nodes: [expressions[function](*nodes[i : i + 2]) for i in range(0, len(nodes), 2)],
        *[[x] for pair in zip(left, right, strict=True) for x in pair],
    )
    for a, b, names, ((theirs,), _) in zip(left, right, pairs, outputs, strict=True):
        ours = apply(Arithmetic, a, b, function=function)
        assert ours.dtype == theirs.dtype, names
        np.testing.assert_allclose(ours, theirs, rtol=3e-6, err_msg=f"{names} {a} {b}")


@pytest.mark.parametrize("function", ONE)
def test_functions_of_one_operand(function):
    operands = [values(name, 3, True) for name in NAMES if name != "bool"]
    outputs = dali(lambda *n: [getattr(math, function)(x) for x in n], *[[x] for x in operands])
    for operand, ((theirs,), _) in zip(operands, outputs, strict=True):
        ours = apply(Arithmetic, operand, function=function)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=3e-6, atol=1e-6)


def test_clamp_of_three_types():
    names = ["uint8", "int8", "uint32", "int16", "float32"]
    triples = list(itertools.product(names, repeat=3))
    operands = [[np.array(v, n) for v, n in zip((7, 1, 5), t, strict=True)] for t in triples]
    outputs = dali(
        lambda *nodes: [math.clamp(*nodes[i : i + 3]) for i in range(0, len(nodes), 3)],
        *[[x] for triple in operands for x in triple],
    )
    for triple, ((theirs,), _) in zip(operands, outputs, strict=True):
        ours = apply(Arithmetic, *triple, function="clamp")
        assert ours.dtype == theirs.dtype
        assert ours == theirs


def test_broadcasting_and_layouts():
    shapes = [((2, 3), (3,)), ((2, 1), (1, 3)), ((1,), (2, 2)), ((), (1,)), ((0, 3), (1, 3))]
    for a, b in shapes:
        left, right = np.ones(a, np.float32), np.ones(b, np.float32)
        ((theirs,), _) = dali(lambda x, y: x + y, [left], [right])[0]
        assert apply(Arithmetic, left, right, function="add").shape == theirs.shape


@pytest.mark.parametrize(
    ("function", "names"),
    [("add", ("bool", "bool")), ("and", ("int32", "float32")), ("floordiv", ("bool", "bool"))],
)
def test_what_dali_refuses_we_refuse(function, names):
    operands = [np.ones(2, name) for name in names]
    with pytest.raises(RuntimeError):
        dali({**TWO, **BITWISE}[function], *[[x] for x in operands])
    with pytest.raises(PenstockError):
        apply(Arithmetic, *operands, function=function)
