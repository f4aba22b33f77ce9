"""Conversion of numbers from one dtype to another, with the rules of `cast`.

A number out of the range of the dtype becomes the nearest number in it; in float16, infinity.
Fractions are rounded to the nearest integer, halves away from zero. NaN becomes the smallest
integer. bool is False for numbers that round to 0, else True.
"""

from __future__ import annotations

import numpy as np

from ...engine.arrays import DType
from ...engine.graph.operator import Array

_EXACT_BITS = {2: 11, 4: 24, 8: 53}
"""Bits of the significand of a floating point type, by its size in bytes."""


def saturate(source: Array, out: Array) -> None:
    """Convert the numbers in `source` into `out`, which has the same shape."""
    kind_pair = source.dtype.kind + out.dtype.kind
    if kind_pair == "fb":
        np.less(np.abs(source), 0.5, out=out)
        np.logical_not(out, out=out)
    elif out.dtype.kind == "b":
        np.not_equal(source, 0, out=out)
    elif kind_pair in ("fi", "fu"):
        _round(source, out)
    elif kind_pair in ("ii", "iu", "ui", "uu"):
        _clip(source, out)
    else:
        with np.errstate(over="ignore"):
            np.copyto(out, source, casting="unsafe")


def saturated(source: Array, dtype: DType) -> Array:
    """Return the numbers in `source` converted to `dtype`, without a copy if they have it."""
    if source.dtype == dtype:
        return source
    out = np.empty(source.shape, dtype)
    saturate(source, out)
    return out


def _clip(source: Array, out: Array) -> None:
    held, wanted = np.iinfo(source.dtype), np.iinfo(out.dtype)
    low, high = max(held.min, wanted.min), min(held.max, wanted.max)
    if (low, high) != (held.min, held.max):
        source = np.clip(source, low, high)
    np.copyto(out, source, casting="unsafe")


def _round(source: Array, out: Array) -> None:
    limits = np.iinfo(out.dtype)
    bits = limits.bits - (limits.min < 0)
    if source.dtype.itemsize == 2 or (source.dtype.itemsize == 4 and bits > _EXACT_BITS[4]):
        source = source.astype(np.float64 if bits > _EXACT_BITS[4] else np.float32)
    scalar_type = source.dtype.type
    low, high = scalar_type(limits.min), scalar_type(limits.max)
    numbers = np.empty_like(source)
    too_large = None
    if bits <= _EXACT_BITS[source.dtype.itemsize]:
        np.clip(source, low, high, out=numbers)
    else:  # `high` was rounded up to a power of 2, which the type does not hold
        np.maximum(source, low, out=numbers)
        too_large = numbers >= high
        np.copyto(numbers, 0, where=too_large)
    if numbers.size and np.isnan(numbers.min()):
        np.copyto(numbers, low, where=np.isnan(numbers))
    # To add the number just below a half, and then truncate, rounds to the nearest integer, with
    # halves away from zero. With a half itself, 0.49999997 would become 1.
    half = np.nextafter(scalar_type(0.5), scalar_type(0))
    numbers += half if limits.min == 0 else np.copysign(half, numbers)
    np.copyto(out, numbers, casting="unsafe")
    if too_large is not None:
        np.copyto(out, limits.max, where=too_large)
