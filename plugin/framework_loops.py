"""Loops of a framework that looks at the first batch before it trains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from .base_iterator import BaseIterator

T = TypeVar("T")


class FrameworkLoops(Generic[T]):
    """Loops over an iterator, of which a loop of a single batch takes nothing.

    Keras takes the first batch to build a model, drops the loop, and begins another to train. To
    `BaseIterator` that is a loop that was broken off, so training would begin with another epoch:
    the rest of a resumed epoch would be lost. Here the next loop has that batch again, and goes on
    behind it.

    Args:
        batches: an iterator over one pipeline, or over several in step.
    """

    def __init__(self, batches: BaseIterator[T]) -> None:
        self.batches = batches
        self._loop: Iterator[object] | None = None
        self._first: object = None  # the only batch that the loop has taken
        self._again = False  # the next batch is `_first`
        self._before: dict[str, Any] | None = None  # the state before a batch that `look` took

    def look(self) -> Any:
        """Return the next batch, which the next loop has again.

        Raises:
            StopIteration: there is none.
        """
        if self._first is None:
            before = self.batches.state_dict()
            self.begin()
            self._first = self.take()
            self._before = before
        return self._first

    def begin(self) -> None:
        """Begin a loop; a loop that was under way is over."""
        self._again = self._first is not None
        if not self._again:
            self._loop = iter(self.batches)

    def take(self) -> Any:
        """Return the next batch of the loop.

        Raises:
            StopIteration: the loop is at its end.
        """
        self._before = None
        if self._again:
            self._again = False
            return self._first
        assert self._loop is not None
        is_first = not self.batches.in_loop
        self._first = None
        batch = next(self._loop)
        if is_first and not self.batches.at_end:
            self._first = batch
        return batch

    def __iter__(self) -> Iterator[Any]:
        """Begin a loop with its first batch."""
        self.begin()
        while True:
            try:
                batch = self.take()
            except StopIteration:
                return
            yield batch

    def state_dict(self) -> dict[str, object]:
        """Return where the run stands: before a batch that was only looked at."""
        return self.batches.state_dict() if self._before is None else self._before

    def load_state_dict(self, state: Mapping[str, object]) -> None:
        """Go on where another run stood: see `BaseIterator.load_state_dict`."""
        self.batches.load_state_dict(state)
        self._loop = self._first = self._before = None
        self._again = False
