"""One loop over the batches of an epoch: the result of `iter(iterator)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

B = TypeVar("B")


class EpochLoop(Iterator[B], Generic[B]):
    """A loop over an iterator's batches.

    `iter(loop)` is the loop itself: whoever takes a first batch of `loop = iter(batches)` and then
    writes `for batch in loop` gets the rest. `iter(batches)` is a new loop, in an epoch of its own.
    All other attributes are those of the iterator, such as `reset`, `size` and `len`.
    """

    __slots__ = ("__weakref__", "_batches")

    def __init__(self, batches: Any) -> None:
        """Take the `BaseIterator`."""
        self._batches = batches

    def __iter__(self) -> EpochLoop[B]:
        return self

    def __next__(self) -> B:
        batches = self._batches
        batch: B = batches.__next__()
        batches.in_loop = True
        return batch

    def __len__(self) -> int:
        return len(self._batches)

    def close(self) -> None:
        """Leave the pipelines open.

        Python calls this when a generator ends early that says `yield from batches`.
        """

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batches, name)
