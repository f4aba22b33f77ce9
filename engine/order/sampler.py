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
from numpy.typing import NDArray

from ..errors import ArgumentError, CheckpointError
from .block_permutation import BlockPermutation, Blocks
from .permutation import LARGEST, Permutation
from .philox import mix
from .sampler_state import Intervals, Rest, SamplerState, damaged, joined
from .selection import Selection
from .shard_permutation import ShardPermutation, Walk
from .subset import Subset

REVISIONS = "revisions"
"""The entry of a state that readers add: which revisions of data sets they read."""

__all__ = ["REVISIONS", "Blocks", "Sampler", "SamplerState", "check_shard", "restored_state"]

_SHORT_STATE = 300
"""Characters of a state that needs no shorter form."""

_MOST_RANKS = 1 << 20
"""Ranks that a checkpoint may name: their states are computed one by one."""


class Sampler:
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
        _check_state(state, size, shuffle, blocks, digest)
        _check_walk(state, walk)
        self._walk = walk
        self._walks: dict[tuple[int, int], ShardPermutation] = {}
        self.state = state
        self._subset = subset
        self._size = size
        self.batch_size = batch_size
        self._rank = shard_id
        self._shards = num_shards
        self._shuffle = shuffle
        self._blocks = blocks
        self._seed = state.seed
        self._parts = state.parts
        self._stick = stick_to_shard
        self._pad = pad_last_batch
        self._first = state.epoch
        self._rests = [Rest(state.remaining[epoch]) for epoch in sorted(state.remaining)]
        self._cuts = {
            epoch: cuts
            for epoch, cuts in state.cuts.items()
            if len(cuts) == num_shards + 1 and not pad_last_batch
        }
        self._first_whole = self._first + len(self._rests)
        is_dealt = bool(self._rests) and state.dealt == (num_shards, batch_size)
        self._dealt = self._first if is_dealt else None  # the epoch that is dealt out
        self._whole = Rest(((0, size),))
        self._ends = self._restored_ends(shard_id)

    @property
    def epoch_size(self) -> int:
        """Samples in an epoch of all ranks together."""
        return self._size

    @property
    def epoch_size_padded(self) -> int:
        """Samples in an epoch; `pad_last_batch` counts every shard as long as the longest.

        As in DALI, samples that fill up the last batch do not count.
        """
        longest = -(-self._size // self._shards)
        return self._shards * longest if self._pad else self._size

    def shard_size(self, epoch: int) -> int:
        """Return the number of samples that this rank reads in `epoch`, without padding."""
        return self._samples(self._rank, self._known(epoch))

    def steps(self, epoch: int) -> int:
        """Return the number of this rank's batches that start in `epoch`.

        With padding, all ranks have the same number. Without padding, a batch may straddle epochs,
        and the number may differ by one between epochs and between ranks. In a restored epoch,
        only the remaining positions count.
        """
        before = self._entries_before(self._known(epoch))
        after = before + self._entries(self._rank, epoch)
        return -(-after // self.batch_size) - -(-before // self.batch_size)

    def select(self, batch: int, batches: int = 1) -> Selection:
        """Return the samples of consecutive batches, end to end.

        Args:
            batch: number of the first batch, counted from the start or from the state.
            batches: number of batches.
        """
        if batch < 0:
            raise ArgumentError(f"batch {batch}: expected a number of 0 or more")
        epoch, entry = self._locate(self._rank, batch * self.batch_size, self._ends)
        pieces = []
        missing = batches * self.batch_size
        while missing:
            count = min(missing, self._entries(self._rank, epoch) - entry)
            if count:
                pieces.append(self._piece(epoch, entry, count))
            missing -= count
            epoch, entry = epoch + 1, 0
        if len(pieces) == 1:
            return Selection(*pieces[0])
        index, epochs, position, valid = zip(*pieces, strict=True)
        return Selection(
            np.concatenate(index),
            np.concatenate(epochs),
            np.concatenate(position),
            np.concatenate(valid),
        )

    def others(self, epoch: int, position: int) -> int:
        """Return how many samples may replace the sample at a position."""
        return self._size - 1

    def replacement(self, epoch: int, position: int, attempt: int) -> int:
        """Return the index of the replacement sample for the sample at a position.

        Attempts 0 to size - 2 return every other sample of the data set once, in an order that
        depends on (seed, epoch, position).

        Raises:
            ArgumentError: the data set has no further sample.
        """
        others = self._size - 1
        if not 0 <= attempt < others:
            raise ArgumentError(
                f"attempt {attempt} to replace a sample: the data set has {others} others"
            )
        if self.walks(epoch):
            return self._neighbor(epoch, position, attempt)
        number = self._numbers(epoch, np.array([position], np.int64))
        order = Permutation(others, mix(self._seed, epoch, position))
        other = order(np.array([attempt], np.int64))
        other += other >= number
        return int(other[0] if self._subset is None else self._subset.at(epoch, other)[0])

    def _neighbor(self, epoch: int, position: int, attempt: int) -> int:
        """Return another sample: first those of the same window of shards, then all others."""
        order, shift = self._order_at(epoch, position)
        start, end = (bound + shift for bound in order.window_at(position - shift))
        inside = end - start - 1
        key = mix(self._seed, epoch, position)
        if attempt < inside:
            other = start + int(Permutation(inside, key)(np.array([attempt]))[0])
            other += other >= position
        else:
            outside = Permutation(self._size - 1 - inside, key)
            other = int(outside(np.array([attempt - inside]))[0])
            other += end - start if other >= start else 0
        return int(self.indices(epoch, np.array([other], np.int64))[0])

    def state_after(self, batches: int) -> SamplerState:
        """Return the remaining positions after each rank has delivered `batches` batches.

        Every rank computes the same state. `batches` counts from the start or the restored state.
        """
        if batches < 0:
            raise ArgumentError(f"state after {batches} batches: expected 0 or more")
        reached = [
            self._locate(rank, batches * self.batch_size, self._restored_ends(rank))
            for rank in range(self._shards)
        ]
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
        return SamplerState(
            size=self._size,
            shuffle=self._shuffle,
            seed=self._seed,
            epoch=first,
            blocks=self._blocks,
            parts=self._parts,
            walk=self.state.walk,
            indices=self.state.indices,
            remaining=remaining,
            cuts=cuts,
            dealt=self.state.dealt if first == self._dealt else None,
        )

    def saved_after(self, batches: int) -> dict[str, Any]:
        """Return `state_after` of JSON types, for `restored_state`.

        Of many ranks, the state has as many intervals. Then the arithmetic that leads to the state
        is shorter: the state at which this sampler has begun, and what the ranks did since.
        """
        whole = self.state_after(batches).to_json()
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

    def next_epoch_after(self, batches: int) -> SamplerState:
        """Return the start of the next epoch, after each rank has delivered `batches` batches.

        This is the first epoch of which no rank has read a sample. What is left of other epochs
        is left out. Every rank computes the same state.
        """
        if batches < 1:
            raise ArgumentError(f"next epoch after {batches} batches: expected 1 or more")
        last = batches * self.batch_size - 1
        epochs = [
            self._locate(rank, last, self._restored_ends(rank))[0] for rank in range(self._shards)
        ]
        return SamplerState(
            size=self._size,
            shuffle=self._shuffle,
            seed=self._seed,
            epoch=max(self._first_whole - 1, *epochs) + 1,
            blocks=self._blocks,
            parts=self._parts,
            walk=self.state.walk,
            indices=self.state.indices,
        )

    def _left(
        self, epoch: int, reached: list[tuple[int, int]]
    ) -> tuple[Intervals, tuple[int, ...]]:
        """Return the remaining positions of `epoch`, and the borders between shards (see `cuts`).

        `reached` holds the epoch that each rank has reached, and the entry in this epoch.
        """
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

    def _piece(
        self, epoch: int, entry: int, count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return the fields of a `Selection` for `count` entries of this rank in `epoch`."""
        rest = self.rest(epoch)
        samples = self._samples(self._rank, epoch)
        entries = np.arange(entry, entry + count, dtype=np.int64)
        valid = entries < samples
        if entry + count > samples:
            entries[~valid] = max(0, samples - 1)
        if not samples:
            # Nothing is left of this shard in a restored epoch. Padding repeats the sample that
            # was the shard's last when the epoch was whole.
            shard = self._shard_of(self._rank, epoch)
            position = np.full(count, self._size * (shard + 1) // self._shards - 1, np.int64)
        else:
            position = rest.positions(self._ordinals(epoch, entries))
        return self.indices(epoch, position), np.full(count, epoch, np.int64), position, valid

    def indices(self, epoch: int, position: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the samples that stand at positions of an epoch."""
        numbers = self._numbers(epoch, position)
        return numbers if self._subset is None else self._subset.at(epoch, numbers)

    def _numbers(self, epoch: int, position: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of the samples in their data set, or in the subset of it."""
        if not self._shuffle:
            return position.copy()
        if self._parts == 1:
            return self._permuted(epoch, 0, self._size, mix(self._seed, epoch), position)
        indices = np.empty_like(position)
        bounds = np.array(even_cuts(self._size, self._parts), np.int64)
        owners = np.searchsorted(bounds, position, "right") - 1
        for owner in np.unique(owners).tolist():
            start, stop = bounds[owner : owner + 2].tolist()
            rows, key = owners == owner, mix(self._seed, epoch, owner)
            inside = position[rows] - start
            indices[rows] = start + self._permuted(epoch, start, stop - start, key, inside)
        return indices

    def _permuted(
        self, epoch: int, start: int, size: int, key: int, position: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        if self._blocks is not None:
            return BlockPermutation(size, self._blocks, key)(position)
        if self.walks(epoch):
            return self._walk_of(start, size, key)(position)
        return Permutation(size, key)(position)

    def walks(self, epoch: int) -> bool:
        """Return whether shards are read whole in an epoch."""
        return self.state.walk is not None and epoch < self.state.walk[1]

    def _walk_of(self, start: int, size: int, key: int) -> ShardPermutation:
        """Return the order of the samples [start, start + size), which is kept."""
        assert self._walk is not None
        assert self.state.walk is not None
        order = self._walks.get((start, key))
        if order is None:
            counts = self._walk.clipped(start, start + size)
            order = self._walks[start, key] = ShardPermutation(counts, self.state.walk[0], key)
        return order

    def shards_from(self, epoch: int, position: int, windows: int) -> list[int]:
        """Return the shards that are read from a position of an epoch on; [] if none is whole.

        Args:
            epoch, position: of the sample that comes next.
            windows: windows of shards, the one that holds the position included.
        """
        if not self.walks(epoch):
            return []
        order, shift = self._order_at(epoch, position)
        return order.shards_from(position - shift, windows)

    def _order_at(self, epoch: int, position: int) -> tuple[ShardPermutation, int]:
        """Return the order of shards that holds a position, and its own first position."""
        if self._parts == 1:
            return self._walk_of(0, self._size, mix(self._seed, epoch)), 0
        bounds = even_cuts(self._size, self._parts)
        owner = bisect_right(bounds, position) - 1
        start, stop = bounds[owner : owner + 2]
        return self._walk_of(start, stop - start, mix(self._seed, epoch, owner)), start

    def rest(self, epoch: int) -> Rest:
        """Return the positions of an epoch that were left at the start."""
        return self._whole if epoch >= self._first_whole else self._rests[epoch - self._first]

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

    def _ordinals(self, epoch: int, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ordinals that this rank reads as so many samples of its part of `epoch`."""
        if epoch != self._dealt:
            return entries + self._shard(self._rank, epoch)[0]
        turn, inside = np.divmod(entries, self.batch_size)
        dealt: NDArray[np.int64] = (turn * self._shards + self._rank) * self.batch_size + inside
        return dealt

    def _entries(self, rank: int, epoch: int) -> int:
        """Return the length of `epoch` in the sequence of `rank`, with padding."""
        if self._pad:
            longest = -(-self.rest(epoch).count // self._shards)
            return -(-longest // self.batch_size) * self.batch_size
        return self._samples(rank, epoch)

    def _restored_ends(self, rank: int) -> list[int]:
        """Return the end of each restored epoch in the sequence of `rank`."""
        epochs = range(self._first, self._first_whole)
        return list(accumulate(self._entries(rank, epoch) for epoch in epochs))

    def _locate(self, rank: int, entry: int, ends: list[int]) -> tuple[int, int]:
        """Return the epoch of an entry of the sequence of `rank`, and its number in this epoch.

        `ends` are the rank's `_restored_ends`.
        """
        restored = bisect_right(ends, entry)
        if restored:
            entry -= ends[restored - 1]
        if restored < len(ends):
            return self._first + restored, entry
        if self._pad or self._stick:
            epochs, entry = divmod(entry, self._entries(rank, self._first_whole))
            return self._first_whole + epochs, entry
        # A rank that does not stick to its shard reads the shards in turn: shard t % shards in
        # turn t = rank + epoch. All turns together form one line of entries, in which turn t
        # starts at size * t // shards.
        offset = self._turn_start(rank + self._first_whole) + entry
        turn = ((offset + 1) * self._shards - 1) // self._size
        return turn - rank, offset - self._turn_start(turn)

    def _turn_start(self, turn: int) -> int:
        return self._size * turn // self._shards

    def _entries_before(self, epoch: int) -> int:
        """Return the number of entries of this rank's sequence before `epoch`."""
        restored = min(epoch - self._first, len(self._ends))
        before = self._ends[restored - 1] if restored else 0
        whole = epoch - self._first - restored
        if self._pad or self._stick:
            return before + whole * self._entries(self._rank, self._first_whole)
        turn = self._rank + self._first_whole
        return before + self._turn_start(turn + whole) - self._turn_start(turn)

    def _known(self, epoch: int) -> int:
        if epoch < self._first:
            raise ArgumentError(f"epoch {epoch}: this sampler starts in epoch {self._first}")
        return epoch


def restored_state(value: object) -> SamplerState:
    """Return the state that `saved_after` has turned into `value`, after a check of all values.

    Raises:
        CheckpointError: the value is no such state.
    """
    if isinstance(value, dict) and REVISIONS in value:
        value = {name: value[name] for name in value if name != REVISIONS}
    if isinstance(value, dict) and "plan" in value:
        raise CheckpointError(
            "the checkpoint belongs to a reader that mixes sources, but this one has one source: "
            "restore it with the reader of the first run"
        )
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
        raise damaged(f"sampler state: its steps are {steps!r:.200} ({error})") from error
    return replace(sampler.state_after(batches), indices=first.indices)


def dealt_samples(count: int, rank: int, ranks: int, batch_size: int) -> int:
    """Return how many of `count` items a rank gets, if each in turn gets `batch_size` of them.

    >>> [dealt_samples(11, rank, ranks=3, batch_size=2) for rank in range(3)]
    [4, 4, 3]
    """
    turns, left = divmod(count, ranks * batch_size)
    return turns * batch_size + min(max(left - rank * batch_size, 0), batch_size)


def even_cuts(count: int, shards: int) -> tuple[int, ...]:
    """Return the borders that divide `count` items into `shards` ranges of almost equal size."""
    return tuple(count * shard // shards for shard in range(shards + 1))


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


def _check_state(
    state: SamplerState, size: int, shuffle: bool, blocks: Blocks | None, indices: str | None
) -> None:
    if state.size != size:
        raise CheckpointError(
            f"the checkpoint belongs to a data set of {state.size} samples, but this data set has "
            f"{size}: restore the checkpoint with its own data set"
        )
    if (state.shuffle, state.blocks) != (shuffle, blocks):
        raise CheckpointError(
            f"the checkpoint belongs to a run with {_order(state.shuffle, state.blocks)}, but this "
            f"run has {_order(shuffle, blocks)}: give the reader the arguments of the first run, "
            "because other arguments put other samples at the positions of the checkpoint"
        )
    if state.indices != indices:
        raise CheckpointError(
            f"the checkpoint belongs to a run {_of(state.indices)}, but this run is {_of(indices)}:"
            " give the reader the indices of the first run"
        )


def _of(indices: str | None) -> str:
    return "of all samples" if indices is None else f"with indices (digest {indices})"


def _check_walk(state: SamplerState, walk: Walk | None) -> None:
    if state.walk is not None and walk is not None and state.walk[2] != walk.digest:
        raise CheckpointError(
            "the checkpoint belongs to shards with other numbers of samples, which give another "
            "order: restore it with the data set, and the `samples_per_shard`, of the first run"
        )


def _order(shuffle: bool, blocks: Blocks | None) -> str:
    return f"shuffle={shuffle}" if blocks is None else f"{blocks}"
