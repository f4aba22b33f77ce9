"""The cache on a disk: a file in the user's folder, which stays.

Each read verifies the checksum of an array: a disk may lose pages when the power fails, and may be
damaged. For a GPU, threads copy the arrays of a batch into pinned memory, and verify them; one copy
takes them to the device.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.tensors import address_of
from .cache import ALIGNMENT, MIB, Hits, Located
from .layout import VERSION
from .own_file import open_own
from .shared_cache import SharedCache, parts_of

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ..on_cpu import CpuFallback

FILE_NAME = f"decoded-{VERSION}.penstock"


class DiskCache(SharedCache):
    """See `SharedCache`."""

    verifies = True

    @classmethod
    def open(cls, mebibytes: int, folder: str) -> DiskCache:
        """Open the cache in a folder, or make it.

        Raises:
            ArgumentError: the folder cannot be used.
        """
        path = Path(folder) / FILE_NAME
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = open_own(path)
            try:
                return cls(descriptor, mebibytes * MIB, f"the file {path}")
            except BaseException:
                os.close(descriptor)
                raise
        except OSError as error:
            raise ArgumentError(
                f"cache_folder={folder!r} cannot hold a cache of {mebibytes} MiB: {error}; "
                "name a folder of a local disk that you may write"
            ) from error

    def find_rows(
        self, keys: Sequence[bytes], dtype: DType, batch: BatchContext, threads: CpuFallback
    ) -> Hits:
        stored, slots = self._stored(keys, dtype)
        steps = -(-slots["nbytes"].astype(np.int64) // ALIGNMENT) * ALIGNMENT
        starts = np.cumsum(steps) - steps
        # Memory of the batch is pinned for copies to the GPU, and counts for the batch's budget.
        memory = batch.empty((int(steps.sum()),), np.uint8)
        whole = np.ones(len(slots), np.bool_)

        def read(part: slice) -> None:
            whole[part][self.read_all(slots[part], memory.data, starts[part])] = False

        threads.run_jobs(read, parts_of(len(slots)))
        damaged = stored.rows[~whole]
        for row in damaged.tolist():  # drops the damaged array, and counts it
            self.find(keys[row], dtype, np.empty)
        stored.is_new[damaged] = True
        rows, shapes = stored.rows[whole], stored.shapes[whole]
        return Hits(self, rows, shapes, starts[whole], memory, keys, stored.is_new)

    def locate(self, device: Device, hits: Hits) -> Located:
        arrays = device.upload(hits.memory)
        return (address_of(arrays) + hits.starts).astype(np.uint64), arrays
