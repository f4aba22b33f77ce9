"""Whole blocks of neighboring samples, read at once and kept while the shuffle mixes them."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..engine.order.block_permutation import Blocks
from .source import Allocate, Column, Columns, Source


class BlockReads:
    """Reads each block once, and gives the samples of a shuffle by `blocks` out of them.

    The samples of a window come from the window's blocks alone. So the blocks of two windows are
    kept: of the window that is handed out, and of the next window, which may be under way already.
    The least recently used block is dropped first. Samples keep the memory that they lie in.
    """

    def __init__(self, source: Source, blocks: Blocks) -> None:
        self._source = source
        self._block = blocks.size
        # A shard that is shuffled by itself may begin within a block: one block more a window.
        self._most = 2 * (blocks.window + 1)
        self._kept: OrderedDict[int, Future[Columns]] = OrderedDict()
        self._lock = Lock()

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> Columns:
        """See `Source.read`; if one sample of a block cannot be read, the whole block raises."""
        numbers = indices // self._block
        blocks, missing = self._claim(np.unique(numbers).tolist())
        if missing:
            self._read(missing, allocate)
        columns = {number: block.result() for number, block in blocks.items()}
        rows = list(zip(numbers.tolist(), (indices % self._block).tolist(), strict=True))
        count = len(next(iter(columns.values()))) if columns else 0
        return tuple(
            _column([columns[n][i][row] for n, row in rows], columns, i) for i in range(count)
        )

    def _claim(
        self, numbers: list[int]
    ) -> tuple[dict[int, Future[Columns]], dict[int, Future[Columns]]]:
        """Return the blocks, and those among them that the caller must read."""
        missing: dict[int, Future[Columns]] = {}
        with self._lock:
            for number in numbers:
                if number not in self._kept:
                    self._kept[number] = missing[number] = Future()
                self._kept.move_to_end(number)
            blocks = {number: self._kept[number] for number in numbers}
            while len(self._kept) > max(self._most, len(numbers)):
                self._kept.popitem(last=False)
        return blocks, missing

    def _read(self, missing: dict[int, Future[Columns]], allocate: Allocate) -> None:
        starts = [number * self._block for number in missing]
        stops = [min(start + self._block, len(self._source)) for start in starts]
        runs = [np.arange(start, stop) for start, stop in zip(starts, stops, strict=True)]
        try:
            columns = self._source.read(np.concatenate(runs), allocate)
        except BaseException as error:
            self._forget(missing)
            for block in missing.values():
                block.set_exception(error)
            return
        start = 0
        for block, run in zip(missing.values(), runs, strict=True):
            rows = slice(start, start + len(run))
            block.set_result(tuple(column[rows] for column in columns))
            start += len(run)

    def _forget(self, blocks: dict[int, Future[Columns]]) -> None:
        with self._lock:
            for number, block in blocks.items():
                if self._kept.get(number) is block:
                    del self._kept[number]


def _column(samples: list[NDArray[np.generic]], blocks: dict[int, Columns], number: int) -> Column:
    """Return samples as their blocks have them: an array, or one array a sample."""
    together = all(isinstance(columns[number], np.ndarray) for columns in blocks.values())
    if together and len({sample.shape for sample in samples}) == 1:
        return np.stack(samples)
    return samples
