"""Images that the GPU decodes whole, for a cache or to be scaled down; windows are cut out of them.

    files of hits                                other files
         │                                            │ decode
         │                                     whole images of full size
         │                                            │ scale down, with `shorter`
    images in the cache ◄──── added ──────── images of the size that is kept
         └──────────────────────┬─────────────────────┘
                                │ cut, one launch for the batch
                             results

Without a cache and without `shorter`, decoders write windows into the results at once. So they do
for files that the cache does not take.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.gpu.kernels import Kernel
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, struct_table
from ..cache.cache import Located, Rows
from .shrink import DeviceShrink, shrunk_sizes
from .table import is_lasting

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ..on_cpu import CpuFallback
    from .image_cache import ImageCache
    from .mixed_batch import MixedBatch

_WORD, _GROUP = 16, 128
"""Bytes that a thread of `cut.cu` loads, and those of the threads that load side by side."""


class WholeImages:
    """The images of one decoder. Threads may use it for different batches.

    Args:
        dtype: of the images.
        shorter: pixels that the shorter side of an image has at most; 0 for no limit.
        cache: None for no cache.

    Attributes:
        shorter: see the argument.
        cache: see the argument.
    """

    def __init__(self, dtype: np.dtype[Any], shorter: int, cache: ImageCache | None) -> None:
        self.shorter = shorter
        self.cache = cache
        self._dtype = dtype
        self._cut = _WindowCut(dtype.itemsize)
        self._shrink = DeviceShrink(dtype)

    @property
    def _is_used(self) -> bool:
        """Whether images are decoded whole, or come from the cache."""
        return self.shorter > 0 or self.cache is not None

    def find(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> None:
        """Take from the cache what it has of a batch."""
        if self.cache is not None:
            work.take_hits(self.cache.find(batch, work.encoded, work.files.lengths, threads))

    def choose(self, errors: Collection[int], work: MixedBatch, shapes: NDArray[np.int64]) -> None:
        """Choose the images to decode whole, and those that the cache gets.

        Args:
            errors: rows that are not decoded.
            work: the batch, with its windows.
            shapes: height, width and channels of the whole images as they are cut: (batch, 3).
        """
        work.shapes = shapes
        if self.shorter:
            work.is_whole = ~work.is_hit
        if self.cache is not None and work.hits is not None and not work.is_hit.all():
            rows = without(errors, np.flatnonzero(~work.is_hit))
            lasting = [work.is_plain[i] or _is_lasting(work, i) for i in rows.tolist()]
            rows = rows[np.array(lasting, np.bool_)]
            work.kept = self.cache.keep(work.hits, rows, shapes[rows])
            work.is_kept[work.kept.rows] = True
            work.is_whole |= work.is_kept
        work.is_whole[list(errors)] = False
        work.boxes = work.windows
        if work.is_whole.any():
            whole = np.concatenate([np.zeros_like(work.stored), work.upright()], axis=1)
            work.boxes = np.where(work.is_whole[:, np.newaxis], whole, work.windows)

    def place(self, device: Device, work: MixedBatch) -> None:
        """Say where the decoders write: into the results, or into whole images."""
        work.targets = work.out.pointers()
        if not self._is_used:
            return
        work.targets = work.targets.copy()
        if (hits := work.hits) is not None:
            if work.kept is not None and len(work.kept.rows):
                placed = hits.cache.place(device, work.kept, self._dtype)
                self._take(work, work.kept.rows, placed)
            if len(hits.rows):
                self._take(work, hits.rows, hits.cache.locate(device, hits))
        rows = np.flatnonzero(work.is_whole)
        if not len(rows):
            return
        if self.shorter:
            passing = np.flatnonzero(work.is_whole & ~work.is_kept)
            work.images[passing] = self._memory(device, work, work.shapes[passing])
            full = np.column_stack([work.boxes[rows, 2:], work.shapes[rows, 2]])
            work.targets[rows] = self._memory(device, work, full)
        else:
            work.targets[rows] = work.images[rows]

    @staticmethod
    def _take(work: MixedBatch, rows: Rows, located: Located) -> None:
        work.images[rows], memory = located
        work.cached_memory.append(memory)

    def _memory(
        self, device: Device, work: MixedBatch, shapes: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        """Return addresses of memory for images, which lasts as long as `work`."""
        if not len(shapes):
            return np.empty(0, np.uint64)
        images = device.scratch(shapes, self._dtype)
        work.memory.append(images)
        return images.pointers()

    def finish(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> None:
        """Scale whole images down, cut windows out of them, and add them to the cache."""
        if not self._is_used:
            return
        device = batch.device
        rows = without(batch.errors, np.flatnonzero(work.is_whole))
        if self.shorter and len(rows):
            sizes = work.boxes[rows, 2:]
            self._shrink.launch(
                device, work.targets[rows], sizes, work.images[rows], work.shapes[rows]
            )
        rows = without(batch.errors, np.flatnonzero(work.is_whole | work.is_hit))
        if len(rows):
            images, windows = work.images[rows], work.windows[rows]
            out = work.out.pointers()[rows]
            self._cut.launch(device, images, work.shapes[rows], windows, out)
        if work.kept is not None and len(work.kept.rows):
            self._add(batch, work, threads)

    def _add(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> None:
        """Add whole images to the cache, once the device has written them."""
        cache, hits, kept, memory = self.cache, work.hits, work.kept, work.cached_memory
        assert cache is not None
        assert hits is not None
        assert kept is not None
        add = hits.cache.add(batch, kept, memory[0], threads)
        is_sound, errors = work.is_kept[kept.rows], batch.errors

        # The function holds the memory of the cache's images, but not that of the results.
        def add_sound(_held: Any = memory) -> None:
            failed = np.array([row in errors for row in kept.rows.tolist()], np.bool_)
            cache.count(stores=add(np.flatnonzero(is_sound & ~failed)))

        batch.check_later(add_sound)

    def rehearse(
        self,
        device: Device,
        pixels: NDArray[np.uint64],
        sizes: NDArray[np.int64],
        channels: int,
        boxes: NDArray[np.int64],
        out: NDArray[np.uint64],
    ) -> None:
        """Launch the kernels for images of these sizes."""
        shapes = np.column_stack(
            [shrunk_sizes(sizes, self.shorter), np.full(len(sizes), channels, np.int64)]
        )
        if self.shorter:
            self._shrink.launch(device, pixels, sizes, pixels, shapes)
        if self.shorter or self.cache is not None:
            self._cut.launch(device, pixels, shapes, boxes, out)


class _WindowCut:
    """Cuts windows out of whole images, in the memory of the GPU or host memory that it reads.

    Args:
        itemsize: bytes of an element.
    """

    def __init__(self, itemsize: int) -> None:
        self._kernel = Kernel(Path(__file__).parent / "cut.cu", "cut")
        self._itemsize = itemsize

    def launch(
        self,
        device: Device,
        images: NDArray[np.uint64],
        shapes: NDArray[np.int64],
        windows: NDArray[np.int64],
        out: NDArray[np.uint64],
    ) -> None:
        """Launch the kernel.

        Args:
            device: the device.
            images: addresses of the whole images.
            shapes: height, width and channels of the whole images: (images, 3).
            windows: the windows: (images, 4).
            out: addresses of the results.
        """
        y0, x0, y1, x1 = windows.T
        pixels = shapes[:, 2] * self._itemsize
        strides, lines = shapes[:, 1] * pixels, (x1 - x0) * pixels
        groups = (lines + 2 * _GROUP - 2) // _GROUP  # wherever a line begins in its first group
        words = groups * (_GROUP // _WORD)
        offsets = y0 * strides + x0 * pixels
        table = struct_table(
            "Sample",
            len(images),
            source=Pointers(images + offsets.astype(np.uint64), "const unsigned char*"),
            out=Pointers(out, "unsigned char*"),
            height=(y1 - y0).astype(np.int32),
            line=lines.astype(np.int32),
            stride=strides.astype(np.int32),
            words=words.astype(np.int32),
        )
        launch_elements(device, self._kernel, table, (y1 - y0) * words)


def without(rows: Collection[int], chosen: Rows) -> Rows:
    """Return the chosen rows but for some."""
    return np.array([i for i in chosen.tolist() if i not in rows], np.intp) if rows else chosen


def _is_lasting(work: MixedBatch, row: int) -> bool:
    header = work.headers[row]
    return header is not None and is_lasting(header)
