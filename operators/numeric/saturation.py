"""Conversion of numbers from one type to another, the way `cast` does it.

A number that the target type cannot hold becomes the nearest that it can. Fractions are
rounded to the nearest integer, halves away from zero. What is not a number becomes the smallest
integer. bool is False for what rounds to 0, else True. float16 has infinity for what is too large.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.operator import Array

_EXACT_BITS = {2: 11, 4: 24, 8: 53}
"""Bits of the significand of a floating point type, by its size in bytes."""


def saturate(source: Array, out: Array) -> None:
    """Convert the numbers in `source` into `out`, which has the same shape."""
    kinds = source.dtype.kind + out.dtype.kind
    if kinds == "fb":
        np.less(np.abs(source), 0.5, out=out)
        np.logical_not(out, out=out)
    elif out.dtype.kind == "b":
        np.not_equal(source, 0, out=out)
    elif kinds in ("fi", "fu"):
        _round(source, out)
    elif kinds in ("ii", "iu", "ui", "uu"):
        _clip(source, out)
    else:
        with np.errstate(over="ignore"):
            np.copyto(out, source, casting="unsafe")


def saturated(source: Array, dtype: np.dtype[Any]) -> Array:
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
    kind = source.dtype.type
    low, high = kind(limits.min), kind(limits.max)
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
    # Adding the number below a half, and cutting, rounds halves away from zero and everything
    # else to the nearest: with a half itself, 0.49999997 would become 1.
    half = np.nextafter(kind(0.5), kind(0))
    numbers += half if limits.min == 0 else np.copysign(half, numbers)
    np.copyto(out, numbers, casting="unsafe")
    if too_large is not None:
        np.copyto(out, limits.max, where=too_large)
