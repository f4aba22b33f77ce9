"""Whole blocks of neighbours read at once, and kept while the shuffle mixes them."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..engine.sampler import Blocks
from .source import Allocate, Column, Source

Columns = tuple[Column, ...]


class BlockReads:
    """Gives samples out of blocks that are read once each, as a shuffle by `blocks` needs them.

    A window's samples come from its blocks alone, so two windows' blocks are kept: those of the
    one that is handed out, and those of the next one, which may be begun already. The block
    used least lately goes first; samples handed out keep the memory they lie in.
    """

    def __init__(self, source: Source, blocks: Blocks) -> None:
        self._source = source
        self._block = blocks.size
        self._most = 2 * blocks.window
        self._kept: OrderedDict[int, Future[Columns]] = OrderedDict()
        self._lock = Lock()

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> Columns:
        """See `Source.read`; a block with a sample that cannot be read raises as a whole."""
        numbers = indices // self._block
        blocks, missing = self._claim(np.unique(numbers).tolist())
        if missing:
            self._read(missing, allocate)
        found = {number: block.result() for number, block in blocks.items()}
        places = list(zip(numbers.tolist(), (indices % self._block).tolist(), strict=True))
        count = len(next(iter(found.values()))) if found else 0
        return tuple(
            _column([found[n][i][row] for n, row in places], found, i) for i in range(count)
        )

    def _claim(
        self, numbers: list[int]
    ) -> tuple[dict[int, Future[Columns]], dict[int, Future[Columns]]]:
        """Return the blocks, and those of them that the caller has to read."""
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
        begins = [number * self._block for number in missing]
        ends = [min(begin + self._block, len(self._source)) for begin in begins]
        runs = [np.arange(begin, end) for begin, end in zip(begins, ends, strict=True)]
        try:
            columns = self._source.read(np.concatenate(runs), allocate)
        except BaseException as error:
            self._forget(missing)
            for block in missing.values():
                block.set_exception(error)
            return
        begin = 0
        for block, run in zip(missing.values(), runs, strict=True):
            rows = slice(begin, begin + len(run))
            block.set_result(tuple(column[rows] for column in columns))
            begin += len(run)

    def _forget(self, blocks: dict[int, Future[Columns]]) -> None:
        with self._lock:
            for number, block in blocks.items():
                if self._kept.get(number) is block:
                    del self._kept[number]


def _column(samples: list[NDArray[np.generic]], found: dict[int, Columns], number: int) -> Column:
    """Return samples as their blocks have them: an array, or one array a sample."""
    together = all(isinstance(columns[number], np.ndarray) for columns in found.values())
    if together and len({sample.shape for sample in samples}) == 1:
        return np.stack(samples)
    return samples
