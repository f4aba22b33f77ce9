"""Threads that read batches, and have the archives fetched whose samples come next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...engine.order.selection import Selection
from ...engine.pending import Pending
from ..interrupt import Interrupt
from ..reading.carriers import CountedMemory, ReadColumns, Threads
from .walked import WalkedSource


class FollowingThreads(Threads):
    """Reads in other threads, while the archives of later batches are on their way."""

    def __init__(
        self,
        source: WalkedSource,
        depth: int,
        interrupt: Interrupt,
        to_come: Callable[[Selection], Sequence[int]],
    ) -> None:
        """Set what is read, and what names the archives of a batch, and later ones behind them."""
        super().__init__(source, depth, interrupt)
        self._walked = source
        self._to_come = to_come

    def start(self, selection: Selection, memory: CountedMemory) -> Pending[ReadColumns]:
        self._walked.follow(self._to_come(selection), 2 * (self.depth + 1))
        return super().start(selection, memory)
