"""How batches of arrays are read: in groups, ahead, or region by region."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...engine.graph.context import Array, BatchContext
from ...engine.order.sampler import Selection
from ..batch_reading import BatchReading
from ..read_ahead import nbytes_of
from ..sample_forms import SampleForm
from ..selections import Selects
from ..source import Columns
from .source import NumpySource

READ_AHEAD_BYTES = 16 << 20
"""Bytes of a batch. While threads copy so much, one thread can find out where the next batch
lies."""

UNDER_WAY_BYTES = 128 << 20
"""Bytes of all batches that are read at a time. A small batch takes the threads less time than the
messages about it, so several are under way."""

MAX_AHEAD = 3
"""Number of batches that are read ahead at most."""


@dataclass
class RegionBatch:
    """What is known of a batch of arrays besides its samples.

    Attributes:
        values: arguments of the region that differ by sample, (samples, values) each.
        form: of most of the batch's samples, once they are read.
        upload: copies a sample to the GPU, if the batch is there already.
    """

    values: dict[str, Array] = field(default_factory=dict)
    form: SampleForm | None = None
    upload: Callable[[Array], Any] | None = None


@dataclass(frozen=True, eq=False)
class RegionSelection(Selection):
    """The samples of a batch, and the region of each."""

    regions: RegionBatch = field(default_factory=RegionBatch)


class RegionReading:
    """Reads each batch when its regions are known: a `BatchReading`."""

    def __init__(self, source: NumpySource, sampler: Selects) -> None:
        self._source = source
        self._sampler = sampler

    def select(self, number: int) -> Selection:
        """Return the samples of batch `number`: see `Sampler.select`."""
        return self._sampler.select(number)

    def begin(
        self, batch: BatchContext, selection: RegionSelection
    ) -> Callable[[], Array | None] | None:
        """Have another process begin to read the regions of a batch: see `NumpySource.begin`."""
        return self._source.begin(selection.index, batch.empty, selection.regions.values)

    def take_batch(self, batch: BatchContext, selection: Selection) -> Columns:
        """Read the regions of a batch."""
        assert isinstance(selection, RegionSelection)
        return self._source.read(selection.index, batch.empty, selection.regions.values)

    def forget(self) -> None:
        """Do nothing: no batch is read before it is asked for."""

    close = forget


class AheadIfLarge:
    """Reads batches in groups; from the first large batch on, some batches ahead: a `BatchReading`.

    Args:
        groups: the way of reading small batches.
        ahead: returns the way of reading so many batches ahead.
    """

    def __init__(self, groups: BatchReading, ahead: Callable[[int], BatchReading]) -> None:
        self._now = groups
        self._ahead: Callable[[int], BatchReading] | None = ahead

    def select(self, number: int) -> Selection:
        """Return the samples of batch `number`: see `Sampler.select`."""
        return self._now.select(number)

    def take_batch(self, batch: BatchContext, selection: Selection) -> Columns:
        """Return the samples of a batch."""
        columns: Any = self._now.take_batch(batch, selection)
        if self._ahead is not None:
            nbytes = sum(map(nbytes_of, columns))
            if nbytes >= READ_AHEAD_BYTES:
                self._now.close()
                depth = min(MAX_AHEAD, max(1, UNDER_WAY_BYTES // nbytes - 1))
                self._now, self._ahead = self._ahead(depth), None
        found: Columns = columns
        return found

    def forget(self) -> None:
        """Drop what was read or begun for batches to come."""
        self._now.forget()

    def close(self) -> None:
        """Drop what was read or begun for batches to come."""
        self._now.close()
