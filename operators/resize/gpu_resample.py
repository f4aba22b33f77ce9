"""Resampling of a batch on the GPU: the launches.

One kernel resamples rows and columns together. The depth of volumes goes first, in a pass of its
own. Axes whose outputs weigh many input samples go in passes of their own, too, with
floating-point numbers in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.gpu.kernels import c_type
from ..kernels import CHUNK, Pointers, kernel, launch_elements, struct_table
from .axes import ResampledAxes, unchanged_axes
from .filters import Filter
from .gpu_blocks import COLUMN_GROUPS, ROW_GROUPS, BlockLayout, ImageStacks, plan_blocks
from .gpu_tables import WAYS, axis_table, uploaded_curves, weight_tables

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

_FLOAT64 = set(map(np.dtype, ("int32", "uint32", "float64")))  # more values than float32 holds
_MOST_BLOCKS = 4096  # of a sample; blocks do more work in loops
_STRIP = 4  # results that a thread of resample_outer.cu makes


def resample_batch(
    batch: BatchContext, source: ImageStacks, target: ImageStacks, axes: list[ResampledAxes]
) -> None:
    """Resample the images of a batch.

    Args:
        batch: the batch, whose device does the work.
        source: the images; none of samples that cannot be resampled.
        target: the results: as many images, of other extents, of the same type or float32.
        axes: how each spatial axis is resampled.
    """
    work = np.dtype(np.float64 if source.dtype in _FLOAT64 else np.float32)
    if len(axes) == 3:
        planes = _resample_outer(batch, source, None, axes[0], work)
        frames = target.images * target.extents[:, 0]
        source = planes._replace(images=frames, extents=source.extents[:, 1:])
        target = target._replace(images=frames, extents=target.extents[:, 1:])
        axes = axes[1:]
    rows, columns = axes
    alike = np.searchsorted(ROW_GROUPS, rows.taps)
    alike = np.maximum(alike, np.searchsorted(COLUMN_GROUPS, columns.taps))
    there = source.images > 0
    alike[~there] = -1
    mixed = any(len(set(axis.taps[there].tolist())) > 1 for axis in (rows, columns))
    for group in set(alike.tolist()) - {-1}:
        which = np.flatnonzero(alike == group)
        if len(which) == len(alike):
            _resample_alike(batch, source, target, rows, columns, work, mixed)
            continue
        both = rows.select(which), columns.select(which)
        _resample_alike(batch, source.select(which), target.select(which), *both, work, mixed)


def _resample_alike(
    batch: BatchContext,
    source: ImageStacks,
    target: ImageStacks,
    rows: ResampledAxes,
    columns: ResampledAxes,
    work: np.dtype[Any],
    mixed: bool,
) -> None:
    """Resample images that one variant of the kernels suits."""
    how = work, target.dtype == np.uint8, batch.device.shared_bytes, mixed
    layout = plan_blocks(source, target, rows, columns, *how)
    if layout is not None:
        _resample_image(batch, source, target, rows, columns, layout)
        return
    height, width = source.extents[:, 0], columns.out_size
    size = (source.images * height * width * source.channels)[:, None]
    out = batch.device.empty(size, work)
    extents = np.column_stack([height, width])
    halfway = ImageStacks(out.pointers(), source.images, extents, source.channels, work, out)
    same = unchanged_axes(height, np.full_like(rows.filter, int(Filter.NEAREST)))
    layout = plan_blocks(source, halfway, same, columns, *how)
    if layout is not None:
        _resample_image(batch, source, halfway, same, columns, layout)
    else:
        images = source.images * height
        lines = source._replace(images=images, extents=source.extents[:, 1:])
        _resample_outer(batch, lines, halfway._replace(images=images), columns, work)
    _resample_outer(batch, halfway, target, rows, work)


def _resample_outer(
    batch: BatchContext,
    source: ImageStacks,
    target: ImageStacks | None,
    axis: ResampledAxes,
    work: np.dtype[Any],
) -> ImageStacks:
    """Resample the first spatial axis; without a target, the results are of type `work`."""
    first, weights, _memory = weight_tables(batch, source.images > 0, axis, work)
    inner = source.extents[:, 1:].prod(1) * source.channels
    if target is None:
        out = batch.device.empty((source.images * axis.out_size * inner)[:, None], work)
        extents = np.column_stack([axis.out_size, source.extents[:, 1:]])
        target = ImageStacks(out.pointers(), source.images, extents, source.channels, work, out)
    strips = -(-axis.out_size // _STRIP)
    items = source.images * strips * inner
    table = struct_table(
        "Stack",
        len(items),
        source=Pointers(source.pointers, "const In*"),
        out=Pointers(target.pointers, "Out*"),
        first=Pointers(first, "const int*"),
        weights=Pointers(weights, "const Work*"),
        inner=inner,
        items=items,
        inputs=axis.in_size.astype(np.int32),
        outputs=axis.out_size.astype(np.int32),
        taps=axis.taps.astype(np.int32),
        strips=strips.astype(np.int32),
    )
    types = {"In": source.dtype, "Out": target.dtype, "Work": work}
    names = {name: c_type(dtype) for name, dtype in types.items()}
    function = kernel("resize/resample_outer", "resample_outer", **names)
    launch_elements(batch.device, function, table, items, np.int32(_STRIP))
    return target


def _resample_image(
    batch: BatchContext,
    source: ImageStacks,
    target: ImageStacks,
    rows: ResampledAxes,
    columns: ResampledAxes,
    layout: BlockLayout,
) -> None:
    """Resample rows and columns together."""
    height, width = target.extents.T
    down = width * target.channels * target.dtype.itemsize * np.where(rows.mirrored, -1, 1)
    pitch = source.extents[:, 1] * source.channels * source.dtype.itemsize
    table = struct_table(
        "Stack",
        len(source.images),
        source=source.pointers.astype(np.uint64),
        out=target.pointers.astype(np.uint64),
        items=layout.items,
        image=source.extents[:, 0] * pitch,
        down=down,
        pitch=pitch.astype(np.uint32),
        in_step=(layout.in_room + pitch % CHUNK).astype(np.int32),
        out_step=(layout.out_room + down % CHUNK).astype(np.int32),
        channels=source.channels.astype(np.int32),
        strips=layout.strips.astype(np.int32),
        rows=axis_table(rows, height, stepwise=True),
        columns=axis_table(columns, width, stepwise=False),
    )
    batch.device.launch(
        kernel("resize/resample_image", "resample_image", **WAYS, **layout.macros),
        (min(int(layout.items.max()), _MOST_BLOCKS), len(table)),
        (layout.threads,),
        table,
        uploaded_curves(batch),
        np.int32(layout.strip),
        np.int32(layout.staged),
        np.int32(layout.collected),
        shared_bytes=layout.shared_bytes,
    )
