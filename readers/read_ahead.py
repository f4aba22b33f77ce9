"""Batches that are read ahead, so that a pipeline does not wait for round trips."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.graph.context import BatchContext
from ..engine.order.sampler import Selection
from ..engine.tensors.memory import SlabPool
from ..engine.threads import Team
from .interrupt import Interrupt
from .selections import Selects
from .source import Column, Columns, Readable

JOIN_SECONDS = 0.8
"""Time that `close` waits for the threads that read; the executor waits as long."""


class AheadReading:
    """Reads the next batches in other threads while one is handed out: a `BatchReading`.

    A batch's samples follow from its number, so reading a batch early changes no result.

    At most `depth` batches are read ahead. A read starts only while the pool has room for all
    batches under way, each as large as the largest batch so far.
    """

    def __init__(
        self, source: Readable, sampler: Selects, depth: int, interrupt: Interrupt
    ) -> None:
        """Set the storage, the order of its samples, and the interrupt of waits for storage."""
        self._source = source
        self._sampler = sampler
        self._depth = depth
        self._interrupt = interrupt
        self._under_way: dict[int, _ReadUnderWay] = {}
        self._largest: int | None = None
        self._team = Team("penstock-read-ahead", depth + 1)

    def select(self, number: int) -> Selection:
        """Return the samples of batch `number`: see `Sampler.select`."""
        return self._sampler.select(number)

    def take_batch(self, batch: BatchContext, selection: Selection) -> Columns:
        """Return the batch, or raise the error of its read; start the reads of later batches."""
        wanted = range(batch.number, batch.number + self._depth + 1)
        for dropped in self._under_way.keys() - wanted:
            self._under_way.pop(dropped).call.cancel()
        self._start_read(batch.number, batch.pool)
        room = batch.pool.room
        for following in wanted[1:]:
            if not self._fits(room):
                break
            self._start_read(following, batch.pool)
        reading = self._under_way.pop(batch.number)
        columns = reading.call.result()
        self._largest = max(self._largest or 0, reading.nbytes)
        batch.count_bytes(host=sum(map(nbytes_of, columns)))
        return columns

    def forget(self) -> None:
        """Drop the reads under way."""
        while self._under_way:
            self._under_way.popitem()[1].call.cancel()

    def close(self) -> None:
        """Drop the reads under way; wait for the threads, unless their reads take too long."""
        self.forget()
        self._team.close(JOIN_SECONDS)

    def _fits(self, room: int) -> bool:
        # Memory of reads under way counts twice: the estimate is rather too high than too low.
        largest = self._largest
        return largest is not None and room >= largest * (len(self._under_way) + 1)

    def _start_read(self, number: int, pool: SlabPool) -> None:
        if number not in self._under_way:
            indices = self._sampler.select(number).index
            reading = _ReadUnderWay(self._team, self._source, indices, pool, self._interrupt)
            self._under_way[number] = reading


class _ReadUnderWay:
    """One batch that is being read.

    Attributes:
        nbytes: memory that the batch has taken.
        call: the call that reads the batch and returns the columns.
    """

    def __init__(
        self,
        team: Team,
        source: Readable,
        indices: NDArray[np.int64],
        pool: SlabPool,
        interrupt: Interrupt,
    ) -> None:
        self.nbytes = 0
        self._source = source
        self._indices = indices
        self._pool = pool
        self._interrupt = interrupt
        self.call = team.submit(self._read)

    def _read(self) -> Columns:
        with self._interrupt:
            return self._source.read(self._indices, self._allocate)

    def _allocate(self, shape: tuple[int, ...], dtype: Any) -> Any:
        block = self._pool.empty(shape, dtype)
        self.nbytes += block.nbytes
        return block


def nbytes_of(column: Column) -> int:
    """Return the bytes of all samples."""
    return sum(row.nbytes for row in column) if isinstance(column, list) else column.nbytes
