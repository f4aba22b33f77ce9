"""The turns of batches that wait for a worker."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue

from ...work.chain import ChainRun

Turn = tuple[ChainRun, int]
"""A batch in a chain, of which a worker takes rows until none is left, and its segment."""


class TurnQueue:
    """A queue from which all workers of a pipeline take, one crew after the other.

    Args:
        done: called, with the run and its segment, when the last row is done.

    Attributes:
        is_stopped: whether no more rows should be computed.
        take: waits for a turn; returns None if the worker should end.
    """

    def __init__(self, done: Callable[[ChainRun, int], None]) -> None:
        self.is_stopped = False
        self._done = done
        self._queue: SimpleQueue[Turn | None] = SimpleQueue()
        self.take = self._queue.get

    def add(self, run: ChainRun, segment: int, workers: int) -> None:
        """Let so many workers take rows of a batch."""
        for _ in range(workers):
            self._queue.put((run, segment))

    def give_back(self, turn: Turn) -> None:
        """Leave a turn to the workers that have taken over."""
        self._queue.put(turn)

    def end(self, run: ChainRun, segment: int) -> None:
        """Count some rows that are done."""
        if run.end_turn() and not self.is_stopped:
            self._done(run, segment)

    def stop(self, workers: int) -> None:
        """Have so many workers end after the row at hand."""
        self.is_stopped = True
        for _ in range(workers):
            self._queue.put(None)
