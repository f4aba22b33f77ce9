"""Several small batches selected and read at once, because each read has its fixed costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from ..engine.graph.context import BatchContext
from ..engine.order.sampler import Selection
from .selections import Selects
from .source import Columns, Readable

if TYPE_CHECKING:
    from .process.process_source import ProcessSource

MAX_GROUP_SAMPLES = 1024
"""Samples of a group at most. Measured: with so many, the fixed costs of a read vanish."""

MAX_GROUP_SECONDS = 0.02
"""Seconds that reading a group may take. Workers decode for longer than that."""

MAX_GROUP_BYTES = 32 << 20
"""Bytes of a group at most: a second thread helps to read so many bytes
(`local_file.TWO_THREADS_BYTES`)."""

MAX_FRACTION_OF_ROOM = 1 / 8
"""Fraction of the pool's free memory that a group may take."""


class _BatchGroup:
    """Batches that are read together.

    Attributes:
        numbers: of the batches.
        selection: their samples, end to end.
        columns: the samples once they are read; None before, and after the last batch was taken.
    """

    def __init__(self, numbers: range, selection: Selection) -> None:
        self.numbers = numbers
        self.selection = selection
        self.columns: Columns | None = None
        self._batch_size = len(selection.index) // len(numbers)

    def rows(self, number: int) -> slice:
        """Return which samples of the group are those of batch `number`."""
        start = (number - self.numbers.start) * self._batch_size
        return slice(start, start + self._batch_size)


class BatchGroups:
    """Reads batches in groups, and hands them out one by one: a `BatchReading`.

    A batch's samples follow from its number, so reading batches together changes no result. The
    first group is one batch. Groups grow twofold while that pays: up to 1024 samples and 32 MiB, as
    long as a read takes 20 ms and an eighth of the free memory of the pool at most. So slow storage
    is read batch by batch, while other threads decode the batch before.

    If processes read (`read_by`), they read the next group while this one is handed out.

    The batches of a group share memory, which comes back when all of them are dropped; the first
    batch counts all of it. No sample comes twice in a group: a consumer that writes into one
    batch leaves the others alone.

    `select` and `take_batch` may be called for any number at any time. Both look up the group of
    the number, and begin a new group if the number is not in the last one.

    Attributes:
        count: number of batches in the next group.
        single: whether no groups are made.
    """

    def __init__(
        self, source: Readable, sampler: Selects, batch_size: int, *, single: bool
    ) -> None:
        """Take the storage and the order of its samples; `single` says to make no groups."""
        self._source = source
        self._sampler = sampler
        self._batch_size = batch_size
        self.single = single
        self._most = 1 if single else max(1, MAX_GROUP_SAMPLES // batch_size)
        self.count = 1
        self._group: _BatchGroup | None = None
        self._following: _BatchGroup | None = None
        self._processes: ProcessSource | None = None

    def read_by(self, processes: ProcessSource) -> None:
        """Let processes read samples of the same source, the next group ahead, until `close`."""
        self._processes = processes

    def select(self, number: int) -> Selection:
        """Return the samples of batch `number`: see `Sampler.select`."""
        group = self._group_with(number)
        return group.selection.cut(group.rows(number))

    def take_batch(self, batch: BatchContext, selection: Selection) -> Columns:
        """Return the columns of the batch, or raise what reading that batch alone raised."""
        if batch.count > 1:
            following = partial(self._sampler.select, batch.number + batch.count, batch.count)
            return self._read(batch, selection, following)
        group = self._group_with(batch.number)
        if group.columns is None:
            group = self._read_group(group, batch)
        rows = group.rows(batch.number)
        assert group.columns is not None
        columns = tuple(column[rows] for column in group.columns)
        if batch.number == group.numbers[-1]:
            self._group = None  # or the memory would be kept while the next group is read
        return columns

    def forget(self) -> None:
        """Drop the batches that are left of a group."""
        self._group = self._following = None

    def close(self) -> None:
        """Drop the batches that are left of a group; end the processes."""
        self.forget()
        if self._processes is not None:
            self._processes.close()

    def _group_with(self, number: int) -> _BatchGroup:
        """Return the group of batch `number`: the last one, or a new one."""
        if self._group is None or number not in self._group.numbers:
            following, self._following = self._following, None
            if following is None or number not in following.numbers:
                following = self._new_group(number, self.count)
            self._group = following
        return self._group

    def _new_group(self, number: int, count: int) -> _BatchGroup:
        selection = self._sampler.select(number, count)
        if count > 1 and selection.has_repeats:
            return self._new_group(number, 1)
        return _BatchGroup(range(number, number + count), selection)

    def _read_group(self, group: _BatchGroup, batch: BatchContext) -> _BatchGroup:
        """Read a group; if that fails, return one that holds the batch alone."""
        taken, started = batch.taken_bytes, perf_counter()
        try:
            group.columns = self._read(batch, group.selection, partial(self._follow, group))
        except BaseException:
            self.count = 1
            if len(group.numbers) == 1:
                raise
            # The bad sample may be in a batch whose turn has not come.
            group = self._group = self._new_group(batch.number, 1)
            group.columns = self._source.read(group.selection.index, batch.empty)
            return group
        seconds, nbytes = perf_counter() - started, batch.taken_bytes - taken
        self._adapt(len(group.numbers), seconds, nbytes, batch.pool.room)
        return group

    def _follow(self, group: _BatchGroup) -> Selection:
        """Return the samples of the group that follows on another."""
        self._following = self._new_group(group.numbers.stop, self.count)
        return self._following.selection

    def _read(
        self, batch: BatchContext, selection: Selection, following: Callable[[], Selection]
    ) -> Columns:
        """Read samples; `following` returns those that come next, most likely."""
        if self._processes is None:
            return self._source.read(selection.index, batch.empty)
        return self._processes.read(batch, selection.index, following)

    def _adapt(self, count: int, seconds: float, nbytes: int, room: int) -> None:
        """Choose the next group's size by what a group of `count` batches took."""
        most = min(MAX_GROUP_BYTES, int(room * MAX_FRACTION_OF_ROOM))
        cost = max(seconds / MAX_GROUP_SECONDS, nbytes / most if most > 0 else np.inf)
        if cost > 1:
            self.count = max(1, count // 2)
        elif cost <= 0.5:
            self.count = min(2 * count, self._most)
        else:
            self.count = count
