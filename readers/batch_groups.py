"""Several small batches drawn and read at once, because each read has its fixed costs."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..engine.batch import Batch
from ..engine.sampler import Draw, Sampler
from .source import Allocate, Column

Columns = tuple[Column, ...]
Read = Callable[[NDArray[np.int64], Allocate], Columns]

_SAMPLES = 1024  # measured: from here on, the fixed costs of a read are lost in its work
_DRAWN = 2048  # samples of which is found out at once which they are
_SECONDS = 0.01  # workers have decoding to do for longer than that
_BYTES = 16 << 20  # measured: more, and what is read leaves the caches before it is used
_SHARE_OF_ROOM = 8


class BatchGroups:
    """Draws and reads batches in groups, and hands them out one by one.

    A batch's samples follow from its number, so it changes nothing which batches are read
    together. The first group is one batch; groups grow twofold while that pays: up to 1024
    samples, as long as a read takes 10 ms and 16 MiB (or an eighth of what the pool has left)
    at most. So storage that is slow is read batch by batch, while others are decoded.

    The batches of a group share memory, which comes back when all of them are dropped; it
    counts as taken by the first. No sample comes twice in a group: a consumer that writes into
    one batch leaves the others alone.
    """

    _drawn: Draw  # by the group in hand
    _all: Draw  # of the batches that are known

    def __init__(self, read: Read, sampler: Sampler, batch_size: int, *, single: bool) -> None:
        """Take what reads samples, and their order; `single` says to make no groups."""
        self._read = read
        self._sampler = sampler
        self._batch_size = batch_size
        self._most = 1 if single else max(1, _SAMPLES // batch_size)
        self._count = 1  # of batches in the next group
        self._at_once = max(1, _DRAWN // batch_size)
        self._known = range(0)
        self.forget()

    def forget(self) -> None:
        """Drop the batches that are left of a group; they are read again when asked for."""
        self._numbers = range(0)
        self._columns: Columns | None = None

    def draw(self, number: int) -> Draw:
        """Return the samples of batch `number`: see `Sampler.draw`."""
        if number not in self._numbers:
            self._begin(number)
        rows, drawn = self._rows(number), self._drawn
        return Draw(
            drawn.index[rows].copy(),
            drawn.epoch[rows].copy(),
            drawn.position[rows].copy(),
            drawn.valid[rows].copy(),
        )

    def _begin(self, number: int) -> None:
        self.forget()
        count = self._count
        drawn = self._draw(number, count)
        if count > 1 and len(np.unique(drawn.index)) < len(drawn.index):
            count, drawn = 1, self._draw(number, 1)
        self._numbers, self._drawn = range(number, number + count), drawn

    def _draw(self, number: int, count: int) -> Draw:
        """Return the samples of some batches, out of more that are drawn at once."""
        if number not in self._known or number + count > self._known.stop:
            self._known = range(number, number + max(count, self._at_once))
            self._all = self._sampler.draw(number, len(self._known))
        rows = slice(
            (number - self._known.start) * self._batch_size,
            (number - self._known.start + count) * self._batch_size,
        )
        drawn = self._all
        return Draw(drawn.index[rows], drawn.epoch[rows], drawn.position[rows], drawn.valid[rows])

    def _rows(self, number: int) -> slice:
        begin = (number - self._numbers.start) * self._batch_size
        return slice(begin, begin + self._batch_size)

    def take(self, batch: Batch) -> Columns:
        """Return the columns of the batch, or raise what reading it alone raised."""
        if batch.number not in self._numbers:
            self._begin(batch.number)
        if self._columns is None:
            self._columns = self._read_group(batch)
        rows = self._rows(batch.number)
        columns = tuple(column[rows] for column in self._columns)
        if batch.number == self._numbers[-1]:
            self.forget()  # or the memory would be kept while the next group is read
        return columns

    def _read_group(self, batch: Batch) -> Columns:
        taken, started = batch.taken_bytes, perf_counter()
        try:
            columns = self._read(self._drawn.index, batch.empty)
        except BaseException:
            self._count = 1
            if len(self._numbers) == 1:
                raise
            self._begin(batch.number)  # a bad sample may be that of a batch whose turn will come
            return self._read(self._drawn.index, batch.empty)
        self._adapt(perf_counter() - started, batch.taken_bytes - taken, batch.pool.room)
        return columns

    def _adapt(self, seconds: float, nbytes: int, room: int) -> None:
        """Choose the next group's size by what this one took."""
        count = len(self._numbers)
        most = min(_BYTES, room // _SHARE_OF_ROOM)
        cost = max(seconds / _SECONDS, nbytes / most if most > 0 else np.inf)
        if cost > 1:
            self._count = max(1, count // 2)
        elif cost <= 0.5:
            self._count = min(2 * count, self._most)
        else:
            self._count = count
