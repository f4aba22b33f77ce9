"""The members of a pipeline that concern the other ranks of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ArgumentError
from .staged_pipeline import StagedPipeline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph.inputs import SeekableInput


class RankedPipeline(StagedPipeline):
    """The part of a `Pipeline` that reads one of several shards."""

    @property
    def last_batch_policy(self) -> str | None:
        """The policy of the iterator over this pipeline, if it counts epochs; ranks compare it."""
        return self._ranks.last_batch_policy

    @last_batch_policy.setter
    def last_batch_policy(self, policy: str | None) -> None:
        self._ranks.last_batch_policy = policy

    def shard_sizes(self, reader: str, epoch: int | None = None) -> tuple[int, ...] | None:
        """Return how many samples each rank reads in an epoch, by a reader that reads no shards.

        These are readers that mix sources, and readers with `batch_cost`, of which each batch
        counts as one of the largest size. Of the epoch in which such a reader has begun or was
        restored, only what was left then counts. Without `epoch` it is what is left now of the
        current epoch. None for other readers, which have almost equal parts of an epoch.
        """
        operator, delivered = self._as_built().reader(reader), self._progress.delivered
        return operator.sizes_left(delivered) if epoch is None else operator.shard_sizes(epoch)

    def set_weights(self, reader: str, weights: Mapping[str, float]) -> None:
        """Change the shares of the sources of `fn.readers.mix`, or of `fn.readers.balance`.

        All ranks call this after the same batch. Each source goes on at its next sample, and an
        epoch that has begun keeps its length. Batches that are under way are dropped. A checkpoint
        has the shares, and the same program goes on with them. A program whose arguments ask for
        other shares than before the checkpoint begins with those. An iterator over the pipeline has
        the same method, which also counts the batches of the epoch anew.

        Args:
            reader: the name of the reader.
            weights: the share of each source, by its name; the sum counts as 1.

        Raises:
            ArgumentError: there is no such reader, it mixes no sources, or a weight is wrong.
        """
        with self._taken_turn():
            operator = self._as_built().reader(reader)
            operator.check_weights(weights)
            with self._at_rest() as built:
                operator.set_weights(self._progress.delivered, weights)
                self._progress.restore_sources(built.plan)

    def reshard(
        self, shard_id: int, num_shards: int, *, keep_global_batch: bool | int = False
    ) -> None:
        """Go on as one of another number of ranks, without a new pipeline.

        All ranks of the new number call this after the same batch. All readers divide what no rank
        has read of their epochs evenly among the new ranks. Batches that are under way are dropped.
        A rank that joins first calls `restore` with a checkpoint of another rank. An iterator over
        the pipeline has the same method, which also counts the epoch's batches anew.

        Args:
            shard_id: number of this rank.
            num_shards: the new number of ranks.
            keep_global_batch: let all ranks together have as many samples in each step as before,
                or so many as a number says. Batches of the ranks then differ by one sample at most,
                and may be larger than `batch_size`. This holds in later epochs, and is part of
                checkpoints. By default, each rank has batches of `batch_size`.

        Raises:
            ArgumentError: there is no such shard, or the pipeline has inputs that cannot go on
                so: then nothing has changed. With `feed_input` the fed batches would be lost.
        """
        with self._taken_turn():
            plan, readers = self._as_built().plan, self._as_built().readers()
            held = {name: _held(reader, keep_global_batch) for name, reader in readers.items()}
            for name, reader in readers.items():
                reader.check_shard(shard_id, num_shards, held[name])
            for source in plan.sources if keep_global_batch else ():
                raise ArgumentError(
                    f"{source.node.name!r} is an external source, whose batches keep_global_batch "
                    "does not know: call reshard without keep_global_batch"
                )
            for source in plan.sources:
                if source.operator.available() is not None:
                    raise ArgumentError(
                        f"{source.node.name!r} gets its batches from feed_input, and reshard would "
                        "lose those that are under way: let the source be a function or iterable"
                    )
            self._ranks.end()  # ranks that stay have been compared with others
            with self._at_rest():
                for name, reader in readers.items():
                    reader.reshard(self._progress.delivered, shard_id, num_shards, held[name])
                self._progress.restore_sources(plan)


def _held(operator: SeekableInput, asked: bool | int) -> int | None:
    """Return how many samples a step of all ranks is to have; None for batches of `batch_size`."""
    if asked is True:
        return operator.global_batch()
    if asked is False:
        return None
    if not isinstance(asked, int) or asked < 1:
        raise ArgumentError(
            f"keep_global_batch={asked!r}: expected True, False or the samples of a step"
        )
    return asked
