"""The plan of a mixture: which sample of which source stands at each position of an epoch.

    positions      0 1 2 3 4 5 6 7 8 | 9 ...        an epoch of 9 samples: shares 5, 2, 2
    sources        a b a c a b a c a | a ...        `Interleaving`: any stretch has the shares
    entries        0 0 1 0 2 1 3 1 4 | 5 ...        each source counts its own, without an end
    samples        entry j of a source of n samples is number j % n of its own epoch j // n,
                   whose order is a permutation that the source's name keys

So each source gives each sample once before any comes again, whatever the shares, and two sources
are independent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from .block_permutation import BlockPermutation, Blocks
from .mixture_state import MixtureState, continued, digest_of, stored_sizes
from .permutation import Permutation, mapped, permutation
from .philox import mix
from .shares import Shares
from .subset import Subset


class Mixture:
    """The samples of several sources, in turns: a plan that a `Cursor` deals out.

    Args:
        sizes: samples of each source by name; the sources' samples are numbered in this order.
        shares: of the sources.
        seed: of the permutations; a `state` brings its own.
        shuffle: permute each source's own epochs; else its samples come in their order.
        blocks: permute as `BlockPermutation` does.
        indices: the sample that each number stands for; by default the number itself.
        state: where to go on.
        restart: sources that begin anew, though the state has them.
        asked: what the program asks for, if `shares` are others that it has set meanwhile.

    Attributes:
        start: where the mixture begins.
        is_constant: whether all epochs after the first have one length.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        shares: Shares,
        *,
        seed: int = 0,
        shuffle: bool = False,
        blocks: Blocks | None = None,
        indices: Subset | None = None,
        state: MixtureState | None = None,
        restart: frozenset[str] = frozenset(),
        asked: Shares | None = None,
    ) -> None:
        for name, size in sizes.items():
            if size < 1:
                raise ArgumentError(f"the source {name!r} has no samples")
        begun = MixtureState(
            seed=seed,
            shuffle=shuffle,
            blocks=blocks,
            sizes=stored_sizes(sizes),
            shares=shares,
            asked=digest_of((asked or shares).to_json()),
            epoch=0,
            at=0,
            begin=0,
            end=sum(shares.counts(0)),
            entries=(0,) * len(sizes),
        )
        self.start = begun if state is None else continued(state, begun, restart)
        self.names = tuple(sizes)
        self.shares = self.start.shares
        self.is_constant = self.shares.is_constant
        self.samples = sum(sizes.values())
        self._sizes = np.array([*sizes.values()], np.int64)
        self._firsts = np.cumsum(self._sizes) - self._sizes
        self._keys = [_key_of(name) for name in sizes]
        self._indices = indices
        self._stretches: dict[int, tuple[Int64s, tuple[int, ...], int]] = {}

    def length(self, epoch: int) -> int:
        """Return the number of positions of an epoch, from the current one on."""
        if epoch == self.start.epoch:
            return self.start.end
        return sum(self.shares.counts(epoch))

    def select(self, epoch: int, positions: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        """Return the index, position and source of the sample at each position of an epoch."""
        sources, numbers = self._numbers(epoch, positions)
        return self._index(self._firsts[sources] + numbers), positions, sources

    def replacement(self, epoch: int, position: int, attempt: int) -> int | None:
        """Return the index of another sample of the same source: see `Order.replacement`."""
        sources, numbers = self._numbers(epoch, np.array([position]))
        size = int(self._sizes[sources[0]])
        if attempt >= size - 1:
            return None
        key = mix(self.start.seed, epoch, position)
        other = Permutation.other_than(int(numbers[0]), size, key, attempt)
        return int(self._index(self._firsts[sources] + other)[0])

    def _stretch(self, epoch: int) -> tuple[Int64s, tuple[int, ...], int]:
        """Return the entries before what is left of an epoch, its counts, and where it begins."""
        found = self._stretches.get(epoch)  # other threads look for replacements
        if found is None:
            at = self.start if epoch == self.start.epoch else self.start.moved_to(epoch, 0)
            counts = self.shares.part(epoch, at.end - at.begin)
            found = np.array(at.entries, np.int64), counts, at.begin
            known = [*self._stretches.items()][-1:]  # batches that are read together may need two
            self._stretches = dict([*known, (epoch, found)])
        return found

    def _numbers(self, epoch: int, positions: Int64s) -> tuple[Int64s, Int64s]:
        """Return source and number in the source of the sample at each position."""
        sources, entries = self._entries(epoch, positions)
        turns, numbers = np.divmod(entries, self._sizes[sources])
        if self.start.shuffle:
            numbers = mapped(turns * len(self.names) + sources, numbers, self._order_of)
        return sources, numbers

    def _entries(self, epoch: int, positions: Int64s) -> tuple[Int64s, Int64s]:
        """Return source and entry at each position."""
        base, counts, begin = self._stretch(epoch)
        sources, numbers = self.shares.turns(counts, positions - begin)
        return sources, base[sources] + numbers

    def _order_of(self, code: int) -> Permutation | BlockPermutation:
        """Return the order of an epoch of a source: `code` is `epoch * sources + source`."""
        epoch, source = divmod(code, len(self.names))
        size, key = int(self._sizes[source]), (self.start.seed, self._keys[source], epoch)
        blocks = self.start.blocks
        return (
            permutation(size, *key) if blocks is None else BlockPermutation(size, blocks, mix(*key))
        )

    def _index(self, numbers: Int64s) -> Int64s:
        return numbers if self._indices is None else self._indices.at(0, numbers)


def _key_of(name: str) -> int:
    """Return the number that stands for a source's name in the keys of its permutations."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
