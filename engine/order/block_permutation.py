"""A shuffle for storage that reads neighboring samples fast, computed like `Permutation`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from .permutation import Permutation
from .philox import mix


@dataclass(frozen=True)
class Blocks:
    """The distance over which a shuffle scatters neighboring samples.

    Attributes:
        size: consecutive samples that form a block; the data set's last block may be shorter.
        window: blocks whose samples are mixed with one another.
    """

    size: int
    window: int

    def __post_init__(self) -> None:
        if self.size < 1 or self.window < 1:
            raise ArgumentError(
                f"blocks of {self.size} samples, mixed {self.window} together: expected 1 or more"
            )


class WindowedPermutation(ABC):
    """A bijection of range(`size`) that visits blocks in random order, `window` at a time.

    A keyed permutation orders the blocks. `window` blocks that are consecutive in this order form
    a window, and another keyed permutation shuffles the samples of each window. If every window has
    n samples, the positions [w*n, (w+1)*n) hold exactly the samples of window w.

        samples     0 1 | 2 3 | 4 5 | 6 7 | 8 9     blocks of 2
        blocks      0 1 | 4 5 | 2 3 | 6 7 | 8 9     in the order of their turns
        windows     0 1   4 5 | 2 3   6 7 | 8 9     of 2 blocks
        positions   4 0   5 1 | 7 6   3 2 | 8 9     the samples of each window are mixed
    """

    def __init__(self, size: int, window: int, key: int) -> None:
        self._size = size
        self._window = window
        self._key = key

    def __call__(self, positions: Int64s) -> Int64s:
        """Return the index of the sample at each of `positions`, int64 (n,)."""
        if len(positions) and not 0 <= positions.min() <= positions.max() < self._size:
            raise ArgumentError(
                f"positions {positions.min()} to {positions.max()}: expected 0 to {self._size - 1}"
            )
        windows = self._turns(positions) // self._window
        mixed = np.empty_like(positions)
        for window in sorted(set(windows.tolist())):
            rows = windows == window
            mixed[rows] = self._mixed(window, positions[rows])
        return self._samples(mixed)

    def _mixed(self, window: int, positions: Int64s) -> Int64s:
        """Return where the samples at positions of a window stand before they are mixed."""
        start, end = self._span(window)
        inside = Permutation(end - start, mix(self._key, 1, window))
        return inside(positions - start) + start

    def _span(self, window: int) -> tuple[int, int]:
        """Return the positions [start, end) of a window."""
        turn = window * self._window
        return self._start(turn), self._start(turn + self._window)

    @abstractmethod
    def _turns(self, positions: Int64s) -> Int64s:
        """Return the turn of the block at each position: its number in the order of blocks."""

    @abstractmethod
    def _start(self, turn: int) -> int:
        """Return the first position of a block; the size for turns after the last."""

    @abstractmethod
    def _samples(self, positions: Int64s) -> Int64s:
        """Return the samples at positions where no window is mixed."""


class BlockPermutation(WindowedPermutation):
    """Blocks of one size, of which the last may be shorter; O(1) memory.

    >>> BlockPermutation(10, Blocks(size=2, window=2), key=1)(np.arange(10)).tolist()
    [4, 0, 5, 1, 7, 6, 3, 2, 8, 9]
    """

    def __init__(self, size: int, blocks: Blocks, key: int) -> None:
        """Take the number of samples, 1 to 2**62, and any integer as the key."""
        super().__init__(size, blocks.window, key)
        self._block = min(blocks.size, size)
        count = -(-size // self._block)
        self._order = Permutation(count, mix(key, 0))
        self._missing = count * self._block - size  # samples that the last block lacks
        # Turn of the short block. Blocks after the short block start `_missing` positions earlier.
        self._short = int(self._order.inverse(np.array([count - 1]))[0])

    def _turns(self, positions: Int64s) -> Int64s:
        end_of_short = (self._short + 1) * self._block - self._missing
        beyond = positions >= end_of_short
        turns: Int64s = (positions + np.where(beyond, self._missing, 0)) // self._block
        return turns

    def _start(self, turn: int) -> int:
        start = turn * self._block - (self._missing if turn > self._short else 0)
        return min(start, self._size)

    def _samples(self, positions: Int64s) -> Int64s:
        turns = self._turns(positions)
        starts = turns * self._block - np.where(turns > self._short, self._missing, 0)
        return self._order(turns) * self._block + positions - starts
