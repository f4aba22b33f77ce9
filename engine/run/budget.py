"""Whether memory suffices for one more batch, judged by the batches before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..tensors.device_memory import DevicePool
    from ..tensors.memory import SlabPool
    from ..work.batch import Batch


class Budget:
    """Compares the expected need of batches with the room that one pool has left.

    Args:
        pool: the pool.
        bytes_of: returns the bytes that a batch has taken so far.

    Attributes:
        limit: bytes that should be lent at most.
        bytes_of: see the argument.
    """

    def __init__(self, pool: SlabPool | DevicePool, bytes_of: Callable[[Batch], int]) -> None:
        self.limit = pool.budget
        self.bytes_of = bytes_of
        self._pool = pool
        self._largest: int | None = None

    @property
    def known(self) -> bool:
        """Whether a batch is done, so that the need of a batch is known."""
        return self._largest is not None

    def learn(self, batch: Batch) -> None:
        """Learn from a batch that is done."""
        self._largest = max(self._largest or 0, self.bytes_of(batch) // batch.count)

    def is_short(self, under_way: Iterable[Batch], count: int = 1) -> bool:
        """Whether `count` more may not fit, once the batches under way have all they need."""
        if self._largest is None:
            return True
        owed = [self._largest * batch.count - self.bytes_of(batch) for batch in under_way]
        return self._largest * count + sum(more for more in owed if more > 0) > self._pool.room
