"""Samples packed into rows of a fixed length, computed for any row alone.

The lengths of the samples alone say how they are packed. A *template* is a list of lengths that
fill a row, and how many rows are filled so. In each epoch, keyed permutations say which template
and which samples a row has:

    templates   3 + 2, twice        2 + 2 + 1, once           rows of 5
    rows        [3 2] [2 2 1] [3 2]                           permuted
    samples     of each length: a permutation of its own      each sample once an epoch
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, insort
from collections.abc import Sequence
from functools import partial

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from .mixture_state import digest_of
from .permutation import Permutation, mapped, permutation
from .state import EPOCHS
from .subset import Subset

Template = tuple[tuple[int, ...], int]
"""Lengths that fill a row, the longest first, and the number of rows that are filled so."""


def packed(histogram: Sequence[int], row: int) -> list[Template]:
    """Return templates that hold all samples of a histogram of lengths.

    This is the shortest-pack-first histogram packing of Krell et al., "Efficient sequence packing
    without cross-contamination" (arXiv 2107.02027): lengths in descending order, each put into the
    rows whose room is the smallest that suffices.

    Args:
        histogram: number of samples of each length, from 0 to `row`.
        row: room of a row.

    >>> packed([0, 1, 4, 2, 0, 0], 5)
    [((2, 2, 1), 1), ((3, 2), 2)]
    """
    rows: list[list[Template]] = [[] for _ in range(row + 1)]  # by their room
    used: list[int] = []  # rooms of which there are rows, in ascending order

    def put(room: int, template: Template) -> None:
        if not rows[room]:
            insort(used, room)
        rows[room].append(template)

    for length in range(row, 0, -1):
        left = int(histogram[length])
        while left:
            place = bisect_left(used, length)
            if place == len(used):
                most = row // length  # of a length that no row has room for: several in a row
                whole, rest = divmod(left, most)
                if whole:
                    put(row - most * length, ((length,) * most, whole))
                if rest:
                    put(row - rest * length, ((length,) * rest, 1))
                break
            room = used[place]
            lengths, count = rows[room].pop()
            if not rows[room]:
                del used[place]
            taken = min(left, count)
            if count > taken:
                put(room, (lengths, count - taken))
            put(room - length, ((*lengths, length), taken))
            left -= taken
    return sorted(template for own in rows for template in own)


LONG = ("error", "truncate", "split")


def parts_of(lengths: Int64s, row: int, long: str) -> tuple[Int64s, Int64s, Int64s]:
    """Return the parts that samples are packed as: sample, first element and length of each.

    Args:
        lengths: of the samples.
        row: room of a row.
        long: what becomes of samples that are longer: an "error", their beginning alone
            ("truncate"), or parts of a whole row and what is left ("split").

    >>> [part.tolist() for part in parts_of(np.array([3, 11]), 5, "split")]
    [[0, 1, 1, 1], [0, 0, 5, 10], [3, 5, 5, 1]]
    """
    if long not in LONG:
        raise ArgumentError(f"pack: long={long!r}, expected one of {', '.join(LONG)}")
    samples = np.arange(len(lengths))
    if long == "truncate":
        lengths = np.minimum(lengths, row)
    if long != "split":
        return samples, np.zeros_like(lengths), lengths
    counts = np.maximum(1, -(-lengths // row))
    samples = np.repeat(samples, counts)
    firsts = (np.arange(len(samples)) - np.repeat(np.cumsum(counts) - counts, counts)) * row
    return samples, firsts, np.minimum(lengths[samples] - firsts, row)


class Packs(Subset):
    """The rows of packed samples, for a `Sampler` to put in order.

    If rows are shuffled, the index of row r of epoch e is `e * size + r`: see `samples`.

    Args:
        lengths: of the samples: (n,) whole numbers.
        row: room of a row.
        align: the room that a sample takes is a multiple of it.
        seed: of the permutations.
        shuffle: whether rows and samples are permuted in each epoch.

    Attributes:
        size: number of rows of an epoch.
        rows: number of rows that have an index: those of all epochs, if each has its own.
        fill: the part of all rows that samples fill.
    """

    def __init__(
        self, lengths: Int64s, row: int, *, align: int = 1, seed: int = 0, shuffle: bool = False
    ) -> None:
        rooms = -(-np.asarray(lengths, np.int64) // align) * align
        if row < 1 or align < 1 or not len(rooms) or rooms.min() < 1 or rooms.max() > row:
            raise ArgumentError(
                f"pack: rows have {row} elements, and samples begin at multiples of {align}; both "
                "must be 1 or more, and so must the length of each sample, which a row must hold"
            )
        histogram = np.bincount(rooms, minlength=row + 1)
        templates = packed(histogram.tolist(), row)
        self._seed, self._shuffle = seed, shuffle
        self._order = np.argsort(rooms, kind="stable")  # samples by length
        self._starts = np.cumsum(histogram) - histogram
        self._histogram = histogram
        counts = np.array([count for _, count in templates])
        self._ends = np.cumsum(counts)
        self._firsts = self._ends - counts
        self._templates = [lengths for lengths, _ in templates]
        given = np.zeros(row + 1, np.int64)
        self._bases: list[list[int]] = []  # of each slot: the first member of its length
        for lengths_of_row, count in templates:
            bases = []
            for length in lengths_of_row:
                bases.append(int(given[length]))
                given[length] += count
            self._bases.append(bases)
        self.size = int(self._ends[-1])
        self.rows = self.size * EPOCHS if shuffle else self.size
        self.fill = float(np.sum(lengths) / (self.size * row))
        own = hashlib.sha256(rooms.tobytes()).hexdigest()
        self._digest = digest_of([row, align, own, seed if shuffle else None])

    def at(self, epoch: int, numbers: Int64s) -> Int64s:
        """Return the indices of rows of an epoch: see `Subset.at`."""
        return numbers + epoch * self.size if self._shuffle else numbers

    @property
    def digest(self) -> str:
        """Eight characters that stand for the rows of all epochs."""
        return self._digest

    def _order_of(self, epoch: int, length: int) -> Permutation:
        """Return the order of the samples of a length in an epoch."""
        return permutation(int(self._histogram[length]), self._seed, epoch, length)

    def samples(self, index: int) -> Int64s:
        """Return the samples of a row, the longest first."""
        epoch, number = divmod(index, self.size)
        template = int(np.searchsorted(self._ends, number, "right"))
        turn = number - int(self._firsts[template])
        lengths = np.array(self._templates[template])
        members = np.array(self._bases[template]) + turn
        if self._shuffle:
            members = mapped(lengths, members, partial(self._order_of, epoch))
        samples: Int64s = self._order[self._starts[lengths] + members]
        return samples
