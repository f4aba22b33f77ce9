"""What the reader of arrays knows of a batch besides its samples, and who reads such batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...engine.arrays import Array
from ...engine.order.sampler import Selection
from ...engine.pending import Pending
from ..reading.carriers import Carrier, CountedMemory, ReadColumns
from ..sample_forms import SampleForm
from .source import NumpySource


@dataclass
class BatchRegions:
    """What is known of a batch of arrays besides its samples.

    Attributes:
        values: arguments of the region that differ by sample, (samples, values) each.
        form: of most of the batch's samples, once they are read.
        upload: copies a sample to the GPU, if the batch is there already.
    """

    values: dict[str, Array] = field(default_factory=dict)
    form: SampleForm | None = None
    upload: Callable[[Array], Any] | None = None


def regions_of(selection: Selection) -> BatchRegions:
    """Return what is known of a batch: an entry of `Selection.extra`."""
    found: BatchRegions = selection.extra.setdefault("regions", BatchRegions())
    return found


class ArrayReads(Carrier):
    """Reads arrays in the thread that asks; a process copies them out of maps, if it can."""

    def __init__(self, source: NumpySource) -> None:
        """Set what is read."""
        self._source = source

    def start(self, selection: Selection, memory: CountedMemory) -> Pending[ReadColumns]:
        return self._source.start(selection.index, memory.empty, regions_of(selection).values)
