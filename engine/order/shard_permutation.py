"""A shuffle of whole shards, for data of which the samples of each shard are only counted."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from .permutation import Permutation
from .philox import mix


@dataclass(frozen=True, eq=False)
class Walk:
    """Shards that are read whole in the first epoch, because their samples are not placed before.

    Attributes:
        counts: samples of each shard: int64 (shards,).
        window: shards whose samples are mixed with one another.
    """

    counts: Int64s
    window: int

    @property
    def digest(self) -> int:
        """A number that other counts hardly share."""
        return zlib.crc32(self.counts.astype("<i8").tobytes())

    def clipped(self, start: int, stop: int) -> Int64s:
        """Return how many of the samples [start, stop) each shard has."""
        bounds = np.cumsum(np.concatenate([np.zeros(1, np.int64), self.counts]))
        inside: Int64s = np.diff(np.clip(bounds, start, stop))
        return inside


class ShardPermutation:
    """The bijection of range(n) that visits whole shards in random order, some at a time.

    A keyed permutation orders the shards, which may differ in size. `window` shards that are
    consecutive in this order form a window, and another keyed permutation shuffles the samples of
    each window. It takes the memory of a few numbers for each shard.

        samples     0 1 2 | 3 4 | 5 | 6 7     four shards
        turns       5 | 0 1 2 | 6 7 | 3 4     in their order
        windows     5   0 1 2 | 6 7   3 4     of 2 shards
        positions   0 5 2 1   | 3 7 4 6       the samples of each window are mixed

    >>> counts = np.array([3, 2, 1, 2])
    >>> sorted(ShardPermutation(counts, window=2, key=1)(np.arange(8)).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    def __init__(self, counts: Int64s, window: int, key: int) -> None:
        """Take the samples of each shard, of which one at least has some, and any integer."""
        count = len(counts)
        self._window = window
        self._key = key
        self._shards = Permutation(count, mix(key, 0))(np.arange(count))
        self._starts = np.cumsum(np.concatenate([np.zeros(1, np.int64), counts[self._shards]]))
        self._firsts = (np.cumsum(counts) - counts)[self._shards]

    def __call__(self, positions: Int64s) -> Int64s:
        """Return the index of the sample at each of `positions`, int64 (n,)."""
        size = int(self._starts[-1])
        if len(positions) and not 0 <= positions.min() <= positions.max() < size:
            raise ArgumentError(
                f"positions {positions.min()} to {positions.max()}: expected 0 to {size - 1}"
            )
        windows = self._turns(positions) // self._window
        mixed = np.empty_like(positions)
        for window in np.unique(windows).tolist():
            rows = windows == window
            start, end = self._span(window)
            inside = Permutation(end - start, mix(self._key, 1, window))
            mixed[rows] = inside(positions[rows] - start) + start
        turns = self._turns(mixed)
        indices: Int64s = self._firsts[turns] + mixed - self._starts[turns]
        return indices

    def shards_from(self, position: int, windows: int) -> list[int]:
        """Return the shards of the window that holds a position, and of those behind it."""
        first = int(self._turns(np.array([position]))[0]) // self._window * self._window
        shards: list[int] = self._shards[first : first + windows * self._window].tolist()
        return shards

    def window_at(self, position: int) -> tuple[int, int]:
        """Return the positions [start, end) of the window that holds a position."""
        return self._span(int(self._turns(np.array([position]))[0]) // self._window)

    def _turns(self, positions: Int64s) -> Int64s:
        turns: Int64s = np.searchsorted(self._starts, positions, "right") - 1
        return turns

    def _span(self, window: int) -> tuple[int, int]:
        first = window * self._window
        end = min(first + self._window, len(self._shards))
        return int(self._starts[first]), int(self._starts[end])
