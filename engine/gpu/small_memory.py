"""Small pieces of memory, which a device cuts out of common blocks, batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 256
"""Bytes of which the addresses of pieces are multiples."""

_STAGED = 1 << 20  # bytes of pinned memory for copies of small arrays


class SmallBuffers:
    """Buffers on the device. Their block is as large as the small buffers of the batch before."""

    def __init__(self) -> None:
        self._block: Any = None
        self._cut = 0  # bytes of the block that buffers have taken
        self._taken = self._usual = 0  # bytes of buffers in this batch, and in the batch before

    def buffer(self, nbytes: int, lend: Callable[[int], tuple[Any, object]]) -> Any:
        """Return uninitialized memory: (nbytes,) uint8.

        Args:
            nbytes: its size.
            lend: returns memory for a block, and its lease.
        """
        start, step = self._cut, -(-nbytes // ALIGNMENT) * ALIGNMENT
        if self._block is None or start + step > self._block.size:
            self._block, start = lend(max(step, self._usual - self._taken))[0], 0
        self._cut = start + step
        self._taken += step
        return self._block[start : start + nbytes]

    def end_batch(self) -> None:
        """Take another block for the next batch."""
        self._block, self._usual, self._taken = None, self._taken, 0


class Staging:
    """Pinned memory of the host, by way of which small arrays go to the device."""

    def __init__(self) -> None:
        self._block: Any = None
        self._address = self._taken = 0  # of the block, and its bytes that arrays have taken

    def put(self, array: NDArray[Any], pinned: Callable[[int], NDArray[np.uint8]]) -> int:
        """Store an array until the batch ends, and return its address there.

        Args:
            array: contiguous.
            pinned: returns pinned memory, which the batch holds.
        """
        start, stop = self._taken, self._taken + array.nbytes
        if self._block is None or stop > _STAGED:
            self._block, start, stop = pinned(_STAGED), 0, array.nbytes
            self._address = self._block.ctypes.data
        self._taken = -(-stop // ALIGNMENT) * ALIGNMENT
        self._block[start:stop] = array.reshape(-1).view(np.uint8)
        return int(self._address + start)

    def end_batch(self) -> None:
        """Take other memory for the next batch: the device may still read this."""
        self._block = None
