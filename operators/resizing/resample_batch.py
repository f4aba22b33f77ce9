"""Resampling of a batch on the GPU: rows and columns in one pass.

The depth of volumes goes first. Where rows or columns weigh much of the input, each goes in a pass
of its own, with floating point numbers in between.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.kernels import c_type
from ...engine.operator import Array
from ...engine.tensors import address_of
from ..kernels import THREADS, blocks_for, descriptors, kernel, launch_elements
from ..resampling.batched import Axes, Ints, unchanged
from ..resampling.filters import KERNELS, Filter
from .resample_layout import CHUNK, Layout, Stack, layout_of

if TYPE_CHECKING:
    from ...engine.batch import Batch

_FLOAT64 = set(map(np.dtype, ("int32", "uint32", "float64")))  # more values than float32 holds
_ROW_TAPS, _COLUMN_TAPS = (4, 12), (6, 12)  # up to so many, samples are alike
_MOST_BLOCKS = 4096  # a sample; more work is done in loops
_STRIP = 4  # results that a thread of resample_outer.cu makes
_ALIGNMENT = 8  # of tables
_WEIGH, _COPY, _COPY_STEPWISE = range(3)  # `Way` in weights.cuh


def resample_batch(batch: Batch, source: Stack, target: Stack, axes: list[Axes]) -> None:
    """Resample the images of a batch.

    Args:
        batch: whose device to use.
        source: the images; of samples that cannot be resampled, none.
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
    alike = np.searchsorted(_ROW_TAPS, rows.taps)
    alike = np.maximum(alike, np.searchsorted(_COLUMN_TAPS, columns.taps))
    alike[source.images == 0] = -1
    for kind in set(alike.tolist()) - {-1}:
        which = np.flatnonzero(alike == kind)
        if len(which) == len(alike):
            _resample_alike(batch, source, target, rows, columns, work)
            continue
        parts = rows.take(which), columns.take(which)
        _resample_alike(batch, source.take(which), target.take(which), *parts, work)


def _resample_alike(
    batch: Batch, source: Stack, target: Stack, rows: Axes, columns: Axes, work: np.dtype[Any]
) -> None:
    """Resample images for which one kernel is suitable."""
    how = work, target.dtype == np.uint8, batch.device.shared_bytes
    layout = layout_of(source, target, rows, columns, *how)
    if layout is not None:
        _resample_image(batch, source, target, rows, columns, layout)
        return
    height, width = source.extents[:, 0], columns.out_size
    size = (source.images * height * width * source.channels)[:, None]
    out = batch.device.empty(size, work)
    extents = np.column_stack([height, width])
    halfway = Stack(out.pointers(), source.images, extents, source.channels, work, out)
    same = unchanged(height, np.full_like(rows.filter, int(Filter.NEAREST)))
    layout = layout_of(source, halfway, same, columns, *how)
    if layout is not None:
        _resample_image(batch, source, halfway, same, columns, layout)
    else:
        images = source.images * height
        lines = source._replace(images=images, extents=source.extents[:, 1:])
        _resample_outer(batch, lines, halfway._replace(images=images), columns, work)
    _resample_outer(batch, halfway, target, rows, work)


def _resample_outer(
    batch: Batch, source: Stack, target: Stack | None, axis: Axes, work: np.dtype[Any]
) -> Stack:
    """Resample the first spatial axis; without a target, the results are of type `work`."""
    first, weights, _memory = _tables(batch, source, axis, work)
    inner = source.extents[:, 1:].prod(1) * source.channels
    if target is None:
        out = batch.device.empty((source.images * axis.out_size * inner)[:, None], work)
        extents = np.column_stack([axis.out_size, source.extents[:, 1:]])
        target = Stack(out.pointers(), source.images, extents, source.channels, work, out)
    strips = -(-axis.out_size // _STRIP)
    items = source.images * strips * inner
    samples = descriptors(
        len(items),
        source=source.pointers,
        out=target.pointers,
        first=first,
        weights=weights,
        inner=inner,
        items=items,
        inputs=axis.in_size.astype(np.int32),
        outputs=axis.out_size.astype(np.int32),
        taps=axis.taps.astype(np.int32),
        strips=strips.astype(np.int32),
    )
    types = {"In": source.dtype, "Out": target.dtype, "Work": work}
    names = {name: c_type(dtype) for name, dtype in types.items()}
    function = kernel("resample_outer", "resample_outer", **names)
    launch_elements(batch, function, samples, items, np.int32(_STRIP))
    return target


def _resample_image(
    batch: Batch, source: Stack, target: Stack, rows: Axes, columns: Axes, layout: Layout
) -> None:
    height, width = target.extents.T
    down = width * target.channels * target.dtype.itemsize * np.where(rows.mirrored, -1, 1)
    pitch = source.extents[:, 1] * source.channels * source.dtype.itemsize
    samples = descriptors(
        len(source.images),
        source=source.pointers,
        out=target.pointers,
        items=layout.items,
        image=source.extents[:, 0] * pitch,
        down=down,
        pitch=pitch.astype(np.uint32),
        in_step=(layout.in_room + pitch % CHUNK).astype(np.int32),
        out_step=(layout.out_room + down % CHUNK).astype(np.int32),
        channels=source.channels.astype(np.int32),
        strips=layout.strips.astype(np.int32),
        **_described("rows", rows, height, stepwise=True),
        **_described("columns", columns, width),
    )
    batch.device.launch(
        kernel("resample_image", "resample_image", **layout.macros),
        (min(int(layout.items.max()), _MOST_BLOCKS), len(samples)),
        (layout.threads,),
        batch.device.upload(samples),
        _uploaded_curves(batch),
        np.int32(layout.strip),
        np.int32(layout.staged),
        np.int32(layout.collected),
        shared_bytes=layout.shared_bytes,
    )


def _tables(
    batch: Batch, source: Stack, axis: Axes, work: np.dtype[Any]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Any]:
    """Compute where on an axis the results begin to weigh, and the weights; return addresses."""
    outputs, taps = np.where(source.images > 0, axis.out_size, 0), axis.taps
    indices, nbytes = _aligned(4 * outputs), _aligned(work.itemsize * taps * outputs)
    memory = batch.device.buffer(int((indices + nbytes).sum()))
    ends = np.cumsum(indices + nbytes).astype(np.uint64) + np.uint64(address_of(memory))
    weights = ends - nbytes.astype(np.uint64)
    first = weights - indices.astype(np.uint64)
    tables = descriptors(
        len(outputs),
        first=first,
        weights=weights,
        **_described("axis", axis, outputs, stepwise=True),
    )
    batch.device.launch(
        kernel("resample_weights", "resample_weights", Work=c_type(work)),
        (blocks_for(outputs), len(outputs)),
        (THREADS,),
        batch.device.upload(tables),
        _uploaded_curves(batch),
    )
    return first, weights, memory


def _aligned(nbytes: Ints) -> Ints:
    return -(-nbytes // _ALIGNMENT) * _ALIGNMENT


def _described(name: str, axis: Axes, outputs: Ints, stepwise: bool = False) -> dict[str, Array]:
    """An axis' members in weights.cuh. Rows are found step by step, columns by multiplying."""
    _, begins, lasts = _curves()
    copies = axis.copies
    start = axis.start.astype(np.float32) - axis.base.astype(np.float32)
    half = np.float32(0.5)
    members = {
        "inputs": axis.in_size.astype(np.int32),
        "outputs": outputs.astype(np.int32),
        "base": axis.base.astype(np.int32),
        "support": axis.support.astype(np.int32),
        "taps": axis.taps.astype(np.int32),
        "way": np.where(copies, _COPY_STEPWISE if stepwise else _COPY, _WEIGH).astype(np.int32),
        "curve": begins[axis.filter],
        "last": lasts[axis.filter],
        "step": axis.step,
        "scale": axis.scale,
        "start": np.where(copies, start, start + (half * axis.scale - half - axis.anchor)),
    }
    return {f"{name}_{member}": values for member, values in members.items()}


@cache
def _curves() -> tuple[Array, Array, Array]:
    """The kernels' tables in a row, where each begins, and its last step, by filter.

    The triangle needs none, and begins at -1.
    """
    begins = np.full(len(Filter), -1, np.int32)
    lasts = np.zeros(len(Filter), np.float32)
    tables: list[Array] = []
    for kind, curve in KERNELS.items():
        if kind is not Filter.LINEAR:
            begins[kind] = sum(map(len, tables))
            lasts[kind] = curve.last
            tables.append(curve.table)
    return np.concatenate(tables), begins, lasts


def _uploaded_curves(batch: Batch) -> Any:
    """The kernels' tables on the device, for as long as its stream is used."""
    own = batch.device.own
    if _curves not in own:
        own[_curves] = batch.device.upload(_curves()[0])
    return own[_curves]
