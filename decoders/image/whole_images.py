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
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.gpu.kernels import Kernel
from ...engine.gpu.launch import launch_elements
from ...engine.gpu.tables import Pointers, struct_table
from .mixed_batch import ChosenImages, DecodedImages, Files, PlacedImages, SortedFiles
from .shrink import shrink_on_device, shrunk_sizes
from .table import is_lasting

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ...engine.tensors import TensorListCPU, TensorListGPU
    from ..cache.cache import Hits, Kept, Rows
    from ..on_cpu import CpuFallback
    from .image_cache import ImageCache

_CUT = Kernel(Path(__file__).parent / "cut.cu", "cut")
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

    def __init__(self, dtype: DType, shorter: int, cache: ImageCache | None) -> None:
        self.shorter = shorter
        self.cache = cache
        self._dtype = dtype

    @property
    def _is_used(self) -> bool:
        """Whether images are decoded whole, or come from the cache."""
        return self.shorter > 0 or self.cache is not None

    def find(
        self,
        batch: BatchContext,
        threads: CpuFallback,
        encoded: TensorListCPU,
        lengths: NDArray[np.int64],
    ) -> Hits | None:
        """Return what the cache has of a batch: see `ImageCache.find`."""
        return None if self.cache is None else self.cache.find(batch, encoded, lengths, threads)

    def choose(
        self,
        errors: Collection[int],
        by_form: SortedFiles,
        windows: NDArray[np.int64],
        shapes: NDArray[np.int64],
    ) -> ChosenImages:
        """Choose the images to decode whole, and those that the cache gets.

        Args:
            errors: rows that are not decoded.
            by_form: the batch.
            windows: the pixels of the results: (batch, 4).
            shapes: height, width and channels of the whole images as they are cut: (batch, 3).
        """
        hits, kept = by_form.hits, None
        is_whole = np.full(len(shapes), self.shorter > 0)
        if hits is not None:
            is_whole[hits.rows] = False
            if self.cache is not None and len(hits.rows) < len(shapes):
                kept = self.cache.keep(hits, *_lasting(by_form.files, hits, errors, shapes))
                is_whole[kept.rows] = True
        is_whole[list(errors)] = False
        boxes = windows
        if is_whole.any():
            upright = by_form.files.upright()
            whole = np.concatenate([np.zeros_like(upright), upright], axis=1)
            boxes = np.where(is_whole[:, np.newaxis], whole, windows)
        return ChosenImages(by_form, windows, shapes, is_whole, boxes, kept)

    def place(self, device: Device, chosen: ChosenImages, out: TensorListGPU) -> PlacedImages:
        """Say where the decoders write: into the results, or into whole images."""
        targets, images = out.pointers(), np.zeros(len(chosen.shapes), np.uint64)
        of_cache: list[object] = []
        memory: list[TensorListGPU] = []
        if not self._is_used:
            return PlacedImages(chosen, out, targets, images, of_cache, memory)
        targets = targets.copy()
        is_passing = chosen.is_whole.copy()
        if (hits := chosen.by_form.hits) is not None:
            if (kept := chosen.kept) is not None and len(kept.rows):
                images[kept.rows], holder = hits.cache.place(device, kept, self._dtype)
                of_cache.append(holder)
                is_passing[kept.rows] = False
            if len(hits.rows):
                images[hits.rows], holder = hits.cache.locate(device, hits)
                of_cache.append(holder)
        rows = np.flatnonzero(chosen.is_whole)
        if self.shorter and len(rows):
            passing = np.flatnonzero(is_passing)
            images[passing] = self._taken(device, chosen.shapes[passing], memory)
            full = np.column_stack([chosen.boxes[rows, 2:], chosen.shapes[rows, 2]])
            targets[rows] = self._taken(device, full, memory)
        elif len(rows):
            targets[rows] = images[rows]
        return PlacedImages(chosen, out, targets, images, of_cache, memory)

    def _taken(
        self, device: Device, shapes: NDArray[np.int64], memory: list[TensorListGPU]
    ) -> NDArray[np.uint64]:
        """Return addresses of images in new memory, which `memory` holds."""
        if not len(shapes):
            return np.empty(0, np.uint64)
        images = device.scratch(shapes, self._dtype)
        memory.append(images)
        return images.pointers()

    def finish(self, batch: BatchContext, decoded: DecodedImages, threads: CpuFallback) -> None:
        """Scale whole images down, cut windows out of them, and add them to the cache."""
        if not self._is_used:
            return
        device, placed, chosen = batch.device, decoded.placed, decoded.placed.chosen
        rows = without(batch.errors, np.flatnonzero(decoded.is_whole))
        if self.shorter and len(rows):
            targets, images, sizes = (
                placed.targets[rows],
                placed.images[rows],
                chosen.boxes[rows, 2:],
            )
            shrink_on_device(device, self._dtype, targets, sizes, images, chosen.shapes[rows])
        is_cut = decoded.is_whole.copy()
        if chosen.by_form.hits is not None:
            is_cut[chosen.by_form.hits.rows] = True
        rows = without(batch.errors, np.flatnonzero(is_cut))
        if len(rows):
            images, windows = placed.images[rows], chosen.windows[rows]
            out = placed.out.pointers()[rows]
            cut_windows(device, self._dtype.itemsize, images, chosen.shapes[rows], windows, out)
        if chosen.kept is not None and len(chosen.kept.rows):
            self._add(batch, decoded, chosen.kept, threads)

    def _add(
        self, batch: BatchContext, decoded: DecodedImages, kept: Kept, threads: CpuFallback
    ) -> None:
        """Add whole images to the cache, once the device has written them."""
        cache, hits, memory = (
            self.cache,
            decoded.placed.chosen.by_form.hits,
            decoded.placed.of_cache,
        )
        assert cache is not None
        assert hits is not None
        add = hits.cache.add(batch, kept, memory[0], threads)
        is_sound, errors = decoded.is_sound[kept.rows], batch.errors

        # The function holds the memory of the cache's images, but not that of the results.
        def add_sound(_held: object = memory) -> None:
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
            shrink_on_device(device, self._dtype, pixels, sizes, pixels, shapes)
        if self.shorter or self.cache is not None:
            cut_windows(device, self._dtype.itemsize, pixels, shapes, boxes, out)


def cut_windows(
    device: Device,
    itemsize: int,
    images: NDArray[np.uint64],
    shapes: NDArray[np.int64],
    windows: NDArray[np.int64],
    out: NDArray[np.uint64],
) -> None:
    """Launch the kernel that cuts windows out of whole images.

    Args:
        device: the device.
        itemsize: bytes of an element.
        images: addresses of the whole images, in the memory of the GPU or host memory that it
            reads.
        shapes: height, width and channels of the whole images: (images, 3).
        windows: the windows: (images, 4).
        out: addresses of the results.
    """
    y0, x0, y1, x1 = windows.T
    pixels = shapes[:, 2] * itemsize
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
    launch_elements(device, _CUT, table, (y1 - y0) * words)


def without(rows: Collection[int], chosen: Rows) -> Rows:
    """Return the chosen rows but for some."""
    return np.array([i for i in chosen.tolist() if i not in rows], np.intp) if rows else chosen


def _lasting(
    files: Files, hits: Hits, errors: Collection[int], shapes: NDArray[np.int64]
) -> tuple[Rows, NDArray[np.int64]]:
    """Return the rows of misses that a cache may keep, and the shapes of their images."""
    is_miss = np.ones(len(shapes), np.bool_)
    is_miss[hits.rows] = False
    rows = without(errors, np.flatnonzero(is_miss))
    headers = [files.headers[i] for i in rows.tolist()]  # None: plain JPEG
    rows = rows[np.array([header is None or is_lasting(header) for header in headers], np.bool_)]
    return rows, shapes[rows]
