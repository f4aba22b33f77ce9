"""What every cache does: it finds arrays by their keys, keeps others, and counts its bytes.

    keys ──► find_rows ──► hits ───► locate ──► addresses to read ────────┐
                │ misses                                                  ├─► the device's work
                └──► claim ────► kept ───► place ──► addresses to write ──┘         │
                                   └──────────────────────────────────────► add ◄───┘

`SharedCache` is the cache of a host (`RamCache`, `DiskCache`), and `GpuCache` that of a GPU. A
cache stores until it is full, and evicts nothing. `places.CacheUser` opens a cache for one user.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ..on_cpu import CpuFallback

MIB = 1 << 20

ALIGNMENT = 256
"""Of arrays in the memory of a GPU, in bytes."""

Rows = NDArray[np.intp]

Located: TypeAlias = "tuple[NDArray[np.uint64], object]"
"""Addresses of arrays, which a device reads or writes; and what holds their memory, or None."""

Add = Callable[[Rows], int]
"""Adds some of the kept arrays, given by their numbers, when the device has written them; returns
how many were stored."""


class Hits(NamedTuple):
    """What a cache has of a batch.

    Attributes:
        cache: the cache.
        rows: the rows whose arrays the cache has: (hits,).
        shapes: shapes of these arrays: (hits, 3).
        starts: where these arrays lie in `memory`: (hits,).
        memory: holds the arrays; None in the memory of a GPU, where `starts` are addresses.
        keys: of all rows of the batch.
        is_new: whether the batch may add the array of a row: (batch,) bool.
    """

    cache: Cache
    rows: Rows
    shapes: NDArray[np.int64]
    starts: NDArray[np.int64]
    memory: Any
    keys: Sequence[bytes]
    is_new: NDArray[np.bool_]


class Kept(NamedTuple):
    """What a batch adds to a cache.

    Attributes:
        rows: rows of the batch: (kept,).
        keys: the keys of these rows.
        shapes: shapes of their arrays: (kept, 3).
        numbers: numbers of the arrays in a cache that has their memory already.
    """

    rows: Rows
    keys: Sequence[bytes]
    shapes: NDArray[np.int64]
    numbers: NDArray[np.int64]


class Cache(ABC):
    """Arrays of three dimensions in one place, by their keys. Threads may use it together.

    Attributes:
        nbytes: size of the cache.
        damaged: number of arrays that this process found damaged, and dropped.
    """

    nbytes: int
    damaged = 0

    @property
    @abstractmethod
    def used(self) -> int:
        """Bytes that are taken."""

    @property
    @abstractmethod
    def room(self) -> int:
        """Bytes that arrays may still take."""

    @abstractmethod
    def find_rows(
        self, keys: Sequence[bytes], dtype: DType, batch: BatchContext, threads: CpuFallback
    ) -> Hits:
        """Return what the cache has of a batch, for a device.

        Args:
            keys: of all rows.
            dtype: of the arrays; it follows from the keys.
            batch: gives host memory.
            threads: that copy.
        """

    def claim(self, hits: Hits, rows: Rows, shapes: NDArray[np.int64], dtype: DType) -> Kept:
        """Choose arrays to add among new ones, for each of which there is room.

        Args:
            hits: what the cache has of the batch.
            rows: rows of the batch.
            shapes: shapes of their arrays: (rows, 3).
            dtype: of the arrays.
        """
        return Kept(rows, [hits.keys[row] for row in rows.tolist()], shapes, np.empty(0, np.int64))

    @abstractmethod
    def locate(self, device: Device, hits: Hits) -> Located:
        """Return where a device reads hits, of which there is one at least."""

    @abstractmethod
    def place(self, device: Device, kept: Kept, dtype: DType) -> Located:
        """Return where a device writes the arrays to add, of which there is one at least."""

    @abstractmethod
    def add(self, batch: BatchContext, kept: Kept, memory: object, threads: CpuFallback) -> Add:
        """Launch what adds arrays, behind the work that writes them; return the rest to do.

        Args:
            batch: the batch.
            kept: what it adds.
            memory: what `place` has returned to hold it.
            threads: that copy.
        """

    @abstractmethod
    def remark(self, *, on_gpu: bool) -> str:
        """Say how full the cache is; for users on a GPU, also what the device cannot read."""

    @abstractmethod
    def close(self) -> None:
        """Give the place up. Threads that are late find nothing, and store nothing."""
