"""Memory for intermediate results."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Scratch:
    """Memory for intermediate results, kept from call to call. Not thread-safe.

    The C library returns big blocks to the system when they are freed, and new pages cost more
    than the arithmetic.
    """

    def __init__(self, most: int = sys.maxsize) -> None:
        """Set the size in bytes of the largest block that is kept."""
        self._most = most
        self._blocks: dict[Hashable, NDArray[np.uint8]] = {}

    def array(self, key: Hashable, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an uninitialized C-contiguous array, valid until the next call with `key`."""
        block = self._blocks.get(key)
        if block is not None:
            try:
                return np.ndarray(shape, dtype, block)
            except TypeError:  # the block is too small; a check of its size would take longer
                pass
        block = np.empty(max(1, prod(shape) * np.dtype(dtype).itemsize), np.uint8)
        if block.nbytes <= self._most:
            self._blocks[key] = block
        return np.ndarray(shape, dtype, block)
