"""The samples of several sources, as one source."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from ...engine.arrays import Int64s
from ..reading.carriers import CountedMemory
from ..source import (
    Allocate,
    Columns,
    Joinable,
    Source,
    checked_indices,
    nbytes_of,
    scattered,
)


class MixedSource:
    """Sources one after the other: sample 0 of the second one follows the last of the first.

    Args:
        sources: the sources.
        columns: of each source, the numbers of its columns that are taken; () for all.

    Attributes:
        firsts: index of the first sample of each source.
        figures: of each source: samples, bytes, and seconds that reading took in this process.
    """

    def __init__(self, sources: Sequence[Source], columns: Sequence[tuple[int, ...]]) -> None:
        self.sources = tuple(sources)
        self._columns = tuple(columns)
        sizes = np.array([len(source) for source in sources], np.int64)
        self._ends = np.cumsum(sizes)
        self.firsts = self._ends - sizes
        self.figures = [[0, 0, 0.0] for _ in sources]
        first = sources[0]
        alike = len({(type(each), own) for each, own in zip(sources, columns, strict=True)}) == 1
        self._joined = type(first) if alike and isinstance(first, Joinable) else None

    def __len__(self) -> int:
        return int(self._ends[-1])

    def read(self, indices: Int64s, allocate: Allocate) -> Columns:
        """Return the samples, each read by its own source: see `Source.read`."""
        indices = checked_indices(indices, len(self))
        owners = np.searchsorted(self._ends, indices, "right")
        order = owners.argsort(kind="stable")  # of the rows: by source
        inside = (indices - self.firsts[owners])[order]
        ends = np.bincount(owners, minlength=len(self.sources)).cumsum().tolist()
        cuts = [
            (number, order[start:end], inside[start:end])
            for number, (start, end) in enumerate(pairwise([0, *ends]))
            if start < end
        ]
        if (
            self._joined
            and len(cuts) > 1
            and (columns := self._read_joined(cuts, owners, allocate))
        ):
            return columns
        parts = [(rows, self._read(number, own, allocate)) for number, rows, own in cuts]
        if len(parts) < 2:
            return parts[0][1] if parts else self._read(0, indices, allocate)
        return tuple(
            scattered([(rows, columns[i]) for rows, columns in parts], len(indices), allocate)
            for i in range(len(parts[0][1]))
        )

    def _read_joined(
        self, cuts: Sequence[tuple[int, Int64s, Int64s]], owners: Int64s, allocate: Allocate
    ) -> Columns | None:
        """Return the samples of several sources of one class, read in one call."""
        assert self._joined is not None
        started = perf_counter()
        parts = [(self.sources[number], rows, own) for number, rows, own in cuts]
        columns = self._joined.read_joined(parts, len(owners), allocate)
        if columns is None:
            return None
        if self._columns[0]:
            columns = tuple(columns[i] for i in self._columns[0])
        sizes = np.fromiter(map(len, columns[0]), np.int64, len(owners))
        whole = max(1, int(sizes.sum()))
        nbytes = np.bincount(owners, sizes, len(self.sources)).tolist()
        seconds = perf_counter() - started
        for number, rows, _ in cuts:
            figures = self.figures[number]
            figures[0] += len(rows)
            figures[1] += int(nbytes[number])
            figures[2] += seconds * nbytes[number] / whole
        return columns

    def _read(self, number: int, indices: Int64s, allocate: Allocate) -> Columns:
        started, memory = perf_counter(), CountedMemory(allocate)
        columns = self.sources[number].read(indices, memory.empty)
        if self._columns[number]:
            columns = tuple(columns[i] for i in self._columns[number])
        figures = self.figures[number]
        figures[0] += len(indices)
        # To ask each row takes a tenth of all that a mixture costs.
        figures[1] += memory.nbytes or sum(map(nbytes_of, columns))
        figures[2] += perf_counter() - started
        return columns

    def where(self, index: int) -> str:
        """Return the location of a sample, as its source does."""
        source, own = self._owner(index)
        return source.where(own)

    def source_info(self, index: int) -> str:
        """Return the name of a sample, as its source does."""
        source, own = self._owner(index)
        name: Any = getattr(source, "source_info", source.where)
        return str(name(own))

    def _owner(self, index: int) -> tuple[Source, int]:
        (index,) = checked_indices(np.array([index]), len(self)).tolist()
        number = int(np.searchsorted(self._ends, index, "right"))
        return self.sources[number], index - int(self.firsts[number])

    def close(self) -> None:
        """Close all sources."""
        for source in self.sources:
            source.close()
