"""A shuffle for storage that reads runs of neighbours best, computed like `Permutation`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .permutation import Permutation
from .philox import mix

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class Blocks:
    """How far a shuffle scatters what lies together.

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


class BlockPermutation:
    """The bijection of range(`size`) that visits blocks in random order, some at a time.

    A keyed permutation orders the blocks. `window` blocks that follow one another in that order
    form a window, and a keyed permutation of its own shuffles the samples of each window. So
    positions [w*n, (w+1)*n), for windows of n samples, hold the samples of `window` blocks, and
    no others do. It takes O(1) memory, and any position is computed alone.

    >>> order = BlockPermutation(10, Blocks(size=2, window=2), key=1)(np.arange(10))
    >>> sorted(order.tolist()) == list(range(10)), len({i // 2 for i in order[:4].tolist()})
    (True, 2)
    """

    def __init__(self, size: int, blocks: Blocks, key: int) -> None:
        """Take the number of samples, 1 to 2**62, and any integer as the key."""
        self._size = size
        self._block = min(blocks.size, size)
        self._window = blocks.window
        self._key = key
        count = -(-size // self._block)
        self._order = Permutation(count, mix(key, 0))
        self._missing = count * self._block - size  # what the last block has less than the others
        # Which place the short block has got: what comes after it begins that much earlier.
        self._short = int(self._order.inverse(np.array([count - 1]))[0])

    def __call__(self, positions: Int64s) -> Int64s:
        """Return the index of the sample at each of `positions`, int64 (n,)."""
        if len(positions) and not 0 <= positions.min() <= positions.max() < self._size:
            raise ArgumentError(
                f"positions {positions.min()} to {positions.max()}: expected 0 to {self._size - 1}"
            )
        windows = self._place(positions) // self._window
        mixed = np.empty_like(positions)
        for window in np.unique(windows).tolist():
            rows = windows == window
            begin, end = self._begin(window), self._begin(window + 1)
            inside = Permutation(end - begin, mix(self._key, 1, window))
            mixed[rows] = inside(positions[rows] - begin) + begin
        places = self._place(mixed)
        begins = places * self._block - np.where(places > self._short, self._missing, 0)
        return self._order(places) * self._block + mixed - begins

    def _place(self, positions: Int64s) -> Int64s:
        """Return the place, in the order of blocks, of the block at each position."""
        end_of_short = (self._short + 1) * self._block - self._missing
        beyond = positions >= end_of_short
        places: Int64s = (positions + np.where(beyond, self._missing, 0)) // self._block
        return places

    def _begin(self, window: int) -> int:
        """Return the position at which a window begins; the size for those after the last."""
        place = window * self._window
        begin = place * self._block - (self._missing if place > self._short else 0)
        return min(begin, self._size)
