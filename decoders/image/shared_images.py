"""Whole decoded images out of a cache of the host, for the decoders on the GPU.

Out of "ram" the GPU cuts windows itself: it reads their lines in the memory of the cache, over the
bus. Of "disk", threads copy the images of a batch into pinned memory, and verify them; one copy
takes them to the GPU. What the GPU decodes goes back to the host with the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import PipelineStopped
from ...engine.tensors import address_of
from ..cache.device_cache import ALIGNMENT
from ..cache.keys import Keys
from ..cache.mapped_cache import MappedCache
from ..cache.places import Place
from ..cache.shared_cache import SharedCache
from ..on_cpu import CpuFallback
from .cached import PlacedCache
from .cached_rows import CachedRows, Rows
from .mixed_cache import MixedCache

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from .mixed_batch import MixedBatch

ROWS_OF_THREAD = 16
"""Images that a thread copies out of a shared cache, or into it, at a time. To hand a job to a
thread takes as long as to copy an image of a few KB."""


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

    def event_counts(self) -> dict[str, int]:
        return self._placed.event_counts()

    def remark(self) -> str:
        return self._placed.remark()

    def close(self) -> None:
        self._placed.close()


class ImagesInRam(SharedImages):
    """Images in the host's memory: see `MixedCache`."""

    _mapped: MappedCache | None = None
    _unread = ""

    def open(self, device: Device) -> None:
        if self._mapped is None:
            self._mapped = self._placed.open().mapped(device.registry)

    def find(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> CachedRows:
        cache, mapped = self._placed.shared, self._mapped
        if cache is None or mapped is None:
            raise PipelineStopped("the pipeline was closed")
        return _MappedRows(self, cache, work, threads, mapped)

    def remark(self) -> str:
        if (mapped := self._mapped) is not None and mapped.refused_bytes:
            self._unread = (
                f"; the GPU cannot read {mapped.refused_bytes / 1e6:.1f} MB of them "
                f"({mapped.problem}), and decodes their images again"
            )
        return super().remark() + self._unread

    def close(self) -> None:
        self.remark()
        self._mapped = None
        super().close()


class ImagesOnDisk(SharedImages):
    """Images on a disk of the host: see `MixedCache`."""

    def find(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> CachedRows:
        cache = self._placed.shared
        if cache is None:
            raise PipelineStopped("the pipeline was closed")
        return _ReadRows(self, cache, work, threads, batch)


class _SharedRows(CachedRows):
    """What a cache of the host has of a batch: see `CachedRows`.

    The hits are all images that the cache has, until a subclass leaves some out.
    """

    def __init__(
        self, owner: SharedImages, cache: SharedCache, work: MixedBatch, threads: CpuFallback
    ) -> None:
        super().__init__(work.files.lengths)
        self._owner = owner
        self._cache = cache
        self._threads = threads
        self._keys = owner.keys_of(work)
        slots = cache.find_all(self._keys)
        shapes = slots["shape"].astype(np.int64)
        sizes = shapes.prod(axis=1) * owner.dtype.itemsize
        is_stored = (slots["nbytes"] > 0) & (slots["nbytes"] == sizes)
        self._is_new = self.is_file & ~is_stored
        self.hits = np.flatnonzero(self.is_file & is_stored)
        self.shapes = shapes[self.hits]
        self._slots = slots[self.hits]

    def keep(self, rows: Rows, shapes: NDArray[np.int64]) -> None:
        if len(rows):
            wanted = self._owner.has_size(shapes, self._cache.room) & self._is_new[rows]
            self.kept, self._kept_shapes = rows[wanted], shapes[wanted]

    def place(self, device: Device) -> None:
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


class _MappedRows(_SharedRows):
    def __init__(
        self,
        owner: SharedImages,
        cache: SharedCache,
        work: MixedBatch,
        threads: CpuFallback,
        mapped: MappedCache,
    ) -> None:
        super().__init__(owner, cache, work, threads)
        self._mapped = mapped
        offsets = self._slots["offset"].astype(np.int64)
        readable = mapped.readable(offsets, self._slots["nbytes"].astype(np.int64))
        self.hits, self.shapes = self.hits[readable], self.shapes[readable]
        self.images[self.hits] = (mapped.address + offsets[readable]).astype(np.uint64)

    def place(self, device: Device) -> None:
        super().place(device)
        if len(self.hits):
            device.hold(self._mapped)


class _ReadRows(_SharedRows):
    def __init__(
        self,
        owner: SharedImages,
        cache: SharedCache,
        work: MixedBatch,
        threads: CpuFallback,
        batch: BatchContext,
    ) -> None:
        super().__init__(owner, cache, work, threads)
        steps = -(-self._slots["nbytes"].astype(np.int64) // ALIGNMENT) * ALIGNMENT
        self._starts = np.cumsum(steps) - steps
        # Memory of the batch is pinned for copies to the GPU, and counts for the batch's budget.
        self._pixels = batch.empty((int(steps.sum()),), np.uint8)
        whole = self._read()
        damaged = self.hits[~whole]
        for row in damaged.tolist():  # drops the damaged image, and counts it
            cache.find(self._keys[row], owner.dtype, np.empty)
        self._is_new[damaged] = True
        self.hits, self.shapes = self.hits[whole], self.shapes[whole]
        self._starts = self._starts[whole]

    def _read(self) -> NDArray[np.bool_]:
        """Copy images into the memory of the batch; return which of them are whole: (hits,)."""
        whole = np.ones(len(self.hits), np.bool_)

        def read(part: slice) -> None:
            given = self._slots[part], self._pixels.data, self._starts[part]
            whole[part][self._cache.read_all(*given)] = False

        self._threads.run_jobs(read, _parts(len(self.hits)))
        return whole

    def place(self, device: Device) -> None:
        super().place(device)
        if len(self.hits):
            pixels = device.upload(self._pixels)
            self.images[self.hits] = (address_of(pixels) + self._starts).astype(np.uint64)
            self._uploaded = pixels  # until the windows are cut


def _parts(count: int) -> list[slice]:
    """Divide so many images among threads."""
    return [slice(at, at + ROWS_OF_THREAD) for at in range(0, count, ROWS_OF_THREAD)]
