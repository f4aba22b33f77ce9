"""Whole decoded images out of a cache, for the decoders on the GPU.

`cache="gpu"` keeps the images in the GPU's memory, where windows are cut out of them. Of the caches
"ram" and "disk", threads copy the images of a batch into pinned memory, and one copy takes them to
the GPU. What the GPU decodes for such a cache goes back to the host with the batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import PipelineStopped
from ...engine.tensors import address_of
from ...engine.tensors.dtypes import to_numpy_type
from ..cache.device_cache import (
    ALIGNMENT,
    DeviceCache,
    close_device_cache,
    open_device_cache,
)
from ..cache.keys import Keys
from ..cache.places import Place
from ..cache.shared_cache import LARGEST, SharedCache
from ..on_cpu import CpuFallback
from .cached import CachingDecoder, PlacedCache, Tally, check_size, libraries, place_of
from .cached_rows import CachedRows, Rows

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
        return SharedImages(place_of(decoder), keys, dtype, threshold)
    check_size(decoder)
    if decoder.cache_folder:
        decoder.refuse("cache_folder is for cache='disk', but the cache is in the GPU's memory")
    return GpuImages(decoder.cache_size, keys, dtype, threshold)


ROWS_OF_THREAD = 16
"""Images that a thread copies out of a shared cache, or into it, at a time. To hand a job to a
thread takes as long as to copy an image of a few KB."""


class MixedCache(ABC):
    """The cache of one decoder on the GPU. Threads may use it together.

    Args:
        mebibytes: size of the cache.
        keys: make the keys of the images.
        dtype: of the images.
        threshold: images of fewer bytes are not stored.

    Attributes:
        tally: counts what comes from the cache, and what is stored.
    """

    def __init__(self, mebibytes: int, keys: Keys, dtype: np.dtype[Any], threshold: int) -> None:
        self.tally = Tally()
        self.dtype = dtype
        self._mebibytes = mebibytes
        self._keys = keys
        self._threshold = threshold

    def has_size(self, shapes: NDArray[np.int64], room: int) -> NDArray[np.bool_]:
        """Whether images have a size that is stored, and that `room` bytes suffice for."""
        sizes = shapes.prod(axis=1) * self.dtype.itemsize
        fits: NDArray[np.bool_] = (sizes <= room) & (sizes < LARGEST)
        fits &= sizes >= max(1, self._threshold)
        return fits

    def keys_of(self, work: MixedBatch) -> list[bytes]:
        """Return the keys of a batch's images."""
        return self._keys.of_batch(work.encoded, work.files.lengths)

    @abstractmethod
    def check_machine(self) -> None:
        """See `Operator.check_machine`."""

    @abstractmethod
    def open(self, device: Device) -> None:
        """Open the cache; idempotent, and not called by two threads at a time."""

    @abstractmethod
    def find(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> CachedRows:
        """Return what the cache has of a batch; rows that are no files are no hits.

        Args:
            batch: gives host memory.
            work: the batch, with the files.
            threads: that copy.
        """

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        return self.tally.event_counts()

    @abstractmethod
    def remark(self) -> str:
        """See `Operator.remark`."""

    @abstractmethod
    def close(self) -> None:
        """Leave the cache, and keep what `remark` tells; idempotent."""


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


class SharedImages(MixedCache):
    """Images in a cache of the host: see `MixedCache`.

    Args:
        place: where the cache lies.
    """

    def __init__(self, place: Place, keys: Keys, dtype: np.dtype[Any], threshold: int) -> None:
        super().__init__(place.mebibytes, keys, dtype, threshold)
        self._placed = PlacedCache(place, self.tally)

    def check_machine(self) -> None:
        self._placed.open()

    def open(self, device: Device) -> None:
        self._placed.open()

    def find(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> CachedRows:
        cache = self._placed.shared
        if cache is None:
            raise PipelineStopped("the pipeline was closed")
        return _SharedRows(self, cache, batch, work, threads)

    def event_counts(self) -> dict[str, int]:
        return self._placed.event_counts()

    def remark(self) -> str:
        return self._placed.remark()

    def close(self) -> None:
        self._placed.close()


class _SharedRows(CachedRows):
    def __init__(
        self,
        owner: SharedImages,
        cache: SharedCache,
        batch: BatchContext,
        work: MixedBatch,
        threads: CpuFallback,
    ) -> None:
        super().__init__(work.files.lengths)
        self._owner = owner
        self._cache = cache
        self._threads = threads
        self._keys = owner.keys_of(work)
        slots = cache.find_all(self._keys)
        shapes = slots["shape"].astype(np.int64)
        sizes = shapes.prod(axis=1) * owner.dtype.itemsize
        rows = np.flatnonzero((slots["nbytes"] > 0) & (slots["nbytes"] == sizes) & self.is_file)
        steps = -(-sizes[rows] // ALIGNMENT) * ALIGNMENT
        self._starts = np.cumsum(steps) - steps
        # Memory of the batch is pinned for copies to the GPU, and counts for the batch's budget.
        self._pixels = batch.empty((int(steps.sum()),), np.uint8)
        whole = self._read(slots[rows])
        for row in rows[~whole].tolist():  # drops the damaged image, and counts it
            cache.find(self._keys[row], owner.dtype, np.empty)
        self.hits, self._starts = rows[whole], self._starts[whole]
        self.shapes = shapes[self.hits]

    def _read(self, slots: NDArray[np.void]) -> NDArray[np.bool_]:
        """Copy images into the memory of the batch; return which of them are whole."""
        whole = np.ones(len(slots), np.bool_)

        def read(part: slice) -> None:
            damaged = self._cache.read_all(slots[part], self._pixels.data, self._starts[part])
            whole[part][damaged] = False

        self._threads.run_jobs(read, _parts(len(slots)))
        return whole

    def keep(self, rows: Rows, shapes: NDArray[np.int64]) -> None:
        if len(rows):
            wanted = self._owner.has_size(shapes, self._cache.room) & self.is_file[rows]
            self.kept, self._kept_shapes = rows[wanted], shapes[wanted]

    def place(self, device: Device) -> None:
        if len(self.hits):
            pixels = device.upload(self._pixels)
            self.images[self.hits] = (address_of(pixels) + self._starts).astype(np.uint64)
            self._uploaded = pixels  # until the windows are cut
        if len(self.kept):
            self._decoded = device.scratch(self._kept_shapes, self._owner.dtype)
            self.images[self.kept] = self._decoded.pointers()

    def store(self, batch: BatchContext, sound: Callable[[], Rows]) -> None:
        images = batch.device.to_host(self._decoded, batch.empty)

        def write(chosen: list[int]) -> None:
            stores = [
                self._cache.store(self._keys[int(self.kept[i])], images.row(i)) for i in chosen
            ]
            self._owner.tally.add(stores=sum(stores))

        def write_all() -> None:
            chosen = sound().tolist()
            self._threads.run_jobs(write, [chosen[part] for part in _parts(len(chosen))])

        batch.check_later(write_all)


def _parts(count: int) -> list[slice]:
    """Divide so many images among threads."""
    return [slice(at, at + ROWS_OF_THREAD) for at in range(0, count, ROWS_OF_THREAD)]
