"""Epoch arithmetic: how many batches an epoch has, and how many samples of each batch count.

The functions are pure: none touches a pipeline, and every rank computes the same number of batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from ..engine.errors import ArgumentError


class LastBatchPolicy(Enum):
    """The treatment of the last batch if the epoch's samples do not fill this batch.

    * `FILL`: the batch is full. The reader repeats the last sample (`pad_last_batch=True`) or
      continues with samples of the next epoch. In the latter case these samples do not come
      again, so the next epoch may be a batch shorter.
    * `DROP`: the iterator leaves the batch out.
    * `PARTIAL`: the batch has the epoch's remaining samples only. If shards differ in size, a
      pipeline whose shard is used up yields a batch of no samples.

    With `DROP` and `PARTIAL`, a reader that does not pad has already read the samples that are cut
    off the last batch. The next epoch does not show these samples either.
    """

    FILL = 0
    DROP = 1
    PARTIAL = 2

    @classmethod
    def _missing_(cls, value: object) -> LastBatchPolicy:
        """Return the policy that a name means, in any case.

        >>> LastBatchPolicy("partial") is LastBatchPolicy.PARTIAL
        True
        """
        for policy in cls:
            if isinstance(value, str) and value.upper() == policy.name:
                return policy
        named = ", ".join(f'"{policy.name.lower()}" or {policy}' for policy in cls)
        raise ArgumentError(
            f"last_batch_policy must be a LastBatchPolicy or its name, not {value!r}: {named}"
        )


@dataclass(frozen=True)
class Shards:
    """The division of a data set among the ranks of a reader.

    Attributes:
        samples: size of the whole data set, without padding.
        count: number of shards, and of ranks.
        padded: each shard is filled up to whole batches by repeating its last sample.
        stick: a rank stays with its shard instead of taking the next one every epoch.
        first_epoch: the epoch that is read first.
        left: number of samples that each rank has yet to read in each unfinished epoch, from
            `first_epoch` on.
        taken: number of batches of the first epoch that were handed out before, and are not of
            what is `left`.
        dealt: returns how many samples each rank reads in an epoch, if ranks read on from where all
            of them stand, and have no shards: see `Pipeline.shard_sizes`.
        largest_batch: samples that a whole batch counts as, if ranks have batches of several sizes.
    """

    samples: int
    count: int
    padded: bool
    stick: bool
    first_epoch: int = 0
    left: tuple[tuple[int, ...], ...] = ()
    taken: int = 0
    dealt: Callable[[int], tuple[int, ...]] | None = None
    largest_batch: int | None = None

    def sizes(self, epoch: int) -> tuple[int, ...]:
        """Return how many samples each rank has yet to read in `epoch`."""
        step = epoch - self.first_epoch
        return self.left[step] if step < len(self.left) else self.whole_sizes(epoch)

    def whole_sizes(self, epoch: int) -> tuple[int, ...]:
        """Return how many samples each rank reads in a whole `epoch`.

        Shard i is [samples * i // count, samples * (i + 1) // count).
        """
        if self.dealt is not None:
            return self.dealt(epoch)
        ends = [self.samples * shard // self.count for shard in range(self.count + 1)]
        sizes = [ends[shard + 1] - ends[shard] for shard in range(self.count)]
        moved = 0 if self.stick else epoch % self.count
        return tuple(sizes[moved:] + sizes[:moved])


class Epochs:
    """Counts epochs, their batches and the samples in these batches.

    Args:
        shards: division of the data set.
        ranks: the rank of each pipeline, which is the shard that it reads in epoch 0.
        batch_size: samples in a batch of one pipeline.
        policy: treatment of a last batch that is not full.

    Attributes:
        number: number of the current epoch.
        steps: number of batches that the current epoch hands out. Batches that were handed out
            before the run was interrupted count, too.
        ahead: number of samples of the current epoch that each rank took in earlier epochs. Only
            with `FILL` and without padding such samples do not come again.
        taken: see `Shards`; 0 once the first epoch is over.
    """

    def __init__(
        self, shards: Shards, ranks: Sequence[int], batch_size: int, policy: LastBatchPolicy
    ) -> None:
        if shards.dealt and not shards.padded and policy is not LastBatchPolicy.FILL:
            raise ArgumentError(
                f"LastBatchPolicy.{policy.name} would lose samples of a reader that mixes sources, "
                "because the last batch of its epoch goes on in the next epoch: give the reader "
                "pad_last_batch=True, or take LastBatchPolicy.FILL"
            )
        smallest = shards.samples // shards.count
        if policy is LastBatchPolicy.DROP and smallest < batch_size and not shards.dealt:
            raise ArgumentError(
                f"LastBatchPolicy.DROP would leave no batch: the smallest of {shards.count} "
                f"shard(s) has {smallest} samples, which do not fill a batch of {batch_size}; "
                "use smaller batches, or LastBatchPolicy.FILL or PARTIAL"
            )
        self._shards = shards
        self._ranks = tuple(ranks)
        self._batch_size = shards.largest_batch or batch_size
        self._policy = policy
        self._carries = policy is LastBatchPolicy.FILL and not shards.padded
        self.restart()

    def restart(self, ahead: Sequence[int] = ()) -> None:
        """Return to the first epoch, after the data was rewound.

        Args:
            ahead: see the class; by default, no samples were taken.
        """
        first = self._shards.first_epoch
        self.taken = self._shards.taken
        self.begin(first, ahead, sizes=self._shards.sizes(first))

    def begin(
        self, number: int, ahead: Sequence[int] = (), *, sizes: Sequence[int] | None = None
    ) -> None:
        """Go to an epoch.

        Args:
            number: number of the epoch.
            ahead: see the class; by default, no samples were taken.
            sizes: number of samples that each rank has yet to read; by default, all of its shard.
        """
        self.number = number
        if sizes is None:
            self.taken = 0
            sizes = self._shards.whole_sizes(number)
        self._sizes = tuple(sizes)
        self.ahead = tuple(ahead) or (0,) * self._shards.count
        self.steps = self.taken + self._count_steps()

    @property
    def keeps_steps(self) -> bool:
        """Whether steps may go on in the next epoch, or are filled up, without a loss."""
        return self._shards.padded or self._policy is LastBatchPolicy.FILL

    @property
    def left(self) -> tuple[tuple[int, ...], ...]:
        """What `Shards.left` has of the current epoch and of those after it."""
        return self._shards.left[self.number - self._shards.first_epoch :]

    def advance(self) -> None:
        """Go on to the next epoch."""
        read = (self.steps - self.taken) * self._batch_size
        ahead = [before + read - size for before, size in zip(self.ahead, self._sizes, strict=True)]
        self.taken = 0
        epoch = self.number + 1
        self.begin(epoch, ahead if self._carries else (), sizes=self._shards.sizes(epoch))

    @property
    def loses_samples(self) -> bool:
        """Whether batches of this epoch hold samples of the next one that nobody gets."""
        read = (self.steps - self.taken + self.dropped) * self._batch_size
        return not self.keeps_steps and read > min(self._sizes)

    def _count_steps(self) -> int:
        if self._policy is LastBatchPolicy.DROP:
            return min(self._sizes) // self._batch_size
        if self._carries:
            due = [size - ahead for size, ahead in zip(self._sizes, self.ahead, strict=True)]
            return max(1, self._whole(max(due)))
        return self._whole(max(self._sizes))

    def rows(self, pipeline: int, step: int) -> int:
        """Return how many samples, from the first, the user gets of a pipeline's batch `step`."""
        if self._policy is not LastBatchPolicy.PARTIAL:
            return self._batch_size
        return self.own_rows(pipeline, step)

    def own_rows(self, pipeline: int, step: int) -> int:
        """Return how many samples, from the first, of a pipeline's batch are of this epoch."""
        rank = self._ranks[pipeline]
        left = self._sizes[rank] - self.ahead[rank] - (step - self.taken) * self._batch_size
        return min(self._batch_size, max(0, left))

    @property
    def dropped(self) -> int:
        """Number of batches that the iterator reads and discards after the last batch."""
        if self._policy is not LastBatchPolicy.DROP:
            return 0
        largest, smallest = max(self._sizes), min(self._sizes)
        if self._shards.padded or largest > smallest + 1:  # up to the readers' next epoch
            return self._whole(largest) - (self.steps - self.taken)
        return 1 if smallest % self._batch_size else 0

    def _whole(self, samples: int) -> int:
        return -(-samples // self._batch_size)
