"""Mathematical functions of `DataNode`s, made public as `penstock.math`.

Operands are `DataNode`s, numbers or arrays; at least one must be a `DataNode`. `abs`, `min`, `max`,
`clamp` and `pow` follow the promotion rules of arithmetic (see
`operators/elementwise/promotion.py`). Results of other functions are floating point: float32 where
all operands are integers.
"""

# The names are those of DALI's module, so some of them hide Python's own functions here.

from __future__ import annotations

from typing import Any

from ...engine.errors import ArgumentError
from ...engine.graph.nodes import DataNode, add_node
from .arithmetic import Arithmetic

__all__ = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clamp",
    "cos",
    "cosh",
    "exp",
    "fabs",
    "floor",
    "fpow",
    "log",
    "log2",
    "log10",
    "max",
    "min",
    "pow",
    "rsqrt",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


def _call(function: str, *operands: Any) -> DataNode:
    if not any(isinstance(operand, DataNode) for operand in operands):
        raise ArgumentError(
            f"math.{function} computes with data of the pipeline, but was given {operands!r}; "
            "use Python's own math module for plain numbers"
        )
    (result,) = add_node(Arithmetic, operands, {"function": function})
    return result


def abs(x: Any) -> DataNode:
    """Return |x|, of the input's type."""
    return _call("abs", x)


def fabs(x: Any) -> DataNode:
    """Return |x| as a floating point number."""
    return _call("fabs", x)


def floor(x: Any) -> DataNode:
    """Return the largest whole number that is not above x."""
    return _call("floor", x)


def ceil(x: Any) -> DataNode:
    """Return the smallest whole number that is not below x."""
    return _call("ceil", x)


def sqrt(x: Any) -> DataNode:
    """Return the square root of x."""
    return _call("sqrt", x)


def rsqrt(x: Any) -> DataNode:
    """Return 1 / sqrt(x)."""
    return _call("rsqrt", x)


def cbrt(x: Any) -> DataNode:
    """Return the cube root of x."""
    return _call("cbrt", x)


def exp(x: Any) -> DataNode:
    """Return e to the power of x."""
    return _call("exp", x)


def log(x: Any) -> DataNode:
    """Return the natural logarithm of x."""
    return _call("log", x)


def log2(x: Any) -> DataNode:
    """Return the logarithm of x to base 2."""
    return _call("log2", x)


def log10(x: Any) -> DataNode:
    """Return the logarithm of x to base 10."""
    return _call("log10", x)


def sin(x: Any) -> DataNode:
    """Return the sine of x (radians)."""
    return _call("sin", x)


def cos(x: Any) -> DataNode:
    """Return the cosine of x (radians)."""
    return _call("cos", x)


def tan(x: Any) -> DataNode:
    """Return the tangent of x (radians)."""
    return _call("tan", x)


def asin(x: Any) -> DataNode:
    """Return the angle in radians whose sine is x."""
    return _call("asin", x)


def acos(x: Any) -> DataNode:
    """Return the angle in radians whose cosine is x."""
    return _call("acos", x)


def atan(x: Any) -> DataNode:
    """Return the angle in radians whose tangent is x."""
    return _call("atan", x)


def sinh(x: Any) -> DataNode:
    """Return the hyperbolic sine of x."""
    return _call("sinh", x)


def cosh(x: Any) -> DataNode:
    """Return the hyperbolic cosine of x."""
    return _call("cosh", x)


def tanh(x: Any) -> DataNode:
    """Return the hyperbolic tangent of x."""
    return _call("tanh", x)


def asinh(x: Any) -> DataNode:
    """Return the inverse hyperbolic sine of x."""
    return _call("asinh", x)


def acosh(x: Any) -> DataNode:
    """Return the inverse hyperbolic cosine of x."""
    return _call("acosh", x)


def atanh(x: Any) -> DataNode:
    """Return the inverse hyperbolic tangent of x."""
    return _call("atanh", x)


def min(left: Any, right: Any) -> DataNode:
    """Return the lesser of two values."""
    return _call("min", left, right)


def max(left: Any, right: Any) -> DataNode:
    """Return the greater of two values."""
    return _call("max", left, right)


def pow(base: Any, exponent: Any) -> DataNode:
    """Return base ** exponent; integers to a negative power give 0."""
    return _call("pow", base, exponent)


def fpow(base: Any, exponent: Any) -> DataNode:
    """Return base ** exponent, computed in floating point."""
    return _call("fpow", base, exponent)


def atan2(x: Any, y: Any) -> DataNode:
    """Return the angle in radians whose tangent is x / y, in the right quadrant."""
    return _call("atan2", x, y)


def clamp(value: Any, lo: Any, hi: Any) -> DataNode:
    """Return the value, but at least `lo` and at most `hi`."""
    return _call("clamp", value, lo, hi)
