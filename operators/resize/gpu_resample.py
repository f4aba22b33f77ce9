"""Resampling of a batch on the GPU: the launches.

One kernel resamples rows and columns together. The depth of volumes goes first, in a pass of its
own. Axes whose outputs weigh many input samples go in passes of their own, too, with
floating-point numbers in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...engine.arrays import DType
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ..elementwise.promotion import exact_type
from ..kernels import CHUNK, Pointers, kernel, launch_elements, struct_table
from .axes import Axes, find_stepwise, unchanged_axes
from .gpu_blocks import COLUMN_GROUPS, ROW_GROUPS, BlockLayout, ImageStacks, plan_blocks
from .gpu_tables import WAYS, axis_table, uploaded_curves, weight_tables

_ROW_GROUPS, _COLUMN_GROUPS = np.array([ROW_GROUPS, COLUMN_GROUPS], np.int32)
_GROUPS = np.arange(len(ROW_GROUPS) + 2)  # all groups, and the end
_MOST_BLOCKS = 4096  # of a sample; blocks do more work in loops
_STRIP = 4  # results that a thread of resample_outer.cu makes

_Group = tuple[int, int, BlockLayout]
"""The first image of a group, the one after its last, and how blocks divide the group's images."""


def resample_batch(
    batch: BatchContext, source: ImageStacks, target: ImageStacks, axes: Sequence[Axes]
) -> None:
    """Resample the images of a batch.

    Args:
        source: the images; none of samples that cannot be resampled.
        target: the results: as many images, of other extents, of the same type or float32.
        axes: how each spatial axis is resampled.
    """
    work = exact_type(source.dtype)
    if len(axes) == 3:
        planes = _resample_outer(batch, source, None, axes[0], work)
        frames = target.images * target.extents[:, 0]
        source = planes._replace(images=frames, extents=source.extents[:, 1:])
        target = target._replace(images=frames, extents=target.extents[:, 1:])
        axes = axes[1:]
    rows, columns = axes
    # Images that one variant of the kernel suits lie side by side, those of no image in front.
    alike = _ROW_GROUPS.searchsorted(rows["taps"])
    alike = np.maximum(alike, _COLUMN_GROUPS.searchsorted(columns["taps"]))
    alike[source.images == 0] = -1
    order = alike.argsort(kind="stable")
    cuts = alike[order].searchsorted(_GROUPS).tolist()
    order = order[cuts[0] :]
    source, target = source.select(order), target.select(order)
    rows, columns = rows.take(order), columns.take(order)
    find_stepwise(rows)
    mixed = any((axis["taps"] != axis["taps"][:1]).any() for axis in (rows, columns))
    how = work, target.dtype == np.uint8, batch.device.shared_bytes, mixed
    groups: list[_Group] = []
    for start, stop in pairwise(cut - cuts[0] for cut in cuts):
        if start == stop:
            continue
        which = slice(start, stop)
        part = source.select(which), target.select(which), rows[which], columns[which]
        layout = plan_blocks(*part, *how)
        if layout is not None:
            groups.append((start, stop, layout))
        else:
            _resample_in_passes(batch, *part, how)
    _resample_images(batch, source, target, rows, columns, groups)


def _resample_in_passes(
    batch: BatchContext,
    source: ImageStacks,
    target: ImageStacks,
    rows: Axes,
    columns: Axes,
    how: tuple[DType, bool, int, bool],
) -> None:
    """Resample columns first, and then rows; `how` is for `plan_blocks`."""
    work, count = how[0], len(source.images)
    height, width = source.extents[:, 0], target.extents[:, 1]
    size = source.images * height * width * source.channels
    memory, pointers = batch.device.blocks(size * work.itemsize)
    extents = np.column_stack([height, width])
    halfway = ImageStacks(pointers, source.images, extents, source.channels, work, memory)
    same = unchanged_axes(height)
    find_stepwise(same)
    layout = plan_blocks(source, halfway, same, columns, *how)
    if layout is not None:
        _resample_images(batch, source, halfway, same, columns, [(0, count, layout)])
    else:
        images = source.images * height
        lines = source._replace(images=images, extents=source.extents[:, 1:])
        _resample_outer(batch, lines, halfway._replace(images=images), columns, work)
    _resample_outer(batch, halfway, target, rows, work)


def _resample_outer(
    batch: BatchContext,
    source: ImageStacks,
    target: ImageStacks | None,
    axes: Axes,
    work: DType,
) -> ImageStacks:
    """Resample the first spatial axis; without a target, the results are of type `work`."""
    first, weights, _memory = weight_tables(batch, source.images > 0, axes, work)
    inner = source.extents[:, 1:].prod(1) * source.channels
    outputs = axes["outputs"].astype(np.int64)
    if target is None:
        size = source.images * outputs * inner
        memory, pointers = batch.device.blocks(size * work.itemsize)
        extents = np.column_stack([outputs, source.extents[:, 1:]])
        target = ImageStacks(pointers, source.images, extents, source.channels, work, memory)
    strips = -(-outputs // _STRIP)
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
        inputs=axes["inputs"],
        outputs=axes["outputs"],
        taps=axes["taps"],
        strips=strips.astype(np.int32),
    )
    types = {"In": source.dtype, "Out": target.dtype, "Work": work}
    names = {name: c_type(dtype) for name, dtype in types.items()}
    function = kernel("resize/resample_outer", "resample_outer", **names)
    launch_elements(batch.device, function, table, items, np.int32(_STRIP))
    return target


def _resample_images(
    batch: BatchContext,
    source: ImageStacks,
    target: ImageStacks,
    rows: Axes,
    columns: Axes,
    groups: Sequence[_Group],
) -> None:
    """Resample rows and columns together, in a launch for each group of images."""
    if not groups:
        return
    across = target.channels * target.dtype.itemsize
    down = target.extents[:, 1] * np.where(rows["scale"] < 0, -across, across)
    pitch = source.extents[:, 1] * source.channels * source.dtype.itemsize
    table = struct_table(
        "Stack",
        len(pitch),
        source=source.pointers,
        out=target.pointers,
        items=np.zeros_like(pitch),
        image=source.extents[:, 0] * pitch,
        down=down,
        pitch=pitch.astype(np.uint32),
        in_step=(pitch % CHUNK).astype(np.int32),
        out_step=(down % CHUNK).astype(np.int32),
        channels=source.channels.astype(np.int32),
        strips=np.zeros(len(pitch), np.int32),
        rows=axis_table(rows),
        columns=axis_table(columns),
    )
    for start, stop, layout in groups:
        part = table.array[start:stop]
        part["items"], part["strips"] = layout.items, layout.strips
        part["in_step"] += layout.in_room
        part["out_step"] += layout.out_room
    table = batch.device.upload_table(table)
    for start, stop, layout in groups:
        batch.device.launch(
            kernel("resize/resample_image", "resample_image", **WAYS, **layout.macros),
            (min(int(layout.items.max()), _MOST_BLOCKS), stop - start),
            (layout.threads,),
            table.part(start, stop),
            uploaded_curves(batch),
            np.int32(layout.strip),
            np.int32(layout.staged),
            np.int32(layout.collected),
            shared_bytes=layout.shared_bytes,
        )
