"""Element types of arithmetic results.

The rules are those that DALI documents for its mathematical expressions, and that its CPU
operators were seen to follow:

* two equal types give that type;
* a floating point type and an integer give the floating point type, two of them the wider;
* two integers of the same signedness give the wider;
* a signed and an unsigned integer give a signed one that is wide enough for both, int64 at most;
* bool and another type give the other type.

They differ from NumPy's (uint8 + float16 stays float16, int64 + float32 is float32).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce

import numpy as np

from ...engine.arrays import DType

_FLOAT32 = np.dtype(np.float32)


@cache
def promote(left: DType, right: DType) -> DType:
    """Return the element type of `left op right`.

    >>> promote(np.dtype("uint8"), np.dtype("int8"))
    dtype('int16')
    """
    if left == right or right.kind == "b":
        return left
    if left.kind == "b":
        return right
    if "f" in (left.kind, right.kind):
        return max((t for t in (left, right) if t.kind == "f"), key=_width)
    if left.kind == right.kind:
        return max(left, right, key=_width)
    signed, unsigned = (left, right) if left.kind == "i" else (right, left)
    return np.dtype(f"i{max(signed.itemsize, min(8, 2 * unsigned.itemsize))}")


def promote_all(types: Sequence[DType]) -> DType:
    """Return the element type of an operation on operands of all these types."""
    return reduce(promote, types)


def promote_to_float(types: Sequence[DType]) -> DType:
    """Return the type of a result that is never an integer: float32 for integers."""
    common = promote_all(types)
    return common if common.kind == "f" else _FLOAT32


def exact_type(dtype: DType) -> DType:
    """Return the floating point type that holds the numbers of a type."""
    wide = dtype.itemsize == 8 or (dtype.kind in "iu" and dtype.itemsize == 4)
    return np.dtype(np.float64 if wide else np.float32)


def type_of_work(source: DType, target: DType) -> DType:
    """Return the type to compute in: float32, and float64 if an input or result has 8 bytes."""
    return np.dtype(np.float64 if 8 in (source.itemsize, target.itemsize) else np.float32)


def _width(dtype: DType) -> int:
    return dtype.itemsize
