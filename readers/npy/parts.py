"""The parts of arrays that a batch needs, and the reads that they take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..storage.read_plan import Int64s
from ..storage.storage import Bytes, Storage
from .plan import Cost, Grid, Tile

MOST_STAGED = 1 << 20
"""Bytes that a thread reads before it picks elements out of them: they stay in its core's cache.
Measured on 64^3 of 512^3 float32, warm: 0.59 ms a part; with the part's bytes at once 1.0 ms."""


def cost_of(storage: Storage) -> Cost:
    """Return what decides which runs of a file are read together."""
    return Cost(storage.gap, MOST_STAGED)


class Direct(NamedTuple):
    """Bytes that are read to where they belong."""

    storage: Storage
    offset: int
    buffer: Bytes


class Staged(NamedTuple):
    """Elements that are picked out of what is read.

    Attributes:
        storage: the file.
        begin: offset of the part's first element.
        grid: the part's reads.
        tile: those that are meant.
        target: of the elements, as the file has them: `Grid.arranged`.
        dtype: of the elements as they are stored.
    """

    storage: Storage
    begin: int
    grid: Grid
    tile: Tile
    target: NDArray[Any]
    dtype: np.dtype[Any]

    @property
    def offsets(self) -> Int64s:
        """Of the reads."""
        return self.begin + self.grid.offsets[self.tile.reads]

    def put(self, block: Bytes) -> None:
        """Copy the elements out of a block that holds the reads end to end."""
        reads = self.tile.reads.stop - self.tile.reads.start
        found = self.grid.elements(block, self.dtype, reads)
        np.copyto(self.target[self.tile.target], found)


Work = Direct | Staged


class Part(NamedTuple):
    """A part of an array, or of several that follow one another: elements at equal distances.

    Attributes:
        storage: the file.
        begin: offset of the part's first element.
        target: memory for its elements, in native byte order; what is read directly keeps the
            stored order there.
        dtype: of the elements as they are stored.
        strides: bytes from one to the next in the file, along each axis.
        grids: the part's reads.
    """

    storage: Storage
    begin: int
    target: NDArray[Any]
    dtype: np.dtype[Any]
    strides: tuple[int, ...]
    grids: Sequence[Grid]

    def work(self) -> Iterator[Work]:
        """Yield the reads that it takes."""
        for grid in self.grids:
            if grid.direct:
                flat = self.target.reshape(-1).view(np.uint8)
                for place, offset in enumerate((self.begin + grid.offsets).tolist()):
                    buffer = flat[place * grid.length : (place + 1) * grid.length]
                    yield Direct(self.storage, offset, buffer)
            else:
                target = grid.arranged(self.target)
                for tile in grid.tiles():
                    yield Staged(self.storage, self.begin, grid, tile, target, self.dtype)

    @property
    def cost(self) -> int:
        """Of reading it, in bytes: one more read is as expensive as `Storage.gap` of them."""
        return sum(len(grid.offsets) * (grid.length + self.storage.gap) for grid in self.grids)


def work_of(parts: Iterable[Part]) -> list[Work]:
    """Return the reads that parts take."""
    return [work for each in parts for work in each.work()]
