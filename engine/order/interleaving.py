"""The order in which a mixture takes turns among its sources, computed for any position alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError

_MOST_SPLITS = 32
"""Sources for which the best splits are searched; the search takes time of their third power."""

_SHORT = 1 << 31
"""Positions whose products with counts fit into 64 bits."""

_SHIFT = 20  # of the upper half of a longer position

LONGEST = 1 << 40
"""Items of a sequence, at most: the products of their halves with counts fit into 64 bits."""

_Node = tuple[int, int, int, int, int]
"""Items of a node and of its left branch, the numbers of both branches, and a leaf's source."""


class Interleaving:
    """A sequence in which source s comes `counts[s]` times, evenly spread.

    The sources are the leaves of a binary tree. An inner node of m items, a of which belong to its
    left branch, sends item p to the left if `(p * a + m // 2) // m` steps up at p. So each stretch
    of a node's items has the left branch's share of them, to less than one item. The tree is
    chosen so that the errors of a leaf's ancestors weigh little: any stretch of the sequence holds
    each source within 2 items of its share (tested; the proof for the worst tree gives 2.4).

               9
             /   \\
          a: 5    4             a . a . a . a . a       the root: a, or not
                 / \\              b   c   b   c         the items that are not
             b: 2   c: 2

    >>> order, ordinals = Interleaving((5, 2, 2)).at(np.arange(9))
    >>> "".join("abc"[source] for source in order)
    'abacabaca'

    Args:
        counts: items of each source; not all are 0.

    Raises:
        ArgumentError: there are more than 2**40 items.
    """

    def __init__(self, counts: tuple[int, ...]) -> None:
        self.counts = counts
        self.total = sum(counts)
        if self.total > LONGEST:
            raise ArgumentError(f"an epoch of {self.total} samples: expected 2**40 at most")
        nodes, self._depth = _tree(counts)
        self._size, self._left, first, second, self._source = np.array(nodes, np.int64).T
        self._half = self._size // 2
        self._branches = np.array([second, first]).T.reshape(-1)

    def at(self, positions: Int64s) -> tuple[Int64s, Int64s]:
        """Return the source of each position, and the item's number among those of its source."""
        node = np.zeros(len(positions), np.int64)
        inside = positions
        for _ in range(self._depth):
            # `take` needs two thirds of the time of an index in brackets.
            size, left, half = (each.take(node) for each in (self._size, self._left, self._half))
            if self.total < _SHORT:
                before, rest = np.divmod(inside * left + half, size)
            else:
                high, rest = np.divmod((inside >> _SHIFT) * left, size)
                low = (inside & ((1 << _SHIFT) - 1)) * left
                before, rest = np.divmod((rest << _SHIFT) + low + half, size)
                before += high << _SHIFT
            goes_left = rest + left >= size
            inside = np.where(goes_left, before, inside - before)
            node = self._branches.take(2 * node + goes_left)
        return self._source.take(node), inside

    def before(self, position: int) -> list[int]:
        """Return how many items of each source stand before a position, 0 to the total."""
        counts = [0] * len(self.counts)
        pending = [(0, position)]
        while pending:
            node, items = pending.pop()
            size, left = int(self._size[node]), int(self._left[node])
            second, first = self._branches[2 * node : 2 * node + 2].tolist()
            if first == node:
                counts[int(self._source[node])] = items
                continue
            to_left = (items * left + size // 2) // size
            pending += [(first, to_left), (second, items - to_left)]
        return counts


@lru_cache(maxsize=256)
def interleaving(counts: tuple[int, ...]) -> Interleaving:
    """Return the interleaving of these counts, made once."""
    return Interleaving(counts)


def _tree(counts: Sequence[int]) -> tuple[list[_Node], int]:
    """Return the nodes of a tree whose leaves are the sources that have items, and its depth.

    The sources stand in a row, the most frequent first. A node has a stretch of the row, and is cut
    into two branches. A leaf leads to itself.
    """
    order = sorted((s for s, count in enumerate(counts) if count), key=lambda s: (-counts[s], s))
    starts = [0, *accumulate(counts[source] for source in order)]
    cuts = _best_cuts(starts) if len(order) <= _MOST_SPLITS else {}
    nodes: list[_Node] = []

    def grow(start: int, stop: int) -> int:
        number, size = len(nodes), starts[stop] - starts[start]
        if stop - start == 1:
            nodes.append((1, 1, number, number, order[start]))
            return 0
        cut = cuts.get((start, stop)) or _middle(starts, start, stop)
        nodes.append((size, starts[cut] - starts[start], number + 1, 0, -1))
        depth = grow(start, cut)
        nodes[number] = (*nodes[number][:3], len(nodes), -1)
        return 1 + max(depth, grow(cut, stop))

    return nodes, grow(0, len(order))


def _best_cuts(starts: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the cuts by which the errors of the ancestors weigh least for the worst leaf.

    A leaf of weight w has the error of 1 item, and w / v of each ancestor of weight v but the root.
    """
    count = len(starts) - 1
    cuts: dict[tuple[int, int], int] = {}
    leaves = {(i, i + 1): [(starts[i + 1] - starts[i], 0.0)] for i in range(count)}
    for size in range(2, count + 1):
        for start in range(count - size + 1):
            stop, best = start + size, float("inf")
            whole = starts[stop] - starts[start]
            for cut in range(start + 1, stop):
                sides = (start, cut), (cut, stop)
                lengths = [1 / (starts[b] - starts[a]) for a, b in sides]
                found = [
                    (weight, errors + own)
                    for side, own in zip(sides, lengths, strict=True)
                    for weight, errors in leaves[side]
                ]
                worst = max(weight * (errors + 1 / whole) for weight, errors in found)
                if worst < best:
                    best = worst
                    leaves[start, stop], cuts[start, stop] = found, cut
    return cuts


def _middle(starts: Sequence[int], start: int, stop: int) -> int:
    """Return the cut whose branches weigh about the same."""
    middle = starts[start] + starts[stop]
    return min(range(start + 1, stop), key=lambda i: abs(2 * starts[i] - middle))
