"""The members of a pipeline that concern the other ranks of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..ranks.group import process_group
from .pipeline_base import PipelineBase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..graph.inputs import SeekableInput
    from ..ranks.agreement import Agreement
    from ..work.plan import Plan


class RankedPipeline(PipelineBase):
    """The part of a `Pipeline` that reads one of several shards."""

    _agreement: Agreement | None = None
    _is_compared = False
    """Whether all ranks are known to read the same data, or none can be asked."""

    last_batch_policy: str | None = None
    """The policy of the iterator over this pipeline, if it counts epochs: the ranks compare it."""

    def _compare_ranks(self) -> None:
        """Raise ArgumentError if another rank is known to read other data, or the same shard.

        The first call, before the first batch, waits for the other ranks for a limited time.
        """
        try:
            if self._agreement is None:
                self._agreement = self._new_agreement()
            agreement = self._agreement
            self._is_compared = agreement is None or agreement.check(self._is_stopped)
        except ArgumentError:
            raise
        except RuntimeError:  # the store does not answer: its process has ended, for instance
            self._is_compared = True

    def _new_agreement(self) -> Agreement | None:
        group = process_group()
        if group is None:
            return None
        from ..ranks.agreement import agreement_of, digest  # what needs it has imported PyTorch

        assert self._plan is not None
        if early := [
            reader.node.name for reader in self._plan.readers if reader.operator.found_no_ranks
        ]:
            raise ArgumentError(
                f"the reader {early[0]!r} reads all of the data on each of {group.world} ranks, "
                "because the pipeline was built before the process group was initialized. Build "
                "pipelines and iterators after that, or give the reader num_shards=1, if each "
                "rank is to read all of the data"
            )
        readers = {reader.node.name: reader.operator for reader in self._plan.readers}
        restored = None if self._restored is None else digest([repr(self._restored.inputs)])
        common = {
            "batch_size": self._config.batch_size,
            "restored checkpoint": restored,
            "last_batch_policy": self.last_batch_policy,
        }
        return agreement_of(
            group,
            {name: reader.facts() for name, reader in readers.items()},
            {name: int(reader.meta()["shard_id"]) for name, reader in readers.items()},
            common,
        )

    def _is_stopped(self) -> bool:
        return self._closed is not None

    def _agree_on_seed(self, plan: Plan) -> None:
        """Take the seed that all ranks have, if each has drawn one for its shard of the data."""
        if self._restored is not None or self._config.seed not in (None, -1):
            return
        group = process_group()
        metas = {reader.node.name: reader.operator.meta() for reader in plan.readers}
        divided = [name for name, meta in metas.items() if meta["number_of_shards"] > 1]
        if group is not None and divided:
            from ..ranks.agreement import agreed_seed

            self._seed = agreed_seed(group, self._seed, divided)
            self._place(plan)

    def shard_sizes(self, reader: str, epoch: int | None = None) -> tuple[int, ...] | None:
        """Return how many samples each rank reads in an epoch, by a reader that reads no shards.

        These are readers that mix sources, and readers with `batch_cost`, of which each batch
        counts as one of the largest size. Of the epoch in which such a reader has begun or was
        restored, only what was left then counts. Without `epoch` it is what is left now of the
        current epoch. None for other readers, which have almost equal parts of an epoch.
        """
        operator = self._reader_named(reader)
        return (
            operator.sizes_left(self._delivered) if epoch is None else operator.shard_sizes(epoch)
        )

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
            operator = self._reader_named(reader)
            operator.check_weights(weights)
            with self._at_rest() as plan:
                operator.set_weights(self._delivered, weights)
                for source in plan.sources:
                    state = self._user_state.get(source.node.name)
                    source.operator.restore(self._delivered, state)

    def _reader_named(self, name: str) -> SeekableInput:
        self.build()
        assert self._plan is not None
        readers = {reader.node.name: reader.operator for reader in self._plan.readers}
        if name not in readers:
            raise ArgumentError(f"there is no reader named {name!r}; there are {sorted(readers)}")
        return readers[name]

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
            self.build()
            assert self._plan is not None
            held: dict[str, int | None] = {
                reader.node.name: _held(reader.operator, keep_global_batch)
                for reader in self._plan.readers
            }
            for reader in self._plan.readers:
                reader.operator.check_shard(shard_id, num_shards, held[reader.node.name])
            for source in self._plan.sources if keep_global_batch else ():
                raise ArgumentError(
                    f"{source.node.name!r} is an external source, whose batches keep_global_batch "
                    "does not know: call reshard without keep_global_batch"
                )
            for source in self._plan.sources:
                if source.operator.available() is not None:
                    raise ArgumentError(
                        f"{source.node.name!r} gets its batches from feed_input, and reshard would "
                        "lose those that are under way: let the source be a function or iterable"
                    )
            self._is_compared = True  # ranks that stay have been compared with others
            with self._at_rest() as plan:
                for reader in plan.readers:
                    operator, whole = reader.operator, held[reader.node.name]
                    operator.reshard(self._delivered, shard_id, num_shards, whole)
                for source in plan.sources:
                    state = self._user_state.get(source.node.name)
                    source.operator.restore(self._delivered, state)


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
