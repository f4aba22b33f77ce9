"""Which samples make up a batch: order, shards, padding and resuming, as arithmetic.

*Position* is a sample's place in an epoch's order, 0 to size - 1; *index* names the sample. An
epoch is cut into shards, shard i of k over the m positions that the epoch has (left) being
`[m*i//k, m*(i+1)//k)`. In epoch e rank r reads shard (r + e) % k, or always shard r if it sticks
to it. So every rank has an endless stream, epoch after epoch, and batch b of B is its entries
`[b*B, (b+1)*B)`. With padding every shard is filled up, by repeating its last sample, to the same
number of whole batches. Unshuffled this is DALI's order, batch for batch.

Nothing here takes time or memory that grows with the size of the data set.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from .block_permutation import BlockPermutation, Blocks
from .errors import ArgumentError, CheckpointError
from .permutation import LARGEST, Permutation
from .philox import mix
from .sampler_state import Intervals, Rest, SamplerState, joined

__all__ = ["Blocks", "Draw", "Sampler", "SamplerState"]


@dataclass(frozen=True, eq=False, slots=True)
class Draw:
    """The samples of one batch; every array has shape `(batch_size,)`."""

    index: NDArray[np.int64]
    """Which sample of the data set."""

    epoch: NDArray[np.int64]
    """The epoch that this sample is read in: a batch may straddle epochs."""

    position: NDArray[np.int64]
    """The sample's place in its epoch's order; what randomness is keyed by, with the epoch."""

    valid: NDArray[np.bool_]
    """False where padding repeats a sample."""


class Sampler:
    """The batches of one rank, each computed from its number alone.

    `size` samples (1 to 2**62) are divided among `num_shards` ranks, of which this is
    `shard_id`. `shuffle` permutes each epoch as a whole, by `seed` and the epoch's number;
    with `blocks`, as `BlockPermutation` does.
    `stick_to_shard` and `pad_last_batch` mean what they mean in DALI.

    With `state` the run goes on where all ranks together stood, also with another number of
    ranks or another batch size: each position left of the epochs in progress comes exactly once,
    then whole epochs follow. The seed is then the state's, and batches count from there. With the
    same arguments every rank goes on with its own batches.

    >>> sampler = Sampler(8, batch_size=2, shard_id=1, num_shards=3)
    >>> [sampler.draw(batch).index.tolist() for batch in range(4)]
    [[2, 3], [4, 5], [6, 7], [0, 1]]

    Raises `ArgumentError` for what does not fit together, such as more shards than samples, and
    `CheckpointError` for a state of another data set.
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
        stick_to_shard: bool = False,
        pad_last_batch: bool = False,
        state: SamplerState | None = None,
    ) -> None:
        _check_arguments(size, batch_size, shard_id, num_shards)
        if blocks is not None and not shuffle:
            raise ArgumentError("blocks say how samples are shuffled, so they need shuffle=True")
        if state is None:
            state = SamplerState(size=size, shuffle=shuffle, seed=seed, epoch=0, blocks=blocks)
        _check_state(state, size, shuffle, blocks)
        self._size = size
        self._batch_size = batch_size
        self._rank = shard_id
        self._shards = num_shards
        self._shuffle = shuffle
        self._blocks = blocks
        self._seed = state.seed
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
        self._whole = Rest(((0, size),))
        self._ends = self._restored_ends(shard_id)

    @property
    def epoch_size(self) -> int:
        """Samples in an epoch of all ranks together."""
        return self._size

    @property
    def epoch_size_padded(self) -> int:
        """`epoch_size`, where `pad_last_batch` makes every shard count as long as the longest.

        Like DALI's, it leaves out what fills up the last batch.
        """
        longest = -(-self._size // self._shards)
        return self._shards * longest if self._pad else self._size

    def shard_size(self, epoch: int) -> int:
        """Return how many samples this rank reads in `epoch`, padding not counted."""
        start, stop = self._shard(self._rank, self._known(epoch))
        return stop - start

    def steps(self, epoch: int) -> int:
        """Return how many of this rank's batches begin in `epoch` (with padding: all of them).

        With padding every rank has as many. Without it a batch may straddle epochs, and the
        number may differ by one from epoch to epoch and from rank to rank. In a restored epoch
        only what is left counts.
        """
        before = self._entries_before(self._known(epoch))
        after = before + self._entries(self._rank, epoch)
        return -(-after // self._batch_size) - -(-before // self._batch_size)

    def draw(self, batch: int, batches: int = 1) -> Draw:
        """Return the samples of batch number `batch`, counted from the start or the state.

        With `batches` also those of the batches after it, end to end.
        """
        if batch < 0:
            raise ArgumentError(f"batch {batch}: batches are numbered from 0 on")
        epoch, entry = self._locate(self._rank, batch * self._batch_size, self._ends)
        pieces = []
        missing = batches * self._batch_size
        while missing:
            taken = min(missing, self._entries(self._rank, epoch) - entry)
            if taken:
                pieces.append(self._piece(epoch, entry, taken))
            missing -= taken
            epoch, entry = epoch + 1, 0
        if len(pieces) == 1:
            return Draw(*pieces[0])
        index, epochs, position, valid = zip(*pieces, strict=True)
        return Draw(
            np.concatenate(index),
            np.concatenate(epochs),
            np.concatenate(position),
            np.concatenate(valid),
        )

    def spare(self, epoch: int, position: int, attempt: int) -> int:
        """Return the index of another sample, to take the place of one that cannot be used.

        Attempts 0 to size - 2 give every other sample of the data set once, in an order that
        depends on (seed, epoch, position). `ArgumentError` says that there are no more.
        """
        others = self._size - 1
        if not 0 <= attempt < others:
            raise ArgumentError(
                f"attempt {attempt} to replace a sample: the data set has {others} others"
            )
        own = int(self._indices(epoch, np.array([position], np.int64))[0])
        order = Permutation(others, mix(self._seed, epoch, position))
        other = int(order(np.array([attempt], np.int64))[0])
        return other + (other >= own)

    def state_after(self, batches: int) -> SamplerState:
        """Return what is left when each rank has delivered `batches` batches.

        Every rank computes the same. `batches` counts from the start or the restored state.
        """
        if batches < 0:
            raise ArgumentError(f"state after {batches} batches: expected 0 or more")
        reached = [
            self._locate(rank, batches * self._batch_size, self._restored_ends(rank))
            for rank in range(self._shards)
        ]
        first = min(epoch for epoch, _ in reached)
        last = max(self._first_whole - 1, *(epoch for epoch, _ in reached))
        remaining: dict[int, Intervals] = {}
        cuts: dict[int, tuple[int, ...]] = {}
        for epoch in range(first, last + 1):
            remaining[epoch], ends = self._left(epoch, reached)
            if ends != self._even_cuts(ends[-1]):
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
            remaining=remaining,
            cuts=cuts,
        )

    def _left(
        self, epoch: int, reached: list[tuple[int, int]]
    ) -> tuple[Intervals, tuple[int, ...]]:
        """Return what is left of `epoch`, and where the shards' rests meet (see `cuts`).

        `reached` has the epoch in which each rank stands, and the entry in that epoch.
        """
        rest = self._rest(epoch)
        parts: list[tuple[int, int]] = []
        ends = [0]
        for shard in range(self._shards):
            rank = shard if self._stick else (shard - epoch) % self._shards
            start, stop = self._shard(rank, epoch)
            current, entry = reached[rank]
            if current > epoch:
                start = stop
            elif current == epoch:
                start = min(start + entry, stop)
            parts += rest.part(start, stop)
            ends.append(ends[-1] + stop - start)
        return joined(parts), tuple(ends)

    def _piece(
        self, epoch: int, entry: int, taken: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return the fields of a `Draw` for `taken` entries of this rank in `epoch`."""
        rest = self._rest(epoch)
        start, stop = self._shard(self._rank, epoch)
        ordinals = np.arange(start + entry, start + entry + taken, dtype=np.int64)
        valid = ordinals < stop
        if start + entry + taken > stop:
            # An empty shard of a restored epoch has no sample to repeat: take the epoch's last.
            ordinals[~valid] = stop - 1 if stop > start else rest.count - 1
        position = rest.positions(ordinals)
        return self._indices(epoch, position), np.full(taken, epoch, np.int64), position, valid

    def _indices(self, epoch: int, position: NDArray[np.int64]) -> NDArray[np.int64]:
        if not self._shuffle:
            return position.copy()
        key = mix(self._seed, epoch)
        if self._blocks is not None:
            return BlockPermutation(self._size, self._blocks, key)(position)
        return Permutation(self._size, key)(position)

    def _rest(self, epoch: int) -> Rest:
        return self._whole if epoch >= self._first_whole else self._rests[epoch - self._first]

    def _shard(self, rank: int, epoch: int) -> tuple[int, int]:
        """Return the ordinals [start, stop) that `rank` reads in `epoch`."""
        shard = rank if self._stick else (rank + epoch) % self._shards
        if epoch in self._cuts:
            return self._cuts[epoch][shard], self._cuts[epoch][shard + 1]
        count = self._rest(epoch).count
        return count * shard // self._shards, count * (shard + 1) // self._shards

    def _even_cuts(self, count: int) -> tuple[int, ...]:
        return tuple(count * shard // self._shards for shard in range(self._shards + 1))

    def _entries(self, rank: int, epoch: int) -> int:
        """Return the length of `epoch` in the stream of `rank`, padding included."""
        if self._pad:
            longest = -(-self._rest(epoch).count // self._shards)
            return -(-longest // self._batch_size) * self._batch_size
        start, stop = self._shard(rank, epoch)
        return stop - start

    def _restored_ends(self, rank: int) -> list[int]:
        """Return where each restored epoch ends in the stream of `rank`."""
        epochs = range(self._first, self._first_whole)
        return list(accumulate(self._entries(rank, epoch) for epoch in epochs))

    def _locate(self, rank: int, entry: int, ends: list[int]) -> tuple[int, int]:
        """Return the epoch of `entry` of the stream of `rank`, and its number in that epoch.

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
        # A rank that does not stick to its shard reads the whole epochs straight on: turn t of
        # all turns over shards, t = rank + epoch, begins at size * t // shards of that line.
        place = self._turn_start(rank + self._first_whole) + entry
        turn = ((place + 1) * self._shards - 1) // self._size
        return turn - rank, place - self._turn_start(turn)

    def _turn_start(self, turn: int) -> int:
        return self._size * turn // self._shards

    def _entries_before(self, epoch: int) -> int:
        """Return how many entries of this rank's stream come before `epoch`."""
        restored = min(epoch - self._first, len(self._ends))
        before = self._ends[restored - 1] if restored else 0
        whole = epoch - self._first - restored
        if self._pad or self._stick:
            return before + whole * self._entries(self._rank, self._first_whole)
        turn = self._rank + self._first_whole
        return before + self._turn_start(turn + whole) - self._turn_start(turn)

    def _known(self, epoch: int) -> int:
        if epoch < self._first:
            raise ArgumentError(f"epoch {epoch}: this sampler begins in epoch {self._first}")
        return epoch


def _check_arguments(size: int, batch_size: int, shard_id: int, num_shards: int) -> None:
    if not 1 <= size <= LARGEST:
        raise ArgumentError(f"a data set of {size} samples: expected 1 to 2**62")
    if batch_size < 1:
        raise ArgumentError(f"batch_size={batch_size}: expected 1 or more")
    if not 0 <= shard_id < num_shards:
        raise ArgumentError(f"shard_id={shard_id}: expected 0 to num_shards - 1 = {num_shards - 1}")
    if num_shards > size:
        raise ArgumentError(
            f"num_shards={num_shards}, but the data set has {size} samples and every shard needs "
            f"one: lower num_shards to {size} or less, or read more data"
        )


def _check_state(state: SamplerState, size: int, shuffle: bool, blocks: Blocks | None) -> None:
    if state.size != size:
        raise CheckpointError(
            f"the checkpoint is of a data set of {state.size} samples, this one has {size}: "
            "restore it with the data it was made with"
        )
    if (state.shuffle, state.blocks) != (shuffle, blocks):
        raise CheckpointError(
            f"the checkpoint is of a run with {_order(state.shuffle, state.blocks)}, this one has "
            f"{_order(shuffle, blocks)}: set it as it was, its positions mean other samples "
            "otherwise"
        )


def _order(shuffle: bool, blocks: Blocks | None) -> str:
    return f"shuffle={shuffle}" if blocks is None else f"{blocks}"
