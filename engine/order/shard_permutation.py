"""A shuffle of whole shards, for data of which the samples of each shard are only counted."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from ..arrays import Int64s
from .block_permutation import WindowedPermutation
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
        bounds: Int64s = np.clip(_bounds(self.counts), start, stop)
        return bounds[1:] - bounds[:-1]


FIRST_PIECE = 64
"""Samples that the first batch needs at least. A batch of photographs takes 7 MB, which a store
sends in 0.1 s."""


class ShardPermutation(WindowedPermutation):
    """Shards as blocks, which differ in size. It takes the memory of a few numbers for each.

    The first window is mixed in pieces, so that the first batches need the fronts of its shards
    alone. A piece has the same part of each shard. The first piece has `FIRST_PIECE` samples, and
    each later one as many as all before it.

        depth in the shards    0 ...  64 ... 128 ............. 256 ..... (samples of the window)
        pieces                 |--1--|---2---|--------3--------|---

    >>> counts = np.array([3, 2, 1, 2])
    >>> sorted(ShardPermutation(counts, window=2, key=1)(np.arange(8)).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    def __init__(self, counts: Int64s, window: int, key: int) -> None:
        """Take the samples of each shard, of which one at least has some, and any integer."""
        super().__init__(int(counts.sum()), window, key)
        count = len(counts)
        self._shards = Permutation(count, mix(key, 0))(np.arange(count))
        self._starts = _bounds(counts[self._shards])
        self._firsts = (np.cumsum(counts) - counts)[self._shards]
        # Samples of each shard in the pieces up to each one: a row a piece, from a row of zeros on.
        first, size = counts[self._shards[:window]].tolist(), self._span(0)[1]
        ends = [FIRST_PIECE << n for n in range(size.bit_length()) if FIRST_PIECE << n < size]
        self._pieces: Int64s = np.array(
            [[count * end // max(size, 1) for count in first] for end in [0, *ends, size]], np.int64
        )
        self._piece_starts: Int64s = self._pieces.sum(axis=1)

    def shards_from(self, position: int, windows: int) -> list[int]:
        """Return the shards of the window that holds a position, and of those behind it."""
        first = int(self._turns(np.array([position]))[0]) // self._window * self._window
        shards: list[int] = self._shards[first : first + windows * self._window].tolist()
        return shards

    def window_at(self, position: int) -> tuple[int, int]:
        """Return the positions [start, end) of the window that holds a position."""
        return self._span(int(self._turns(np.array([position]))[0]) // self._window)

    def _mixed(self, window: int, positions: Int64s) -> Int64s:
        if window:
            return super()._mixed(window, positions)
        pieces = np.searchsorted(self._piece_starts, positions, "right") - 1
        places = np.empty_like(positions)
        for piece in sorted(set(pieces.tolist())):
            rows = pieces == piece
            start, end = self._piece_starts[piece : piece + 2].tolist()
            before, until = self._pieces[piece : piece + 2]
            mixed = Permutation(end - start, mix(self._key, 2, piece))(positions[rows] - start)
            bounds = _bounds(until - before)
            shards = np.searchsorted(bounds, mixed, "right") - 1
            places[rows] = self._starts[shards] + before[shards] + mixed - bounds[shards]
        return places

    def _turns(self, positions: Int64s) -> Int64s:
        turns: Int64s = np.searchsorted(self._starts, positions, "right") - 1
        return turns

    def _start(self, turn: int) -> int:
        return int(self._starts[min(turn, len(self._shards))])

    def _samples(self, positions: Int64s) -> Int64s:
        turns = self._turns(positions)
        indices: Int64s = self._firsts[turns] + positions - self._starts[turns]
        return indices


def _bounds(counts: Int64s) -> Int64s:
    """Return where each of consecutive ranges begins, and where the last one ends."""
    return np.cumsum(np.concatenate([np.zeros(1, np.int64), counts]))
