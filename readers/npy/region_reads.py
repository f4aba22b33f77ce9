"""The regions of arrays that a batch needs, and the byte ranges that are read for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...engine.arrays import Array, Bytes, DType, Int64s
from ..storage.storage import Storage
from .plan import RangeGrid, ReadCost

STAGED_BYTES = 1 << 20
"""Bytes that a thread reads before it picks elements out of them: they stay in its core's cache.
Measured on 64^3 of 512^3 float32, warm: 0.59 ms a region; with all bytes of the region at once 1.0
ms."""


def staged_nbytes() -> int:
    """Return the bytes that a thread reads before it picks elements out of them."""
    return STAGED_BYTES


def read_cost_of(storage: Storage) -> ReadCost:
    """Return the costs that decide which runs of a file are read together."""
    return ReadCost(storage.gap, STAGED_BYTES)


class DirectRange(NamedTuple):
    """One byte range that is read straight into the result."""

    storage: Storage
    offset: int
    buffer: Bytes

    @property
    def nbytes(self) -> int:
        """Number of bytes to read."""
        return self.buffer.size

    @property
    def read_count(self) -> int:
        """Number of reads."""
        return 1


class StagedRanges(NamedTuple):
    """Byte ranges that are read into a block, and the elements that are picked out of the block.

    Attributes:
        storage: the file.
        offsets: offsets of the reads: int64 (reads,).
        grid: the reads of the region, of which these are some.
        target: memory for the elements, as the file has them: part of `RangeGrid.arranged`.
        dtype: dtype of the elements as they are stored.
    """

    storage: Storage
    offsets: Int64s
    grid: RangeGrid
    target: Array
    dtype: DType

    @property
    def nbytes(self) -> int:
        """Number of bytes to read."""
        return self.read_count * self.grid.length

    @property
    def read_count(self) -> int:
        """Number of reads."""
        return len(self.offsets)

    def buffers(self, block: Bytes) -> list[Bytes]:
        """Return the memory of each read in a block that holds the reads end to end."""
        length = self.grid.length
        return [block[i * length : (i + 1) * length] for i in range(self.read_count)]

    def put(self, block: Bytes) -> None:
        """Copy the elements out of a block that holds the reads end to end."""
        np.copyto(self.target, self.grid.elements(block, self.dtype, self.read_count))


ByteRanges = DirectRange | StagedRanges


class RegionRead(NamedTuple):
    """A region of an array, or of arrays that follow one another, and how to read it.

    Attributes:
        storage: the file.
        begin: offset of the region's first element.
        target: memory for its elements, in native byte order; what is read directly keeps the
            stored order there.
        dtype: dtype of the elements as they are stored.
        strides: bytes from one to the next in the file, along each axis.
        grids: the region's reads.
    """

    storage: Storage
    begin: int
    target: Array
    dtype: DType
    strides: tuple[int, ...]
    grids: Sequence[RangeGrid]

    def work(self) -> Iterator[ByteRanges]:
        """Yield the byte ranges that are read for it."""
        for grid in self.grids:
            if grid.direct:
                flat = self.target.reshape(-1).view(np.uint8)
                for place, offset in enumerate((self.begin + grid.offsets).tolist()):
                    buffer = flat[place * grid.length : (place + 1) * grid.length]
                    yield DirectRange(self.storage, offset, buffer)
            else:
                target, offsets = grid.arranged(self.target), self.begin + grid.offsets
                for reads, index in grid.tiles():
                    yield StagedRanges(
                        self.storage, offsets[reads], grid, target[index], self.dtype
                    )

    @property
    def cost(self) -> int:
        """Cost of reading it, in bytes: one more read costs as much as `Storage.gap` bytes."""
        return sum(len(grid.offsets) * (grid.length + self.storage.gap) for grid in self.grids)


def byte_ranges_of(parts: Iterable[RegionRead]) -> list[ByteRanges]:
    """Return the byte ranges that are read for regions."""
    return [work for part in parts for work in part.work()]
