"""The functions of `Arithmetic`: dtypes of their operands and results, and NumPy's computation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array
from .promotion import promote_all, promote_to_float

Compute = Callable[[Sequence[Array], DType, Array], None]
Types = Callable[[tuple[DType, ...]], tuple[DType, DType]]

_BOOL = np.dtype(bool)


class Function:
    """One function.

    Attributes:
        types: returns the dtype to compute in and that of the result, for the operands' dtypes.
        compute: writes the result, given operands, the dtype to compute in, and memory.
        compares: whether it compares, integers by their exact values.
        divides: whether a zero is an error in its last operand, if that is an integer.
    """

    def __init__(self, name: str, compute: Compute, rule: Callable[..., Any], count: int) -> None:
        self.compute = compute
        self.compares = rule is _compared
        self.divides = compute in (_floordiv, _mod)

        @cache
        def types(operands: tuple[DType, ...]) -> tuple[DType, DType]:
            if len(operands) != count:
                raise ArgumentError(f"{name!r} takes {count} operands, but got {len(operands)}")
            result: tuple[DType, DType] = rule(name, operands)
            return result

        self.types: Types = types


def _arithmetic(name: str, types: tuple[DType, ...]) -> tuple[DType, DType]:
    _refuse_bool(name, types)
    common = promote_all(types)
    return common, common


def _floating(name: str, types: tuple[DType, ...]) -> tuple[DType, DType]:
    _refuse_bool(name, types)
    common = promote_to_float(types)
    return common, common


def _multiplied(name: str, types: tuple[DType, ...]) -> tuple[DType, DType]:
    common = promote_all(types)
    return common, common


def _bitwise(name: str, types: tuple[DType, ...]) -> tuple[DType, DType]:
    common = promote_all(types)
    if common.kind == "f" or (common.kind == "b" and "shift" in name):
        shown = " and ".join(t.name for t in types)
        raise ArgumentError(f"{name!r} works on integers only, not on {shown}; cast them first")
    return common, common


def _compared(name: str, types: tuple[DType, ...]) -> tuple[DType, DType]:
    return promote_all(types), _BOOL


def _refuse_bool(name: str, types: tuple[DType, ...]) -> None:
    if all(t.kind == "b" for t in types):
        raise ArgumentError(
            f"{name!r} does not work on booleans alone; use &, | and ^, or cast one to a number"
        )


def _ufunc(function: np.ufunc) -> Compute:
    def compute(operands: Sequence[Array], dtype: DType, out: Array) -> None:
        function(*operands, out=out, dtype=dtype, casting="unsafe")

    return compute


def _comparison(function: np.ufunc) -> Compute:
    def compute(operands: Sequence[Array], dtype: DType, out: Array) -> None:
        if dtype.kind == "f":
            operands = [a.astype(dtype, copy=False) for a in operands]
        function(*operands, out=out)  # between integers NumPy compares the exact values

    return compute


def zero_division() -> ZeroDivisionError:
    """Return the error of a sample in which an integer is divided by 0."""
    return ZeroDivisionError("integer division by zero")


def _refuse_zero(divisor: Array) -> None:
    if not divisor.all():
        raise zero_division()


def _floordiv(operands: Sequence[Array], dtype: DType, out: Array) -> None:
    left, right = operands
    if dtype.kind == "f":
        np.true_divide(left, right, out=out, dtype=dtype, casting="unsafe")
        return
    _refuse_zero(right)
    if dtype.kind == "u":
        np.floor_divide(left, right, out=out, dtype=dtype, casting="unsafe")
        return
    remainder = np.fmod(left, right, dtype=dtype, casting="unsafe")
    np.subtract(left, remainder, out=out, dtype=dtype, casting="unsafe")
    np.floor_divide(out, right, out=out, dtype=dtype, casting="unsafe")


def _mod(operands: Sequence[Array], dtype: DType, out: Array) -> None:
    left, right = operands
    if dtype.kind != "f":
        _refuse_zero(right)
    np.fmod(left, right, out=out, dtype=dtype, casting="unsafe")


def _pow(operands: Sequence[Array], dtype: DType, out: Array) -> None:
    base, exponent = (a.astype(dtype, copy=False) for a in operands)
    if dtype.kind != "i":
        np.power(base, exponent, out=out)
        return
    np.power(base, np.maximum(exponent, 0), out=out)
    np.copyto(out, 0, where=exponent < 0)


def _clamp(operands: Sequence[Array], dtype: DType, out: Array) -> None:
    value, low, high = operands
    np.maximum(value, low, out=out, dtype=dtype, casting="unsafe")
    np.minimum(out, high, out=out, dtype=dtype, casting="unsafe")


def _rsqrt(operands: Sequence[Array], dtype: DType, out: Array) -> None:
    np.sqrt(operands[0], out=out, dtype=dtype, casting="unsafe")
    np.reciprocal(out, out=out)


_ONE = {
    "neg": (np.negative, _arithmetic),
    "abs": (np.absolute, _arithmetic),
    "invert": (np.invert, _bitwise),
    "fabs": (np.fabs, _floating),
    "floor": (np.floor, _floating),
    "ceil": (np.ceil, _floating),
    "sqrt": (np.sqrt, _floating),
    "cbrt": (np.cbrt, _floating),
    "exp": (np.exp, _floating),
    "log": (np.log, _floating),
    "log2": (np.log2, _floating),
    "log10": (np.log10, _floating),
    "sin": (np.sin, _floating),
    "cos": (np.cos, _floating),
    "tan": (np.tan, _floating),
    "asin": (np.arcsin, _floating),
    "acos": (np.arccos, _floating),
    "atan": (np.arctan, _floating),
    "sinh": (np.sinh, _floating),
    "cosh": (np.cosh, _floating),
    "tanh": (np.tanh, _floating),
    "asinh": (np.arcsinh, _floating),
    "acosh": (np.arccosh, _floating),
    "atanh": (np.arctanh, _floating),
}
_TWO = {
    "add": (np.add, _arithmetic),
    "sub": (np.subtract, _arithmetic),
    "mul": (np.multiply, _multiplied),
    "truediv": (np.true_divide, _floating),
    "min": (np.minimum, _arithmetic),
    "max": (np.maximum, _arithmetic),
    "fpow": (np.power, _floating),
    "atan2": (np.arctan2, _floating),
    "and": (np.bitwise_and, _bitwise),
    "or": (np.bitwise_or, _bitwise),
    "xor": (np.bitwise_xor, _bitwise),
    "lshift": (np.left_shift, _bitwise),
    "rshift": (np.right_shift, _bitwise),
}
_COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}

FUNCTIONS: dict[str, Function] = {
    **{name: Function(name, _ufunc(f), rule, 1) for name, (f, rule) in _ONE.items()},
    **{name: Function(name, _ufunc(f), rule, 2) for name, (f, rule) in _TWO.items()},
    **{name: Function(name, _comparison(f), _compared, 2) for name, f in _COMPARISONS.items()},
    "rsqrt": Function("rsqrt", _rsqrt, _floating, 1),
    "floordiv": Function("floordiv", _floordiv, _arithmetic, 2),
    "mod": Function("mod", _mod, _arithmetic, 2),
    "pow": Function("pow", _pow, _arithmetic, 2),
    "clamp": Function("clamp", _clamp, _arithmetic, 3),
}
"""Every function by its name."""
