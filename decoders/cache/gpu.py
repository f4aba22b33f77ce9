"""Arrays in the memory of a GPU, which the pipelines of a process share.

The memory is one block, which is taken when the first pipeline needs the cache. Arrays lie one
after the other, and stay until the last of these pipelines is closed.

An array is *claimed* by the batch that will write it, and *published* once the device has done the
work of that batch. So whoever finds an array may read it on any stream, without an event. A claim
that is never published, such as that of a damaged file, lasts: the file is not claimed again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.tensors import address_of
from .cache import ALIGNMENT, MIB, Add, Cache, Hits, Kept, Located, Rows

if TYPE_CHECKING:
    import cupy

    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ..on_cpu import CpuFallback


class GpuCache(Cache):
    """The cache in the memory of one device.

    Args:
        memory: (nbytes,) uint8 on the device.
    """

    def __init__(self, memory: cupy.ndarray) -> None:
        self.nbytes = int(memory.nbytes)
        self._used = 0
        self._memory = memory
        self._address = address_of(memory)
        self._numbers: dict[bytes, int] = {}
        # By the numbers of arrays: address, the shape, and whether it is published.
        self._arrays = np.zeros((1024, 5), np.int64)
        self._lock = threading.Lock()

    @classmethod
    def open(cls, device: Device, mebibytes: int) -> GpuCache:
        """Take the memory of a cache.

        Raises:
            ArgumentError: the device has less memory.
        """
        try:
            return cls(device.pool.lasting(mebibytes * MIB))
        except MemoryError as error:
            raise ArgumentError(
                f"cache_size is {mebibytes} MiB, which the GPU does not have; cache a part of "
                "the data set, or use cache='ram'"
            ) from error

    @property
    def used(self) -> int:
        return self._used

    @property
    def room(self) -> int:
        return self.nbytes - self._used

    def find_rows(
        self, keys: Sequence[bytes], dtype: DType, batch: BatchContext, threads: CpuFallback
    ) -> Hits:
        found = self.find_all(keys)
        rows = np.flatnonzero(found[:, 4] > 0)
        return Hits(self, rows, found[rows, 1:4], found[rows, 0], None, keys, found[:, 4] < 0)

    def find_all(self, keys: Sequence[bytes]) -> NDArray[np.int64]:
        """Return address, shape and state of arrays: (keys, 5).

        The state is 1 for an array that may be read, 0 for one that is claimed, and -1 for others.
        """
        numbers = np.array([self._numbers.get(key, -1) for key in keys], np.int64)
        found: NDArray[np.int64] = self._arrays[numbers]
        found[numbers < 0, 4] = -1
        return found

    def claim(self, hits: Hits, rows: Rows, shapes: NDArray[np.int64], dtype: DType) -> Kept:
        """Claim memory, but not for arrays that another batch has claimed."""
        sizes = -(-shapes.prod(axis=1) * dtype.itemsize // ALIGNMENT) * ALIGNMENT
        numbers, claimed, keys = [], [], [hits.keys[row] for row in rows.tolist()]
        with self._lock:
            for i in np.flatnonzero(sizes <= self.room).tolist():
                size = int(sizes[i])
                if keys[i] in self._numbers or size > self.room:
                    continue
                number = len(self._numbers)
                if number == len(self._arrays):
                    self._arrays = np.concatenate([self._arrays, np.zeros_like(self._arrays)])
                self._arrays[number] = self._address + self._used, *shapes[i], 0
                self._numbers[keys[i]] = number
                self._used += size
                numbers.append(number)
                claimed.append(i)
        kept = np.array(claimed, np.intp)
        keys = [keys[i] for i in claimed]
        return Kept(rows[kept], keys, shapes[kept], np.array(numbers, np.int64))

    def locate(self, device: Device, hits: Hits) -> Located:
        return hits.starts.astype(np.uint64), None

    def place(self, device: Device, kept: Kept, dtype: DType) -> Located:
        return self._arrays[kept.numbers, 0].astype(np.uint64), None

    def add(self, batch: BatchContext, kept: Kept, memory: object, threads: CpuFallback) -> Add:
        def publish(chosen: Rows) -> int:
            self.publish(kept.numbers[chosen])
            return len(chosen)

        return publish

    def publish(self, numbers: NDArray[np.int64]) -> None:
        """Let others read arrays: the device has written them."""
        with self._lock:
            self._arrays[numbers, 4] = 1

    def remark(self, *, on_gpu: bool) -> str:
        used, size = self.used / 1e6, self.nbytes / 1e6
        return f"cache: {used:.1f} of {size:.1f} MB of the GPU are taken"

    def close(self) -> None:
        pass  # the memory goes with the last batch that knows the cache
