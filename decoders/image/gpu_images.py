"""Whole decoded images in the memory of the GPU, for its decoders."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import PipelineStopped
from ..cache.device_cache import DeviceCache, close_device_cache, open_device_cache
from .cached_rows import CachedRows, Rows
from .mixed_cache import MixedCache

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ..on_cpu import CpuFallback
    from .mixed_batch import MixedBatch


class GpuImages(MixedCache):
    """Images in the memory of the GPU: see `MixedCache`."""

    _fill = ""
    _cache: DeviceCache | None = None
    _device_id = 0

    def check_machine(self) -> None:
        pass  # the device is not known yet

    def open(self, device: Device) -> None:
        if self._cache is None:
            self._cache = open_device_cache(device, self._mebibytes)
            self._device_id = device.id

    def find(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> CachedRows:
        if self._cache is None:
            raise PipelineStopped("the pipeline was closed")
        return _GpuRows(self, self._cache, work)

    def remark(self) -> str:
        if (cache := self._cache) is not None:
            used, size = cache.used / 1e6, cache.nbytes / 1e6
            self._fill = f"cache: {used:.1f} of {size:.1f} MB of the GPU are taken"
        return self._fill

    def close(self) -> None:
        self.remark()
        if self._cache is not None:
            self._cache = None
            close_device_cache(self._device_id, self._mebibytes)


class _GpuRows(CachedRows):
    def __init__(self, owner: GpuImages, cache: DeviceCache, work: MixedBatch) -> None:
        super().__init__(work.files.lengths)
        self._owner = owner
        self._cache = cache
        self._keys = owner.keys_of(work)
        found = cache.find_all(self._keys)
        self._is_new = (found[:, 4] < 0) & self.is_file
        self.hits = np.flatnonzero((found[:, 4] > 0) & self.is_file)
        self.shapes = found[self.hits, 1:4]
        self.images[self.hits] = found[self.hits, 0].astype(np.uint64)
        self._numbers = np.empty(0, np.int64)

    def keep(self, rows: Rows, shapes: NDArray[np.int64]) -> None:
        owner, cache = self._owner, self._cache
        wanted = self._is_new[rows] & owner.has_size(shapes, cache.nbytes - cache.used)
        rows, shapes = rows[wanted], shapes[wanted]
        if len(rows):
            keys = [self._keys[row] for row in rows.tolist()]
            self._numbers, claimed = cache.claim(keys, shapes, owner.dtype.itemsize)
            self.kept = rows[claimed]

    def place(self, device: Device) -> None:
        if len(self.kept):
            self.images[self.kept] = self._cache.addresses(self._numbers)

    def store(self, batch: BatchContext, sound: Callable[[], Rows]) -> None:
        def publish() -> None:
            numbers = self._numbers[sound()]
            self._cache.publish(numbers)
            self._owner.tally.add(stores=len(numbers))

        batch.check_later(publish)
