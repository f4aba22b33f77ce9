"""The caches of whole decoded images for the decoders on the GPU, and the one in its memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import PipelineStopped
from ...engine.tensors.dtypes import to_numpy_type
from ..cache.device_cache import DeviceCache, close_device_cache, open_device_cache
from ..cache.keys import Keys
from ..on_cpu import CpuFallback
from .cached import CachingDecoder, check_size, libraries, place_of
from .cached_rows import CachedRows, MixedCache, Rows
from .shared_images import ImagesInRam, ImagesOnDisk

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from .mixed_batch import MixedBatch


def mixed_cache(decoder: CachingDecoder, load: float | None) -> MixedCache | None:
    """Return the cache that a decoder on the GPU asks for; it opens when it is used.

    As in DALI, `cache_size` alone asks for a cache in the GPU's memory.

    Args:
        decoder: the decoder.
        load: the part of the files for the hardware engine, whose pixels differ from those of CUDA
            cores; None if the part varies.

    Raises:
        ArgumentError: the arguments contradict one another.
    """
    kind = decoder.cache or ("gpu" if decoder.cache_size else None)
    if kind is None:
        return None
    dtype, threshold = to_numpy_type(decoder.dtype), decoder.cache_threshold
    shorter = decoder.shrink_shorter
    output, upright = decoder.output_type.name, decoder.adjust_orientation
    keys = Keys("mixed", output, dtype.str, upright, load, shorter, libraries(gpu=True))
    if kind != "gpu":
        shared = ImagesInRam if kind == "ram" else ImagesOnDisk
        return shared(place_of(decoder), keys, dtype, threshold)
    check_size(decoder)
    if decoder.cache_folder:
        decoder.refuse("cache_folder is for cache='disk', but the cache is in the GPU's memory")
    return GpuImages(decoder.cache_size, keys, dtype, threshold)


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
