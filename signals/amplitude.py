"""Numbers of signals in other dtypes: full range to full range, as DALI's audio operators do.

The range of floats is -1 to 1. Signed integers of n bits hold a float times 2**(n - 1) - 1.
Unsigned integers hold 0 for -1, and their largest number for 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array

DTYPES = tuple(map(np.dtype, ("i1", "u1", "i2", "u2", "i4", "u4", "f4")))
"""The dtypes of signals."""


def to_float(source: Array, out: NDArray[np.float32]) -> None:
    """Write numbers of any of `DTYPES` as floats to `out`, which has the same shape."""
    if source.dtype.kind == "f":
        np.copyto(out, source)
        return
    largest = np.iinfo(source.dtype).max
    scale = (1 if source.dtype.kind == "i" else 2) / largest
    np.multiply(source, np.float32(scale), out=out, dtype=np.float32, casting="unsafe")
    if source.dtype.kind == "u":
        np.subtract(out, np.float32(1), out=out)


def from_float(source: NDArray[np.float32], out: Array) -> None:
    """Write floats as numbers of any of `DTYPES` to `out`, which has the same shape.

    Numbers outside of the range become the nearest number in it; NaN becomes the lowest number.
    """
    if out.dtype.kind == "f":
        np.copyto(out, source)
        return
    limits = np.iinfo(out.dtype)
    scale = limits.max if limits.min else limits.max / 2
    exact = np.float64 if out.dtype.itemsize == 4 else np.float32
    scaled = np.multiply(source, exact(scale), dtype=exact)
    if not limits.min:
        scaled += exact(scale)
    np.rint(scaled, out=scaled)
    np.minimum(scaled, exact(limits.max), out=scaled)
    np.fmax(scaled, exact(limits.min), out=scaled)
    np.copyto(out, scaled, casting="unsafe")
