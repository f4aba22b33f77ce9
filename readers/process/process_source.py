"""A source whose samples are read by processes, the next ones before they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import BatchContext
from ...engine.order.sampler import Selection
from ...engine.tensors.arena import Arena
from ...engine.tensors.memory import SlabPool
from ...engine.tensors.packed_rows import MetadataFunction
from ..source import Columns, Source
from .part_reads import PartRead, PartReads, ReadParts, processes_of_cores
from .placed_columns import joined
from .reading_process import ReadingProcess

MIN_PROCESSES = 2
"""One process alone reads TFRecord files at 0.75 of the rate of two threads (four cores of an
H100's host), two processes at 1.14."""


class ProcessSource:
    """Lets processes read samples of a source; this process reads the rest. For one thread.

    While samples are handed out, the processes read those that come next.
    """

    def __init__(
        self, source: Source, arena: Arena, metadata_functions: Mapping[str, MetadataFunction]
    ) -> None:
        """Take the source, the memory of batches, and functions to run on encoded samples."""
        processes = processes_of_cores(least=MIN_PROCESSES)
        process = ReadingProcess(arena, 1, metadata_functions, processes, source)
        self._source = source
        self._reads = PartReads(process)
        self._following: tuple[NDArray[np.int64], PartRead] | None = None

    def read(
        self,
        batch: BatchContext,
        indices: NDArray[np.int64],
        following: Callable[[], Selection],
    ) -> Columns:
        """Return the samples `indices`: see `Source.read`.

        Args:
            batch: gives memory, and counts the bytes that the samples take.
            indices: of the samples.
            following: returns the samples that will be asked for next, most likely.
        """
        begun = self._begun(indices, batch.pool)
        if begun is not None:
            try:
                if batch.pool.room >= 2 * begun.nbytes:
                    self._begin_following(following().index, batch.pool)
            finally:
                parts = begun.wait()
            if parts is not None:
                batch.count_bytes(host=begun.nbytes)
                return _columns(parts)
        before, started = batch.taken_bytes, perf_counter()
        columns = self._source.read(indices, batch.empty)
        seconds = perf_counter() - started
        self._reads.count(seconds, batch.taken_bytes - before, len(indices))
        return columns

    def _begun(self, indices: NDArray[np.int64], pool: SlabPool) -> PartRead | None:
        """Return the read of these samples, which may have begun before; None without processes."""
        expected, self._following = self._following, None
        if expected is not None:
            if np.array_equal(expected[0], indices):
                return expected[1]
            expected[1].wait()
        return self._reads.begin("samples", indices, pool.empty)

    def _begin_following(self, indices: NDArray[np.int64], pool: SlabPool) -> None:
        begun = self._reads.begin("samples", indices, pool.empty)
        if begun is not None:
            self._following = indices, begun

    @property
    def path_used(self) -> str:
        """Whether processes read, or why they do not; "" before they are started."""
        return self._reads.path_used

    def close(self) -> None:
        """End the processes, and so what is waited for; reading goes on without them."""
        self._reads.close()
        self._following = None


def _columns(parts: ReadParts) -> Columns:
    columns = zip(*(placed for (placed,) in parts.answers), strict=True)
    return tuple(joined(parts.slab, parts.firsts, column) for column in columns)
