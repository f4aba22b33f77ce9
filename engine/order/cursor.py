"""The samples of each batch, if a plan says which sample stands at each position of an epoch.

All ranks together read the positions one after the other. Step t of K ranks with batches of B
samples has the next K * B positions, and rank r has block r of B:

    positions   0 1 2 3 | 4 5 6 7 | 8 9 ...      of one epoch after the other
    step 0      rank 0  | rank 1  |              K = 2, B = 4
    step 1                        | rank 0 ...

What has been read is always a prefix. So the state is a position, the same on every rank, and any
number of ranks goes on from it. A step may also hold its samples while the number of ranks changes.
Then G samples of a step are cut into K batches of almost equal size:

    step 0      rank 0    | rank 1  | rank 2        G = 8, K = 3: batches of 2, 3 and 3
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from .dealt import Dealt
from .mixture import Mixture
from .mixture_state import MixtureState
from .order import Order
from .rounds import RoundsState
from .sampler import check_global_batch, check_shard, dealt_samples, restored_state
from .sampler_state import SamplerState
from .selection import Selection


class Cursor(Order):
    """The batches of one rank in the order of a plan, each computed from its number alone.

    Args:
        plan: says which samples there are, and where to begin.
        batch_size: samples of a batch.
        shard_id: number of this rank.
        num_shards: number of ranks.
        pad_last_batch: fill up each epoch with copies of its last sample to whole steps. Else a
            step goes on in the next epoch.

    >>> from penstock.engine.order.shares import shares_of_repeats
    >>> sizes = {"a": 3, "b": 3}
    >>> plan = Mixture(sizes, shares_of_repeats(sizes, {}))
    >>> first, second = (Cursor(plan, 2, shard_id=rank, num_shards=2) for rank in range(2))
    >>> [rank.select(0).index.tolist() for rank in (first, second)]
    [[0, 3], [1, 4]]
    >>> first.state_after(1) == second.state_after(1)
    True
    """

    def __init__(
        self,
        plan: Mixture | Dealt,
        batch_size: int,
        *,
        shard_id: int = 0,
        num_shards: int = 1,
        pad_last_batch: bool = False,
    ) -> None:
        if batch_size < 1:
            raise ArgumentError(f"batch_size={batch_size}: expected 1 or more")
        check_shard(plan.samples, shard_id, num_shards)
        self.plan = plan
        self.state: SamplerState | MixtureState = plan.start
        self.of_epochs = plan.order.of_epochs if isinstance(plan, Dealt) else None
        self._rank = shard_id
        self._ranks = num_shards
        self.global_batch = whole = self.state.global_batch
        self.epoch_size = plan.length(self.state.epoch + plan.is_constant)
        self._step = step = whole or batch_size * num_shards
        check_global_batch(step, num_shards)
        cuts = [step * rank // num_shards for rank in range(num_shards + 1)]
        self._blocks = [*pairwise(cuts)]  # of each rank in a step
        self.batch_size = cuts[shard_id + 1] - cuts[shard_id]
        self._largest = max(batch_size, -(-step // num_shards))
        self._pad = pad_last_batch
        self._first = self.state.epoch
        # Positions of all ranks form one line. These epochs end there, from the first one on.
        self._ends = [self._span(self._first)]

    @property
    def largest_batch(self) -> int:
        return self._largest

    @property
    def epoch_size_padded(self) -> int:
        longest = -(-self.epoch_size // self._step) * self.largest_batch
        return self._ranks * longest if self._pad else self.epoch_size

    def sizes(self, epoch: int) -> tuple[int, ...]:
        """As `Order` says. If the global batch is held, each whole batch counts as `largest_batch`.

        So all ranks have as many batches.
        """
        start = self._end(epoch - 1)
        return self._counted(start, start + self._length(epoch))

    def sizes_left(self, batches: int) -> tuple[int, ...]:
        start = batches * self._step
        epoch, offset = self._locate(start)
        return self._counted(start, start + self._length(epoch) - offset)

    def _counted(self, start: int, stop: int) -> tuple[int, ...]:
        """Return what `sizes` counts of the places [start, stop) of an epoch.

        With padding, an epoch begins with a step, and its last batches are what they are. Without,
        an epoch has the steps that end in it, or at its end.
        """
        if not self.global_batch:
            deal = self._ranks, self.batch_size
            return tuple(
                dealt_samples(stop, rank, *deal) - dealt_samples(start, rank, *deal)
                for rank in range(self._ranks)
            )
        if not self._pad:
            steps = -(-stop // self._step) - -(-start // self._step)
            return (steps * self.largest_batch,) * self._ranks
        steps, left = divmod(stop - start, self._step)
        lasts = [(min(max(left - low, 0), high - low), high - low) for low, high in self._blocks]
        return tuple(
            (steps + (last == own)) * self.largest_batch + (last if last < own else 0)
            for last, own in lasts
        )

    def _pieces(self, batch: int, batches: int) -> list[Selection]:
        own = np.arange(*self._blocks[self._rank], dtype=np.int64)
        steps = np.arange(batch, batch + batches, dtype=np.int64)[:, None] * self._step
        line = (steps + own).reshape(-1)
        low, high = (self._locate(int(line[i]))[0] for i in (0, -1))
        ends = [self._end(epoch) for epoch in range(low - 1, high + 1)]
        cuts = np.searchsorted(line, ends).tolist()
        return [
            self._piece(low + i, line[start:stop] - ends[i])
            for i, (start, stop) in enumerate(pairwise(cuts))
        ]

    def replacement(self, epoch: int, position: int, attempt: int) -> int | None:
        return self.plan.replacement(epoch, position, attempt)

    def _piece(self, epoch: int, offsets: Int64s) -> Selection:
        """Return the samples at places of what is left of an epoch, with copies."""
        length = self._length(epoch)
        valid = offsets < length
        places = np.minimum(offsets, length - 1) + self._begin(epoch)
        index, positions, sources = self.plan.select(epoch, places)
        epochs = np.full(len(index), epoch, np.int64)
        return Selection(index, epochs, positions, valid, source=sources)

    def _state_after(self, batches: int) -> Any:
        epoch, offset = self._locate(batches * self._step)
        return self.state.moved_to(epoch, offset + self._begin(epoch))

    def _last_epoch(self, batches: int) -> int:
        return self._locate(batches * self._step - 1)[0]

    def _locate(self, place: int) -> tuple[int, int]:
        """Return the epoch at a place of the line, and the place in what is left of this epoch."""
        if self.plan.is_constant and place >= self._ends[0]:
            more = 1 + (place - self._ends[0]) // self._span(self._first + 1)
        else:
            while self._ends[-1] <= place:
                self._end(self._first + len(self._ends))  # is entered in the list
            more = bisect_right(self._ends, place)
        epoch = self._first + more
        return epoch, place - self._end(epoch - 1)

    def _end(self, epoch: int) -> int:
        """Return where an epoch ends on the line: 0 for those before the first."""
        if epoch < self._first:
            return 0
        more = epoch - self._first
        if self.plan.is_constant and more:
            return self._ends[0] + more * self._span(epoch)
        while len(self._ends) <= more:
            self._ends.append(self._ends[-1] + self._span(self._first + len(self._ends)))
        return self._ends[more]

    def _span(self, epoch: int) -> int:
        """Return the places of an epoch on the line, with copies."""
        length = self._length(epoch)
        return -(-length // self._step) * self._step if self._pad else length

    def _length(self, epoch: int) -> int:
        """Return how many positions of an epoch are left."""
        return self.plan.length(epoch) - self._begin(epoch)

    def _begin(self, epoch: int) -> int:
        """Return the first position of an epoch that is left."""
        return self.state.at if epoch == self._first else 0


def state_of(value: object) -> SamplerState | MixtureState | RoundsState:
    """Return the state of a reader's order that JSON holds, after a check of all values."""
    plan = value.get("plan") if isinstance(value, Mapping) else None
    if plan == RoundsState.plan:
        return RoundsState.from_json(value)
    return MixtureState.from_json(value) if plan == MixtureState.plan else restored_state(value)
