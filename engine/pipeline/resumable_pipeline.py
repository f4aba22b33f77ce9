"""The members of a pipeline that save where the run stands, and go on from there."""

from __future__ import annotations

import os
from typing import Any

from ..order import checkpoint as checkpoints
from ..run.checkpointing import input_states, states_of, write_file
from ..run.random_keys import draws_from_seed
from .pipeline_base import PipelineBase


class ResumablePipeline(PipelineBase):
    """The part of a `Pipeline` that makes checkpoints."""

    def checkpoint(
        self,
        filename: str | os.PathLike[str] | None = None,
        *,
        iterator: dict[str, Any] | None = None,
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
        """
        self.build()
        assert self._plan is not None
        with self._taken_turn():
            inputs = input_states(self._plan, self._delivered, self._user_state)
            samples = self._first_sample() + self._delivered * self._config.batch_size
        seed = self._seed if draws_from_seed(self._plan.nodes) else None
        data = checkpoints.Checkpoint(seed, samples, inputs, iterator).dump()
        if filename is not None:
            write_file(filename, data)
        return data

    def _first_sample(self) -> int:
        """Return the position of the first sample of batch 0; a checkpoint may be of later ones."""
        if self._restored is None:
            return 0
        return self._restored.samples - self._restored_at * self._config.batch_size

    @property
    def iterator_state(self) -> dict[str, Any] | None:
        """What an iterator has added to the checkpoint at which the pipeline stands, if any."""
        moved = self._restored is None or self._delivered > self._restored_at
        return None if moved or self._restored is None else self._restored.iterator

    def restore(self, checkpoint: str | bytes | os.PathLike[str]) -> None:
        """Go on from a checkpoint of the same graph, as a new pipeline does with `checkpoint=`.

        Batches that are under way are dropped.

        Raises:
            CheckpointError: the checkpoint belongs to another graph or to other data.
        """
        saved = checkpoints.load(checkpoint)
        with self._turn:
            self.build()
            assert self._plan is not None
            states = states_of(self._plan, saved)
            with self._at_rest() as plan:
                for member in plan.inputs:
                    member.operator.restore(self._delivered, states.get(member.node.name))
                self._restored, self._restored_at = saved, self._delivered
                self._seed = self._seed if saved.seed is None else saved.seed
                self._user_state = dict(states)
                self._place(plan)
