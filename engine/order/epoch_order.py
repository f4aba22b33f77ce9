"""Which sample stands at each position of an epoch, and which others may take its place."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial

import numpy as np

from ..arrays import Int64s
from ..errors import CheckpointError
from .block_permutation import BlockPermutation
from .permutation import Permutation, even_cuts, mapped
from .philox import mix
from .sampler_state import SamplerState
from .shard_permutation import ShardPermutation, Walk
from .subset import Subset


class EpochOrder:
    """The orders of all epochs, each computed from the epoch's number alone.

    Args:
        state: has the size, the shuffle and its seed.
        walk: the shards that the state's epochs read whole, if they do.
        subset: the samples that the order consists of, by default all.
    """

    def __init__(self, state: SamplerState, walk: Walk | None, subset: Subset | None) -> None:
        if state.walk is not None and walk is not None and state.walk[2] != walk.digest:
            raise CheckpointError(
                "the checkpoint belongs to shards with other numbers of samples, which give "
                "another order: restore it with the data set, and the `samples_per_shard`, of the "
                "first run"
            )
        self._state = state
        self._walk = walk
        self._walks: dict[tuple[int, int], ShardPermutation] = {}
        self._subset = subset
        self._bounds = even_cuts(state.size, state.parts)  # of the parts of the data set

    def indices(self, epoch: int, positions: Int64s) -> Int64s:
        """Return the samples that stand at positions of an epoch."""
        numbers = self._numbers(epoch, positions)
        return numbers if self._subset is None else self._subset.at(epoch, numbers)

    def replacement(self, epoch: int, position: int, attempt: int) -> int | None:
        """Return the index of the replacement sample: see `Order.replacement`.

        Where shards are read whole, those of the same window of shards come first.
        """
        others, key = self._state.size - 1, mix(self._state.seed, epoch, position)
        if attempt >= others:
            return None
        if not self.walks(epoch):
            (own,) = self._numbers(epoch, np.array([position], np.int64)).tolist()
            number = np.array([Permutation.other_than(own, others + 1, key, attempt)])
            return int((number if self._subset is None else self._subset.at(epoch, number))[0])
        order, shift = self.walk_at(epoch, position)
        start, end = (bound + shift for bound in order.window_at(position - shift))
        inside = end - start - 1
        if attempt < inside:
            other = start + Permutation.other_than(position - start, end - start, key, attempt)
        else:
            other = int(Permutation(others - inside, key)(np.array([attempt - inside]))[0])
            other += end - start if other >= start else 0
        return int(self.indices(epoch, np.array([other], np.int64))[0])

    def walks(self, epoch: int) -> bool:
        """Return whether shards are read whole in an epoch."""
        return self._state.walk is not None and epoch < self._state.walk[1]

    @property
    def begins_with_shards(self) -> bool:
        """Whether shards are read whole in the epoch that comes first."""
        return self.walks(self._state.epoch)

    def shards_from(self, epoch: int, position: int, windows: int) -> list[int]:
        """Return the shards that are read from a position of an epoch on; [] if none is whole.

        Args:
            epoch, position: of the sample that comes next.
            windows: windows of shards, the one that holds the position included.
        """
        if not self.walks(epoch):
            return []
        order, shift = self.walk_at(epoch, position)
        return order.shards_from(position - shift, windows)

    def _numbers(self, epoch: int, positions: Int64s) -> Int64s:
        """Return the numbers of the samples in their data set, or in the subset of it."""
        if not self._state.shuffle:
            return positions.copy()
        if self._state.parts == 1:
            return self._part(epoch, 0)(positions)
        owners = np.searchsorted(self._bounds, positions, "right") - 1
        starts = np.array(self._bounds)[owners]
        return starts + mapped(owners, positions - starts, partial(self._part, epoch))

    def _part(self, epoch: int, owner: int) -> Permutation | BlockPermutation | ShardPermutation:
        """Return the permutation of a part of the data set."""
        state, (start, stop) = self._state, self._bounds[owner : owner + 2]
        key = mix(state.seed, epoch) if state.parts == 1 else mix(state.seed, epoch, owner)
        if state.blocks is not None:
            return BlockPermutation(stop - start, state.blocks, key)
        if state.walk is None or not self.walks(epoch):
            return Permutation(stop - start, key)
        if (start, key) not in self._walks:
            assert self._walk is not None
            counts = self._walk.clipped(start, stop)
            self._walks[start, key] = ShardPermutation(counts, state.walk[0], key)
        return self._walks[start, key]

    def walk_at(self, epoch: int, position: int) -> tuple[ShardPermutation, int]:
        """Return the order of shards that holds a position, and its own first position."""
        owner = bisect_right(self._bounds, position) - 1
        order = self._part(epoch, owner)
        assert isinstance(order, ShardPermutation)
        return order, self._bounds[owner]
