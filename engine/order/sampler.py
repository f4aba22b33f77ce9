"""The samples of each batch: order, shards, padding and resuming, as arithmetic.

A *position* is a sample's number in an epoch's order, 0 to size - 1. An *index* is a sample's
number in the data set. An epoch of m remaining positions is cut into k shards: shard i holds the
positions `[m*i//k, m*(i+1)//k)`. In epoch e, rank r reads shard (r + e) % k. With
`stick_to_shard`, rank r always reads shard r. The epochs' shards, one after the other, form the
endless sequence of a rank. Batch b of B samples is the entries `[b*B, (b+1)*B)` of the sequence.
Padding repeats a shard's last sample until all shards have the same number of whole batches.
Without a shuffle, the order is DALI's, batch for batch.

Time and memory of all functions are independent of the size of the data set.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError
from .block_permutation import Blocks
from .epoch_order import EpochOrder
from .order import Order
from .permutation import LARGEST, even_cuts
from .sampler_state import Rest, SamplerState
from .selection import Selection
from .shard_permutation import Walk
from .state import Intervals, agree, damaged, joined
from .subset import Subset

_SHORT_STATE = 300
"""Characters of a state that needs no shorter form."""

_MOST_RANKS = 1 << 20
"""Ranks that a checkpoint may name: their states are computed one by one."""


class Sampler(Order):
    """The batches of one rank, each computed from the batch's number alone.

    Args:
        size: samples of the data set, 1 to 2**62.
        batch_size: samples of a batch.
        shard_id: number of this rank.
        num_shards: number of ranks, among which each epoch is divided.
        shuffle: permute each epoch as a whole, by `seed` and the epoch's number.
        seed: seed of the shuffle; a `state` brings its own seed.
        blocks: shuffle as `BlockPermutation` does.
        stick_to_shard: DALI's argument. A shuffle permutes each shard by itself, so a rank reads
            the same samples in every epoch. A restored run keeps the shuffled shards of the first
            run, also with another number of ranks.
        walk: shards that a shuffle reads whole in the first epoch: see `ShardPermutation`. A
            restored run reads shards whole if the first run did, and as long.
        shuffle_all: let the shuffle permute the whole data set in spite of `stick_to_shard`.
        pad_last_batch: DALI's argument.
        subset: the samples of the data set that the order consists of, `size` of them; by default
            all. Then positions and replacements are of these.
        state: continue a run where all ranks together stopped, also with another number of ranks
            or another batch size. Each position that remains of the epochs in progress comes
            exactly once; then whole epochs follow. Batches are numbered from the state on. With
            the same arguments, every rank continues its own batches.

    >>> sampler = Sampler(8, batch_size=2, shard_id=1, num_shards=3)
    >>> [sampler.select(batch).index.tolist() for batch in range(4)]
    [[2, 3], [4, 5], [6, 7], [0, 1]]

    Raises:
        ArgumentError: arguments contradict each other, such as more shards than samples.
        CheckpointError: the state belongs to another data set.
    """

    def __init__(
        self,
        size: int,
        batch_size: int,
        *,
        shard_id: int = 0,
        num_shards: int = 1,
        shuffle: bool = False,
        seed: int = 0,
        blocks: Blocks | None = None,
        walk: Walk | None = None,
        stick_to_shard: bool = False,
        shuffle_all: bool = False,
        pad_last_batch: bool = False,
        subset: Subset | None = None,
        state: SamplerState | None = None,
    ) -> None:
        _check_arguments(size, batch_size, shard_id, num_shards)
        if blocks is not None and not shuffle:
            raise ArgumentError("blocks change the shuffle, so they need shuffle=True")
        digest = None if subset is None else subset.digest
        if state is None:
            parts = num_shards if shuffle and stick_to_shard and not shuffle_all else 1
            walks = shuffle and blocks is None and walk is not None
            state = SamplerState(
                size=size,
                shuffle=shuffle,
                seed=seed,
                epoch=0,
                blocks=blocks,
                parts=parts,
                walk=(walk.window, 1, walk.digest) if walks and walk is not None else None,
                indices=digest,
            )
        agree(f"{state.size} samples", f"{size} samples")
        agree(_order(state.shuffle, state.blocks), _order(shuffle, blocks))
        agree(_subset(state.indices), _subset(digest))
        self.state: SamplerState = state
        self.epoch_size = size
        self.of_epochs: EpochOrder = EpochOrder(state, walk, subset)
        self.batch_size = batch_size
        self._rank = shard_id
        self._shards = num_shards
        self._stick = stick_to_shard
        self._pad = pad_last_batch
        self._rests = [Rest(state.remaining[epoch]) for epoch in sorted(state.remaining)]
        self._whole = Rest(((0, size),))
        self._cuts = {
            epoch: cuts
            for epoch, cuts in state.cuts.items()
            if len(cuts) == num_shards + 1 and not pad_last_batch
        }
        is_dealt = bool(self._rests) and state.dealt == (num_shards, batch_size)
        self._dealt = state.epoch if is_dealt else None  # the epoch that is dealt out
        self._ends = self._restored_ends(shard_id)

    @property
    def epoch_size_padded(self) -> int:
        """As in DALI, samples that fill up the last batch do not count."""
        longest = -(-self.epoch_size // self._shards)
        return self._shards * longest if self._pad else self.epoch_size

    def _pieces(self, batch: int, batches: int) -> list[Selection]:
        epoch, entry = self._locate(self._rank, batch * self.batch_size, self._ends)
        pieces = []
        missing = batches * self.batch_size
        while missing:
            count = min(missing, self._entries(self._rank, epoch) - entry)
            if count:
                pieces.append(self._piece(epoch, entry, count))
            missing -= count
            epoch, entry = epoch + 1, 0
        return pieces

    def replacement(self, epoch: int, position: int, attempt: int) -> int | None:
        return self.of_epochs.replacement(epoch, position, attempt)

    def _state_after(self, batches: int) -> SamplerState:
        reached = self._reached(batches * self.batch_size)
        first = min(epoch for epoch, _ in reached)
        last = max(self._first_whole - 1, *(epoch for epoch, _ in reached))
        remaining: dict[int, Intervals] = {}
        cuts: dict[int, tuple[int, ...]] = {}
        for epoch in range(first, last + 1):
            remaining[epoch], ends = self._left(epoch, reached)
            if ends != even_cuts(ends[-1], self._shards):
                cuts[epoch] = ends
        while last not in cuts and remaining.get(last) == self._whole.intervals:
            del remaining[last]
            last -= 1
        dealt = self.state.dealt if first == self._dealt else None
        return replace(self.state, epoch=first, remaining=remaining, cuts=cuts, dealt=dealt)

    def saved_after(self, batches: int) -> dict[str, Any]:
        """Return `state_after` of JSON types, for `restored_state`.

        Of many ranks, the state has as many intervals. Then the arithmetic that leads to the state
        is shorter: the state at which this sampler has begun, and what the ranks did since.
        """
        whole: dict[str, Any] = self.state_after(batches).to_json()
        if len(json.dumps(whole)) <= _SHORT_STATE:
            return whole
        steps = {
            "ranks": self._shards,
            "batch_size": self.batch_size,
            "batches": batches,
            "stick": self._stick,
            "pad": self._pad,
        }
        computed = self.state.to_json() | {"steps": steps}
        return min(whole, computed, key=lambda value: len(json.dumps(value)))

    def _last_epoch(self, batches: int) -> int:
        reached = self._reached(batches * self.batch_size - 1)
        return max(self._first_whole - 1, *(epoch for epoch, _ in reached))

    def _left(
        self, epoch: int, reached: list[tuple[int, int]]
    ) -> tuple[Intervals, tuple[int, ...]]:
        """Return what is left of `epoch` where ranks have `_reached`, and its `cuts`."""
        rest = self.rest(epoch)
        if epoch == self._dealt:
            entries = [entry for current, entry in reached if current == epoch]
            start = min(entries[0] * self._shards, rest.count) if entries else rest.count
            left = rest.count - start
            return joined(rest.intervals_of(start, rest.count)), even_cuts(left, self._shards)
        intervals: list[tuple[int, int]] = []
        ends = [0]
        for shard in range(self._shards):
            rank = shard if self._stick else (shard - epoch) % self._shards
            start, stop = self._shard(rank, epoch)
            current, entry = reached[rank]
            if current > epoch:
                start = stop
            elif current == epoch:
                start = min(start + entry, stop)
            intervals += rest.intervals_of(start, stop)
            ends.append(ends[-1] + stop - start)
        return joined(intervals), tuple(ends)

    def _piece(self, epoch: int, entry: int, count: int) -> Selection:
        """Return `count` entries of this rank in `epoch`."""
        samples = self._samples(self._rank, epoch)
        entries = np.arange(entry, entry + count, dtype=np.int64)
        valid = entries < samples
        if entry + count > samples:
            entries[~valid] = max(0, samples - 1)
        if not samples:
            # Nothing is left of this shard in a restored epoch. Padding repeats the sample that
            # was the shard's last when the epoch was whole.
            shard = self._shard_of(self._rank, epoch)
            position = np.full(count, even_cuts(self.epoch_size, self._shards)[shard + 1] - 1)
        else:
            position = self.rest(epoch).positions(self._ordinals(epoch, entries))
        index = self.of_epochs.indices(epoch, position)
        return Selection(index, np.full(count, epoch, np.int64), position, valid)

    @property
    def _first_whole(self) -> int:
        """The first epoch of which no rank has read a sample."""
        return self.state.epoch + len(self._rests)

    def rest(self, epoch: int) -> Rest:
        """Return the positions of an epoch that were left at the start."""
        return self._whole if epoch >= self._first_whole else self._rests[epoch - self.state.epoch]

    def _shard_of(self, rank: int, epoch: int) -> int:
        return rank if self._stick else (rank + epoch) % self._shards

    def _shard(self, rank: int, epoch: int) -> tuple[int, int]:
        """Return the ordinals [start, stop) that `rank` reads in `epoch`."""
        shard = self._shard_of(rank, epoch)
        if epoch in self._cuts:
            return self._cuts[epoch][shard], self._cuts[epoch][shard + 1]
        count = self.rest(epoch).count
        return count * shard // self._shards, count * (shard + 1) // self._shards

    def _samples(self, rank: int, epoch: int) -> int:
        """Return the number of samples that `rank` reads in `epoch`, without padding."""
        if epoch == self._dealt:
            return dealt_samples(self.rest(epoch).count, rank, self._shards, self.batch_size)
        start, stop = self._shard(rank, epoch)
        return stop - start

    def _ordinals(self, epoch: int, entries: Int64s) -> Int64s:
        """Return the ordinals that this rank reads as so many samples of its part of `epoch`."""
        if epoch != self._dealt:
            return entries + self._shard(self._rank, epoch)[0]
        turn, inside = np.divmod(entries, self.batch_size)
        dealt: Int64s = (turn * self._shards + self._rank) * self.batch_size + inside
        return dealt

    def _entries(self, rank: int, epoch: int) -> int:
        """Return the length of `epoch` in the sequence of `rank`, with padding."""
        if self._pad:
            longest = -(-self.rest(epoch).count // self._shards)
            return -(-longest // self.batch_size) * self.batch_size
        return self._samples(rank, epoch)

    def _restored_ends(self, rank: int) -> list[int]:
        """Return the end of each restored epoch in the sequence of `rank`."""
        epochs = range(self.state.epoch, self._first_whole)
        return list(accumulate(self._entries(rank, epoch) for epoch in epochs))

    def _reached(self, entry: int) -> list[tuple[int, int]]:
        """Return the epoch of an entry of each rank's sequence, and its number in this epoch."""
        ranks = range(self._shards)
        return [self._locate(rank, entry, self._restored_ends(rank)) for rank in ranks]

    def _locate(self, rank: int, entry: int, ends: list[int]) -> tuple[int, int]:
        """Return the epoch of an entry of the sequence of `rank`, and its number in this epoch.

        `ends` are the rank's `_restored_ends`.
        """
        restored = bisect_right(ends, entry)
        if restored:
            entry -= ends[restored - 1]
        if restored < len(ends):
            return self.state.epoch + restored, entry
        if self._pad or self._stick:
            epochs, entry = divmod(entry, self._entries(rank, self._first_whole))
            return self._first_whole + epochs, entry
        # A rank that does not stick to its shard reads the shards in turn: shard t % shards in
        # turn t = rank + epoch. All turns together form one line of entries, in which turn t
        # starts at size * t // shards.
        size, shards = self.epoch_size, self._shards
        offset = size * (rank + self._first_whole) // shards + entry
        turn = ((offset + 1) * shards - 1) // size
        return turn - rank, offset - size * turn // shards


def restored_state(value: object) -> SamplerState:
    """Return the state that `saved_after` has turned into `value`, after a check of all values.

    Raises:
        CheckpointError: the value is no such state.
    """
    steps = value.get("steps") if isinstance(value, dict) else None
    if steps is None:
        return SamplerState.from_json(value)
    assert isinstance(value, dict)
    first = SamplerState.from_json({name: value[name] for name in value if name != "steps"})
    try:
        ranks, batch_size, batches = (steps[name] for name in ("ranks", "batch_size", "batches"))
        numbers = ranks, batch_size, batches
        sound = all(type(number) is int for number in numbers)
        sound = sound and 1 <= ranks <= _MOST_RANKS and batches >= 0
        if not sound or batch_size < 1 or batch_size * batches > LARGEST:
            raise ValueError(f"{numbers}")
        sampler = Sampler(
            first.size,
            batch_size,
            num_shards=ranks,
            shuffle=first.shuffle,
            blocks=first.blocks,
            stick_to_shard=bool(steps["stick"]),
            pad_last_batch=bool(steps["pad"]),
            state=replace(first, indices=None),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(f"its steps are {steps!r:.200} ({error})") from error
    state: SamplerState = sampler.state_after(batches)
    return replace(state, indices=first.indices)


def dealt_samples(count: int, rank: int, ranks: int, batch_size: int) -> int:
    """Return how many of `count` items a rank gets, if each in turn gets `batch_size` of them.

    >>> [dealt_samples(11, rank, ranks=3, batch_size=2) for rank in range(3)]
    [4, 4, 3]
    """
    turns, left = divmod(count, ranks * batch_size)
    return turns * batch_size + min(max(left - rank * batch_size, 0), batch_size)


def _check_arguments(size: int, batch_size: int, shard_id: int, num_shards: int) -> None:
    if not 1 <= size <= LARGEST:
        raise ArgumentError(f"a data set of {size} samples: expected 1 to 2**62")
    if batch_size < 1:
        raise ArgumentError(f"batch_size={batch_size}: expected 1 or more")
    check_shard(size, shard_id, num_shards)


def check_shard(size: int, shard_id: int, num_shards: int) -> None:
    """Raise ArgumentError unless `size` samples have such a shard."""
    if not 0 <= shard_id < num_shards:
        raise ArgumentError(f"shard_id={shard_id}: expected 0 to num_shards - 1 = {num_shards - 1}")
    if num_shards > size:
        raise ArgumentError(
            f"num_shards={num_shards}, but the data set has {size} samples, and every shard needs "
            f"a sample: lower num_shards to {size} or less, or read more data"
        )


def check_global_batch(samples: int, ranks: int) -> None:
    """Raise ArgumentError unless the samples of a step are enough for all ranks."""
    if samples < ranks:
        raise ArgumentError(
            f"the global batch has {samples} samples, and there are {ranks} ranks, of which each "
            "needs one: keep fewer ranks, or call reshard without keep_global_batch"
        )


def _order(shuffle: bool, blocks: Blocks | None) -> str:
    return f"shuffle={shuffle}" if blocks is None else f"{blocks}"


def _subset(indices: str | None) -> str:
    return "all samples" if indices is None else f"indices= (digest {indices})"
