"""Signatures of dynamic mode; made by docs/generate.py from operators' declarations."""

# mypy: disable-error-code="overload-overlap"
import builtins as _builtins
import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType
from penstock.experimental import dynamic as _dynamic
from penstock.experimental.dynamic.batch import Batch as Batch
from penstock.experimental.dynamic.generators import RNG
from penstock.experimental.dynamic.kinds import DeviceLike, DTypeLike, TensorLike
from penstock.experimental.dynamic.reading import Reader
from penstock.experimental.dynamic.tensor import Tensor as Tensor

@overload
def abs(input: TensorLike, /) -> Tensor:
    """Return the absolute value of the input, of the input's type."""

@overload
def abs(input: TensorLike | Batch, /) -> Batch: ...

@overload
def acos(input: TensorLike, /) -> Tensor:
    """Return the angle in radians whose cosine is the input."""

@overload
def acos(input: TensorLike | Batch, /) -> Batch: ...

@overload
def acosh(input: TensorLike, /) -> Tensor:
    """Return the inverse hyperbolic cosine of the input."""

@overload
def acosh(input: TensorLike | Batch, /) -> Batch: ...

@overload
def asin(input: TensorLike, /) -> Tensor:
    """Return the angle in radians whose sine is the input."""

@overload
def asin(input: TensorLike | Batch, /) -> Batch: ...

@overload
def asinh(input: TensorLike, /) -> Tensor:
    """Return the inverse hyperbolic sine of the input."""

@overload
def asinh(input: TensorLike | Batch, /) -> Batch: ...

@overload
def atan(input: TensorLike, /) -> Tensor:
    """Return the angle in radians whose tangent is the input."""

@overload
def atan(input: TensorLike | Batch, /) -> Batch: ...

@overload
def atan2(x: TensorLike, y: TensorLike, /) -> Tensor:
    """Return the angle in radians whose tangent is x / y, in the right quadrant."""

@overload
def atan2(x: TensorLike | Batch, y: TensorLike | Batch, /) -> Batch: ...

@overload
def atanh(input: TensorLike, /) -> Tensor:
    """Return the inverse hyperbolic tangent of the input."""

@overload
def atanh(input: TensorLike | Batch, /) -> Batch: ...

@overload
def cbrt(input: TensorLike, /) -> Tensor:
    """Return the cube root of the input."""

@overload
def cbrt(input: TensorLike | Batch, /) -> Batch: ...

@overload
def ceil(input: TensorLike, /) -> Tensor:
    """Return the smallest whole number that is not below the input."""

@overload
def ceil(input: TensorLike | Batch, /) -> Batch: ...

@overload
def clamp(value: TensorLike, lo: TensorLike, hi: TensorLike, /) -> Tensor:
    """Return the value, but at least `lo` and at most `hi`."""

@overload
def clamp(value: TensorLike | Batch, lo: TensorLike | Batch, hi: TensorLike | Batch, /) -> Batch: ...

@overload
def cos(input: TensorLike, /) -> Tensor:
    """Return the cosine of the input (radians)."""

@overload
def cos(input: TensorLike | Batch, /) -> Batch: ...

@overload
def cosh(input: TensorLike, /) -> Tensor:
    """Return the hyperbolic cosine of the input."""

@overload
def cosh(input: TensorLike | Batch, /) -> Batch: ...

@overload
def exp(input: TensorLike, /) -> Tensor:
    """Return e to the power of the input."""

@overload
def exp(input: TensorLike | Batch, /) -> Batch: ...

@overload
def fabs(input: TensorLike, /) -> Tensor:
    """Return the absolute value of the input as a floating point number."""

@overload
def fabs(input: TensorLike | Batch, /) -> Batch: ...

@overload
def floor(input: TensorLike, /) -> Tensor:
    """Return the largest whole number that is not above the input."""

@overload
def floor(input: TensorLike | Batch, /) -> Batch: ...

@overload
def fpow(base: TensorLike, exponent: TensorLike, /) -> Tensor:
    """Return base ** exponent, computed in floating point."""

@overload
def fpow(base: TensorLike | Batch, exponent: TensorLike | Batch, /) -> Batch: ...

@overload
def log(input: TensorLike, /) -> Tensor:
    """Return the natural logarithm of the input."""

@overload
def log(input: TensorLike | Batch, /) -> Batch: ...

@overload
def log2(input: TensorLike, /) -> Tensor:
    """Return the logarithm of the input to base 2."""

@overload
def log2(input: TensorLike | Batch, /) -> Batch: ...

@overload
def log10(input: TensorLike, /) -> Tensor:
    """Return the logarithm of the input to base 10."""

@overload
def log10(input: TensorLike | Batch, /) -> Batch: ...

@overload
def max(left: TensorLike, right: TensorLike, /) -> Tensor:
    """Return the greater of two values."""

@overload
def max(left: TensorLike | Batch, right: TensorLike | Batch, /) -> Batch: ...

@overload
def min(left: TensorLike, right: TensorLike, /) -> Tensor:
    """Return the lesser of two values."""

@overload
def min(left: TensorLike | Batch, right: TensorLike | Batch, /) -> Batch: ...

@overload
def pow(base: TensorLike, exponent: TensorLike, /) -> Tensor:
    """Return base ** exponent; integers to a negative power give 0."""

@overload
def pow(base: TensorLike | Batch, exponent: TensorLike | Batch, /) -> Batch: ...

@overload
def rsqrt(input: TensorLike, /) -> Tensor:
    """Return 1 / sqrt(the input)."""

@overload
def rsqrt(input: TensorLike | Batch, /) -> Batch: ...

@overload
def sin(input: TensorLike, /) -> Tensor:
    """Return the sine of the input (radians)."""

@overload
def sin(input: TensorLike | Batch, /) -> Batch: ...

@overload
def sinh(input: TensorLike, /) -> Tensor:
    """Return the hyperbolic sine of the input."""

@overload
def sinh(input: TensorLike | Batch, /) -> Batch: ...

@overload
def sqrt(input: TensorLike, /) -> Tensor:
    """Return the square root of the input."""

@overload
def sqrt(input: TensorLike | Batch, /) -> Batch: ...

@overload
def tan(input: TensorLike, /) -> Tensor:
    """Return the tangent of the input (radians)."""

@overload
def tan(input: TensorLike | Batch, /) -> Batch: ...

@overload
def tanh(input: TensorLike, /) -> Tensor:
    """Return the hyperbolic tangent of the input."""

@overload
def tanh(input: TensorLike | Batch, /) -> Batch: ...
