"""The memory that one batch takes."""

from __future__ import annotations

from numpy.typing import DTypeLike

from ..arrays import Array
from .memory import SlabPool


class TakenMemory:
    """The memory of a batch, with what the batch has taken, to estimate the next batch's need.

    Threads add without a lock, which costs more than a lost summand of an estimate.

    Args:
        pool: lends the host memory.

    Attributes:
        taken_bytes: host memory that was taken so far.
        taken_device_bytes: the same of the device's memory.
    """

    def __init__(self, pool: SlabPool) -> None:
        self.pool = pool
        self.taken_bytes = 0
        self.taken_device_bytes = 0

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return uninitialized memory that is recycled when the last view of it is dropped."""
        array = self.pool.empty(shape, dtype)
        self.taken_bytes += array.nbytes
        return array

    def count(self, *, host: int = 0, device: int = 0) -> None:
        """Count memory that came neither from `empty` nor from the device's own memory."""
        self.taken_bytes += host
        self.taken_device_bytes += device
