"""Mathematical functions of `DataNode`s, made public as `penstock.math`.

Operands are `DataNode`s, numbers or arrays; at least one must be a `DataNode`. `abs`, `min`, `max`,
`clamp` and `pow` follow the promotion rules of arithmetic (see
`operators/elementwise/promotion.py`). Results of other functions are floating point: float32 where
all operands are integers.
"""

# The names are those of DALI's module, so some of them hide Python's own functions here.

from __future__ import annotations

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


def _call(function: str, *operands: object) -> DataNode:
    if not any(isinstance(operand, DataNode) for operand in operands):
        raise ArgumentError(
            f"math.{function} computes with data of the pipeline, but was given {operands!r}; "
            "use Python's own math module for plain numbers"
        )
    (result,) = add_node(Arithmetic, operands, {"function": function})
    return result


def abs(input: object) -> DataNode:
    """Return the absolute value of the input, of the input's type."""
    return _call("abs", input)


def fabs(input: object) -> DataNode:
    """Return the absolute value of the input as a floating point number."""
    return _call("fabs", input)


def floor(input: object) -> DataNode:
    """Return the largest whole number that is not above the input."""
    return _call("floor", input)


def ceil(input: object) -> DataNode:
    """Return the smallest whole number that is not below the input."""
    return _call("ceil", input)


def sqrt(input: object) -> DataNode:
    """Return the square root of the input."""
    return _call("sqrt", input)


def rsqrt(input: object) -> DataNode:
    """Return 1 / sqrt(the input)."""
    return _call("rsqrt", input)


def cbrt(input: object) -> DataNode:
    """Return the cube root of the input."""
    return _call("cbrt", input)


def exp(input: object) -> DataNode:
    """Return e to the power of the input."""
    return _call("exp", input)


def log(input: object) -> DataNode:
    """Return the natural logarithm of the input."""
    return _call("log", input)


def log2(input: object) -> DataNode:
    """Return the logarithm of the input to base 2."""
    return _call("log2", input)


def log10(input: object) -> DataNode:
    """Return the logarithm of the input to base 10."""
    return _call("log10", input)


def sin(input: object) -> DataNode:
    """Return the sine of the input (radians)."""
    return _call("sin", input)


def cos(input: object) -> DataNode:
    """Return the cosine of the input (radians)."""
    return _call("cos", input)


def tan(input: object) -> DataNode:
    """Return the tangent of the input (radians)."""
    return _call("tan", input)


def asin(input: object) -> DataNode:
    """Return the angle in radians whose sine is the input."""
    return _call("asin", input)


def acos(input: object) -> DataNode:
    """Return the angle in radians whose cosine is the input."""
    return _call("acos", input)


def atan(input: object) -> DataNode:
    """Return the angle in radians whose tangent is the input."""
    return _call("atan", input)


def sinh(input: object) -> DataNode:
    """Return the hyperbolic sine of the input."""
    return _call("sinh", input)


def cosh(input: object) -> DataNode:
    """Return the hyperbolic cosine of the input."""
    return _call("cosh", input)


def tanh(input: object) -> DataNode:
    """Return the hyperbolic tangent of the input."""
    return _call("tanh", input)


def asinh(input: object) -> DataNode:
    """Return the inverse hyperbolic sine of the input."""
    return _call("asinh", input)


def acosh(input: object) -> DataNode:
    """Return the inverse hyperbolic cosine of the input."""
    return _call("acosh", input)


def atanh(input: object) -> DataNode:
    """Return the inverse hyperbolic tangent of the input."""
    return _call("atanh", input)


def min(left: object, right: object) -> DataNode:
    """Return the lesser of two values."""
    return _call("min", left, right)


def max(left: object, right: object) -> DataNode:
    """Return the greater of two values."""
    return _call("max", left, right)


def pow(base: object, exponent: object) -> DataNode:
    """Return base ** exponent; integers to a negative power give 0."""
    return _call("pow", base, exponent)


def fpow(base: object, exponent: object) -> DataNode:
    """Return base ** exponent, computed in floating point."""
    return _call("fpow", base, exponent)


def atan2(x: object, y: object) -> DataNode:
    """Return the angle in radians whose tangent is x / y, in the right quadrant."""
    return _call("atan2", x, y)


def clamp(value: object, lo: object, hi: object) -> DataNode:
    """Return the value, but at least `lo` and at most `hi`."""
    return _call("clamp", value, lo, hi)
