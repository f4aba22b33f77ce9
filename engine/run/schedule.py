"""Which batches are computed next: in order, small ones together, those of failed groups apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .grouping import Grouping


class Schedule:
    """The numbers of the batches to compute. The feeder starts them; other threads ask for more.

    Args:
        grouping: chooses how many batches are computed together.

    Attributes:
        launched: number of batches that the consumer has asked for.
        following: number of the batch after those that have started.
    """

    def __init__(self, grouping: Grouping) -> None:
        self.launched = 0
        self.following = 0
        self._grouping = grouping
        self._apart: deque[range] = deque()  # of groups that failed
        self._held = False
        self._lock = Lock()  # of `following`, which a thread other than the feeder holds still

    def may_start(self, taken: int, read_at_once: int = 1) -> bool:
        """Return whether one more batch or group may start; a group counts like a batch.

        Args:
            taken: number of batches that the consumer has taken.
            read_at_once: number of batches that a read fetches, which count like one batch.
        """
        most = taken + (self.launched - taken) * max(self._grouping.count, read_at_once)
        return bool(self._apart) or (not self._held and self.following < most)

    def first(self) -> range:
        """Return the numbers of the batches to start first, several if these go together."""
        if self._apart:
            return self._apart[0]
        return range(self.following, self.following + self._grouping.count)

    def start(self, taken: int, now_ns: int, waited_ns: int) -> range:
        """Return the batches to start now, none while held: see `Grouping.choose`."""
        if self._apart:
            return self._apart.popleft()
        self._grouping.choose(taken, now_ns, waited_ns)
        with self._lock:
            if self._held:
                return range(0)
            numbers = self.first()
            self.following = numbers.stop
            return numbers

    def compute_apart(self, parts: Iterable[range]) -> None:
        """Have the parts of a group computed, before any other batch."""
        self._apart.extend(parts)

    def hold(self) -> int:
        """Start no more batches until `restart`; return `following`, which stays as it is.

        Parts of failed groups start all the same: their batches had started.
        """
        with self._lock:
            self._held = True
            return self.following

    def restart(self, number: int) -> None:
        """Go on with batch `number`, which is the next that the consumer asks for."""
        self.launched = self.following = number
        self._held = False
