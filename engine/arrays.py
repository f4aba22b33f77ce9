"""The types of arrays that signatures name most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""An array of any dtype."""

Bytes = NDArray[np.uint8]
"""Bytes in one dimension: encoded data, or memory for them."""

Int64s = NDArray[np.int64]
"""An array of indices, counts, offsets or sizes."""

Float32s = NDArray[np.float32]
"""An array of numbers that are computed in single precision."""

Float64s = NDArray[np.float64]
"""An array of numbers that are computed in double precision."""

Addresses = NDArray[np.uint64]
"""An array of addresses in a device's memory."""

DType = np.dtype[Any]
"""A dtype of any kind."""

Shape = tuple[int, ...]
"""A shape of an array."""
