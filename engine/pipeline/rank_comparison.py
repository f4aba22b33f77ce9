"""The comparison of a pipeline with those of the other ranks of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..order.checkpoint import Checkpoint
from ..ranks.group import process_group

if TYPE_CHECKING:
    from ..ranks.agreement import Agreement
    from ..run.shutdown import Shutdown
    from .built import Built


class RankComparison:
    """Compares what the ranks read.

    Attributes:
        is_done: whether all ranks are known to read the same data, or none can be asked.
        last_batch_policy: of the iterator over the pipeline, if it counts epochs.
    """

    def __init__(self) -> None:
        self.is_done = False
        self.last_batch_policy: str | None = None
        self._agreement: Agreement | None = None

    def compare(self, built: Built, restored: Checkpoint | None, shutdown: Shutdown) -> None:
        """Raise ArgumentError if another rank is known to read other data, or the same shard.

        The first call, before the first batch, waits for the other ranks for a limited time.
        """
        try:
            if self._agreement is None:
                self._agreement = self._new_agreement(built, restored)
            self.is_done = self._agreement is None or self._agreement.check(
                lambda: shutdown.reason is not None
            )
        except ArgumentError:
            raise
        except RuntimeError:  # the store does not answer: its process has ended, for instance
            self.end()

    def end(self) -> None:
        """Compare no more."""
        self.is_done = True

    def _new_agreement(self, built: Built, restored: Checkpoint | None) -> Agreement | None:
        group = process_group()
        if group is None:
            return None
        from ..ranks.agreement import agreement_of, digest  # what needs it has imported PyTorch

        readers = built.readers()
        if early := [name for name, reader in readers.items() if reader.found_no_ranks]:
            raise ArgumentError(
                f"the reader {early[0]!r} reads all of the data on each of {group.world} ranks, "
                "because the pipeline was built before the process group was initialized. Build "
                "pipelines and iterators after that, or give the reader num_shards=1, if each "
                "rank is to read all of the data"
            )
        common = {
            "batch_size": built.definition.config.batch_size,
            "restored checkpoint": None if restored is None else digest([repr(restored.inputs)]),
            "last_batch_policy": self.last_batch_policy,
        }
        return agreement_of(
            group,
            {name: reader.facts() for name, reader in readers.items()},
            {name: int(reader.meta()["shard_id"]) for name, reader in readers.items()},
            common,
        )
