"""The way in which a reader reads its batches: one object, chosen when the reader opens.

    BatchGroups      small batches selected and read together (the default)
    AheadReading     batches read by other threads before they are asked for
    RegionReading    arrays, a region of each sample that is known with the batch only
    DirectReading    arrays read into GPU memory

The last two are of `readers.npy`. Where the samples come from is another matter: `BlockReads`
stands between any of the first two and a source, and `ProcessSource` between groups and a source.
"""

from __future__ import annotations

from typing import Protocol

from ..engine.graph.context import BatchContext
from ..engine.order.sampler import Selection
from ..engine.tensors import TensorList
from .source import Column


class BatchReading(Protocol):
    """How batches are selected and read. One thread uses it."""

    def select(self, number: int) -> Selection:
        """Return the samples of batch `number`: a pure function of the number."""

    def take_batch(
        self, batch: BatchContext, selection: Selection
    ) -> tuple[Column | TensorList, ...]:
        """Return the samples of a batch, an entry an output.

        Args:
            batch: gives memory, and counts the bytes that the batch takes.
            selection: what `select` returned for this batch.

        Raises:
            Exception: any sample of the batch cannot be read.
        """

    def forget(self) -> None:
        """Drop what was read or begun for batches to come, whose samples are others now."""

    def close(self) -> None:
        """Drop what was read or begun for batches to come."""
