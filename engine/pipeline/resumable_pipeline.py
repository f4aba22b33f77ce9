"""The members of a pipeline that save where the run stands, and go on from there."""

from __future__ import annotations

import os
from typing import Any

from ..errors import ArgumentError
from ..order import checkpoint as checkpoints
from ..run.checkpointing import input_states, states_of, write_file
from ..run.random_keys import draws_from_seed
from .staged_pipeline import StagedPipeline


class ResumablePipeline(StagedPipeline):
    """The part of a `Pipeline` that makes checkpoints."""

    def checkpoint(
        self,
        filename: str | os.PathLike[str] | None = None,
        *,
        iterator: dict[str, object] | None = None,
        ahead: int = 0,
    ) -> bytes:
        """Return where the run stands, and write the same to `filename` if given.

        Pass the bytes, or the file's path, as the argument `checkpoint` to a pipeline with the
        same graph. The number of shards, threads or samples in a batch may differ. The rest of the
        epoch holds each sample that no rank has read yet exactly once. Every rank returns the same
        bytes, so one rank's checkpoint is enough.

        An iterator over the pipeline has a method `checkpoints`, which adds where its epoch stands.

        Args:
            filename: of a file, which is never seen half written.
            iterator: the count that an iterator adds, of JSON types.
            ahead: number of further batches after which the run stands there. They are not
                computed.

        Raises:
            ArgumentError: `ahead` is negative, or the place of an external source is not known.
        """
        plan, progress = self._as_built().plan, self._progress
        if ahead < 0 or (ahead and plan.sources):
            raise ArgumentError(
                f"ahead={ahead}: expected 0 or more, and 0 with external sources, whose place is "
                "known once they were called"
            )
        batch_size = self._definition.config.batch_size
        with self._taken_turn():
            inputs = input_states(plan, progress.delivered + ahead, progress.user_state)
            samples = progress.next_sample(batch_size) + ahead * batch_size
        seed = self._definition.seed if draws_from_seed(plan.nodes) else None
        data = checkpoints.Checkpoint(seed, samples, inputs, iterator).dump()
        if filename is not None:
            write_file(filename, data)
        return data

    @property
    def iterator_state(self) -> dict[str, Any] | None:
        """What an iterator has added to the checkpoint at which the pipeline stands, if any."""
        restored = self._progress.restored
        return None if self._progress.has_moved or restored is None else restored.iterator

    def restore(self, checkpoint: str | bytes | os.PathLike[str]) -> None:
        """Go on from a checkpoint of the same graph, as a new pipeline does with `checkpoint=`.

        Batches that are under way are dropped.

        Raises:
            CheckpointError: the checkpoint belongs to another graph or to other data.
        """
        saved = checkpoints.load(checkpoint)
        with self._turn:
            states = states_of(self._as_built().plan, saved)
            with self._at_rest() as built:
                for member in built.plan.inputs:
                    member.operator.restore(self._progress.delivered, states.get(member.node.name))
                self._progress.restore(saved, states)
                self._definition.place(built.plan, saved.seed)
