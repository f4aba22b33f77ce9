"""A span of the process's memory as an array, for work on rows that lie somewhere in the span."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class MemorySpan:
    """A span of the process's memory for NumPy, whatever the memory holds."""

    def __init__(self, start: int, size: int) -> None:
        self.__array_interface__ = {
            "data": (start, True),
            "shape": (size,),
            "typestr": "|u1",
            "version": 3,
        }


def memory_of(
    addresses: NDArray[np.uint64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return an array that spans all rows, with unknown bytes between them.

    Args:
        addresses: addresses of the rows, at least one: (rows,).
        lengths: lengths of the rows in bytes: (rows,).

    Returns:
        The array of uint8; the offset of each row in the array: (rows,).
    """
    lowest = addresses.min()
    starts = (addresses - lowest).astype(np.int64)
    return np.asarray(MemorySpan(int(lowest), int((starts + lengths).max()))), starts
