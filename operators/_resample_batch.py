"""Resampling of a batch on the GPU: weights, then rows and columns in one pass.

The depth of volumes goes first, and so do rows that weigh many rows of the input: in a pass of
their own, with floating point numbers in between.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.kernels import c_type
from ..engine.operator import Array
from ..engine.tensors import address_of
from .kernels import THREADS, blocks_for, descriptors, kernel, launch_elements
from .resampling.batched import Axes, Ints, unchanged
from .resampling.filters import KERNELS, Filter

if TYPE_CHECKING:
    from ..engine.batch import Batch

_FLOAT64 = ("int32", "uint32", "float64")  # float32 does not hold all values of these
_MOST_ROW_TAPS = 12  # whose sums shared memory holds for each thread
_ROWS = 2  # of the input that a thread reads at a time: more hide latency, but cost registers
_LONGEST_STRIP = 16
_ENOUGH_THREADS = 1 << 18  # as many as a large GPU runs at a time
_WEIGH, _COPY, _COPY_STEPWISE = range(3)  # `Way` in resample_weights.cu


class Stack(NamedTuple):
    """Samples as the kernels see them: some images, one after the other.

    Attributes:
        pointers: of the samples: (batch,).
        images: how many each has: (batch,).
        extents: of the images: (batch, axes).
        channels: behind them: (batch,).
        dtype: of the elements.
        memory: where they lie; must be held until the last launch that uses it.
    """

    pointers: NDArray[np.uint64]
    images: Ints
    extents: Ints
    channels: Ints
    dtype: np.dtype[Any]
    memory: Any


class _Table(NamedTuple):
    """Where the device has the weights of an axis, and how many of them a result has."""

    first: NDArray[np.uint64]
    weights: NDArray[np.uint64]
    taps: Ints
    memory: Any


def resample_batch(batch: Batch, source: Stack, target: Stack, axes: Axes) -> None:
    """Resample the images of a batch.

    Args:
        batch: whose device to use.
        source: the images; of samples that cannot be resampled, none.
        target: the results: as many images, of other extents, of the same type or float32.
        axes: how the spatial axes are resampled.
    """
    work = np.dtype(np.float64 if source.dtype.name in _FLOAT64 else np.float32)
    if source.extents.shape[1] == 3:
        planes = _resample_outer(batch, source, axes[:1], work)
        frames = target.images * target.extents[:, 0]
        source = planes._replace(images=frames, extents=source.extents[:, 1:])
        target = target._replace(images=frames, extents=target.extents[:, 1:])
        axes = axes[1:]
    rows = axes[:1]
    if rows.taps().max() > _MOST_ROW_TAPS:
        source = _resample_outer(batch, source, rows, work)
        nearest = np.zeros_like(rows.filter[0])
        axes = axes[1:].with_front(unchanged(rows.out_size, nearest))
    _resample_image(batch, source, target, axes, work)


def _resample_outer(batch: Batch, source: Stack, axis: Axes, work: np.dtype[Any]) -> Stack:
    """Resample the first spatial axis; the results are of type `work`."""
    (table,) = _tables(batch, source, axis, work)
    in_size, out_size = axis.in_size[0], axis.out_size[0]
    inner = source.extents[:, 1:].prod(1) * source.channels
    out = batch.device.empty((source.images * out_size * inner)[:, None], work)
    extents = np.column_stack([out_size, source.extents[:, 1:]])
    result = Stack(out.pointers(), source.images, extents, source.channels, work, out)
    strip, strips = _strips(source.images * inner, out_size)
    items = source.images * strips * inner
    samples = descriptors(
        len(items),
        source=source.pointers,
        out=result.pointers,
        first=table.first,
        weights=table.weights,
        inner=inner,
        items=items,
        inputs=in_size.astype(np.int32),
        outputs=out_size.astype(np.int32),
        taps=table.taps.astype(np.int32),
        strips=strips.astype(np.int32),
    )
    function = kernel(
        "resample_outer", "resample_outer", In=c_type(source.dtype), Work=c_type(work)
    )
    launch_elements(batch, function, samples, items, np.int32(strip))
    return result


def _resample_image(
    batch: Batch, source: Stack, target: Stack, axes: Axes, work: np.dtype[Any]
) -> None:
    rows, columns = _tables(batch, source, axes, work)
    height, width = target.extents.T
    together = _channels_together(source)
    groups = source.channels // together
    strip, strips = _strips(source.images * groups * width, height)
    items = source.images * groups * strips * width
    samples = descriptors(
        len(items),
        source=source.pointers,
        out=target.pointers,
        first_row=rows.first,
        row_weights=rows.weights,
        first_column=columns.first,
        column_weights=columns.weights,
        items=items,
        in_extents=source.extents.astype(np.int32),
        extents=target.extents.astype(np.int32),
        channels=source.channels.astype(np.int32),
        row_taps=rows.taps.astype(np.int32),
        column_taps=columns.taps.astype(np.int32),
        strips=strips.astype(np.int32),
        upwards=axes.mirrored[0].astype(np.int32),
    )
    words = source.dtype == np.uint8 and bool((groups == 1).all())
    slots = 1 << int(rows.taps.max() + _ROWS - 2).bit_length()
    function = kernel(
        "resample_image",
        "resample_image",
        In=c_type(source.dtype),
        Out=c_type(target.dtype),
        Work=c_type(work),
        CHANNELS=str(together),
        WORDS=str(int(words)),
        ROWS=str(_ROWS),
        THREADS=str(THREADS),
    )
    launch_elements(
        batch,
        function,
        samples,
        items,
        np.int32(strip),
        np.int32(slots),
        shared_bytes=slots * together * THREADS * work.itemsize,
    )


def _channels_together(source: Stack) -> int:
    """How many channels a thread takes: all samples must have a multiple of them."""
    common = int(np.gcd.reduce(source.channels[source.images > 0], initial=0))
    return next(count for count in (4, 3, 2, 1) if common % count == 0)


def _strips(columns: Ints, outputs: Ints) -> tuple[int, Ints]:
    """How many results of a column a thread makes, and how many threads that is for each.

    Long strips read less of the input twice, but they must occupy the device.
    """
    longest = int((columns * outputs).sum()) // _ENOUGH_THREADS
    strip = min(max(longest, 1), _LONGEST_STRIP)
    return strip, -(-outputs // strip)


def _tables(batch: Batch, source: Stack, axes: Axes, work: np.dtype[Any]) -> list[_Table]:
    """Compute the weights of axes; those of the second are columns."""
    outputs = np.where(source.images > 0, axes.out_size, 0)
    taps = axes.taps()
    copying = np.array([[_COPY_STEPWISE], [_COPY]])[: len(outputs)]  # as the CPU finds columns
    start = axes.start.astype(np.float32) - axes.base.astype(np.float32)
    half = np.float32(0.5)
    first_bytes = _aligned(4 * outputs)
    nbytes = first_bytes + _aligned(work.itemsize * taps * outputs)
    memory = batch.device.buffer(int(nbytes.sum()))
    ends = np.cumsum(nbytes).reshape(nbytes.shape)
    first = np.uint64(address_of(memory)) + (ends - nbytes).astype(np.uint64)
    weights = first + first_bytes.astype(np.uint64)
    curves, begins, lasts = _curves()
    columns = {
        "first": first,
        "weights": weights,
        "inputs": axes.in_size.astype(np.int32),
        "outputs": outputs.astype(np.int32),
        "base": axes.base.astype(np.int32),
        "support": axes.support.astype(np.int32),
        "taps": taps.astype(np.int32),
        "way": np.where(axes.copies, copying, _WEIGH).astype(np.int32),
        "curve": begins[axes.filter],
        "last": lasts[axes.filter],
        "step": axes.step,
        "scale": axes.scale,
        "start": np.where(axes.copies, start, start + (half * axes.scale - half - axes.anchor)),
    }
    table = descriptors(outputs.size, **{name: c.reshape(-1) for name, c in columns.items()})
    device = batch.device
    device.launch(
        kernel("resample_weights", "resample_weights", Work=c_type(work)),
        (blocks_for(outputs), *outputs.shape[::-1]),
        (THREADS,),
        device.upload(table),
        device.upload(curves),
    )
    return [_Table(f, w, t, memory) for f, w, t in zip(first, weights, taps, strict=True)]


def _aligned(nbytes: Ints) -> Ints:
    return -(-nbytes // 8) * 8


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
