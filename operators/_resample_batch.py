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
from .resampling.batched import Axes, Ints, joined, unchanged
from .resampling.filters import KERNELS, Filter

if TYPE_CHECKING:
    from ..engine.batch import Batch

_WITH_NEGATIVE_WEIGHTS = (int(Filter.CUBIC), int(Filter.LANCZOS3))
_FLOAT64 = ("int32", "uint32", "float64")  # float32 does not hold all values of these
_MOST_ROW_TAPS = 12  # whose sums a thread holds
_LONGEST_STRIP = 38
_WARP = 32  # threads of a block come in multiples of it
_MOST_BLOCKS = 4096  # a sample; more work is done in loops
_SLOTS = (2, 4, 8, 12)  # rows of which a thread holds the sums
_COLUMNS, _COLUMNS_OF_MORE = (2, 3, 4, 5, 6, 8, 12), 8  # that a thread weighs at a time
_FEW_COLUMNS = 6  # of which a thread reads more rows ahead
_MOST_DOTS = 32  # columns whose weights may be rounded to 16 bits
_ENOUGH_THREADS = 1 << 18  # as many as a large GPU runs at a time
_WEIGH, _COPY, _COPY_STEPWISE = range(3)  # `Way` in resample_weights.cu
_ALIGNMENT = 32  # of tables, whose weights are read up to four together
_ONE, _ONE_OF_SIGNED = 1 << 15, 1 << 14  # what stands for 1 in weights of 16 bits


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


def resample_batch(batch: Batch, source: Stack, target: Stack, axes: list[Axes]) -> None:
    """Resample the images of a batch.

    Args:
        batch: whose device to use.
        source: the images; of samples that cannot be resampled, none.
        target: the results: as many images, of other extents, of the same type or float32.
        axes: how each spatial axis is resampled.
    """
    work = np.dtype(np.float64 if source.dtype.name in _FLOAT64 else np.float32)
    if len(axes) == 3:
        planes = _resample_outer(batch, source, axes[0], work)
        frames = target.images * target.extents[:, 0]
        source = planes._replace(images=frames, extents=source.extents[:, 1:])
        target = target._replace(images=frames, extents=target.extents[:, 1:])
        axes = axes[1:]
    if axes[0].taps().max() > _MOST_ROW_TAPS:
        source = _resample_outer(batch, source, axes[0], work)
        nearest = np.full_like(axes[0].filter, int(Filter.NEAREST))
        axes = [unchanged(axes[0].out_size, nearest), axes[1]]
    _resample_image(batch, source, target, axes, work)


def _resample_outer(batch: Batch, source: Stack, axis: Axes, work: np.dtype[Any]) -> Stack:
    """Resample the first spatial axis; the results are of type `work`."""
    (table,) = _tables(batch, source, [axis], work, [axis.taps()], slots=[0])
    inner = source.extents[:, 1:].prod(1) * source.channels
    out = batch.device.empty((source.images * axis.out_size * inner)[:, None], work)
    extents = np.column_stack([axis.out_size, source.extents[:, 1:]])
    result = Stack(out.pointers(), source.images, extents, source.channels, work, out)
    strip, strips = _strips(source.images * inner, axis.out_size)
    items = source.images * strips * inner
    samples = descriptors(
        len(items),
        source=source.pointers,
        out=result.pointers,
        first=table.first,
        weights=table.weights,
        inner=inner,
        items=items,
        inputs=axis.in_size.astype(np.int32),
        outputs=axis.out_size.astype(np.int32),
        taps=table.taps.astype(np.int32),
        strips=strips.astype(np.int32),
    )
    function = kernel(
        "resample_outer", "resample_outer", In=c_type(source.dtype), Work=c_type(work)
    )
    launch_elements(batch, function, samples, items, np.int32(strip))
    return result


def _resample_image(
    batch: Batch, source: Stack, target: Stack, axes: list[Axes], work: np.dtype[Any]
) -> None:
    together = _channels_together(source)
    groups = source.channels // together
    words, taps_at_once, padded = _columns_together(source, axes[1], bool((groups == 1).all()))
    dots = words and target.dtype == np.uint8 and bool(padded.max() <= _MOST_DOTS)
    negative = any(np.isin(axis.filter, _WITH_NEGATIVE_WEIGHTS).any() for axis in axes)
    one = _ONE_OF_SIGNED if negative else _ONE
    row_taps = axes[0].taps()
    slots = next(count for count in _SLOTS if count >= row_taps.max())
    rows, columns = _tables(
        batch, source, axes, work, [row_taps, padded], slots=[slots, 0], one=one if dots else 0
    )
    height, width = target.extents.T
    strip, strips = _strips(source.images * groups * width, height)
    threads = _threads(int(np.where(source.images > 0, width, 0).max(initial=1)))
    items = source.images * groups * strips * -(-width // threads)
    samples = descriptors(
        len(items),
        source=source.pointers,
        out=target.pointers,
        first_row=rows.first,
        row_weights=rows.weights,
        first_column=columns.first,
        column_weights=columns.weights,
        items=items,
        image=source.extents.prod(1) * source.channels,
        pitch=(source.extents[:, 1] * source.channels).astype(np.uint32),
        extents=target.extents.astype(np.int32),
        channels=source.channels.astype(np.int32),
        row_taps=rows.taps.astype(np.int32),
        column_taps=columns.taps.astype(np.int32),
        strips=strips.astype(np.int32),
        upwards=axes[0].mirrored.astype(np.int32),
    )
    function = kernel(
        "resample_image",
        "resample_image",
        In=c_type(source.dtype),
        Out=c_type(target.dtype),
        Work=c_type(work),
        CHANNELS=str(together),
        WORDS=str(int(words)),
        DOTS=str(int(dots)),
        DOT_ONE=str(one),
        NEGATIVE=str(int(negative)),
        TAPS=str(taps_at_once),
        MORE=str(int(columns.taps.max() > taps_at_once)),
        SLOTS=str(slots),
        AHEAD=str(min(slots, 4 if words and taps_at_once <= _FEW_COLUMNS else 2)),
    )
    batch.device.launch(
        function,
        (min(int(items.max(initial=0)), _MOST_BLOCKS), len(items)),
        (threads,),
        batch.device.upload(samples),
        np.int32(strip),
        shared_bytes=strip * (slots * work.itemsize + np.dtype(np.int32).itemsize),
    )


def _threads(width: int) -> int:
    """How many threads a block has for a row of results: in all, few too many."""
    blocks = -(-width // THREADS)
    return -(-width // (blocks * _WARP)) * _WARP


def _channels_together(source: Stack) -> int:
    """How many channels a thread takes: all samples must have a multiple of them."""
    common = int(np.gcd.reduce(source.channels[source.images > 0], initial=0))
    return next(count for count in (4, 3, 2, 1) if common % count == 0)


def _columns_together(source: Stack, axis: Axes, whole: bool) -> tuple[bool, int, Ints]:
    """How a thread reads columns: whether as words, and how many at a time; and how many of them
    each sample weighs then, for words are read of a multiple of columns.

    Args:
        source: the images.
        axis: their columns.
        whole: whether a thread takes all channels of a pixel.
    """
    taps = axis.taps()
    most = int(taps.max())
    at_once = next((count for count in _COLUMNS if count >= most), _COLUMNS_OF_MORE)
    padded = -(-taps // at_once) * at_once
    fit = (source.images == 0) | (padded <= axis.in_size)
    if source.dtype == np.uint8 and whole and fit.all():
        return True, at_once, padded
    return False, min(at_once, _COLUMNS_OF_MORE), taps


def _strips(columns: Ints, outputs: Ints) -> tuple[int, Ints]:
    """How many results of a column a thread makes, and how many threads that is for each.

    Long strips read less of the input twice, but they must occupy the device.
    """
    longest = int((columns * outputs).sum()) // _ENOUGH_THREADS
    strip = min(max(longest, 1), _LONGEST_STRIP)
    return strip, -(-outputs // strip)


def _tables(
    batch: Batch,
    source: Stack,
    axes: list[Axes],
    work: np.dtype[Any],
    weighed: list[Ints],
    slots: list[int],
    one: int = 0,
) -> list[_Table]:
    """Compute as many weights for each axis; those of the last, if there are two, are columns.

    For `slots` and `one` see resample_weights.cu.
    """
    count, together = len(source.images), joined(axes)
    outputs = np.where(np.tile(source.images > 0, len(axes)), together.out_size, 0)
    taps, copies = np.concatenate(weighed), together.copies
    stepwise = np.arange(len(outputs)) < count  # columns are found by multiplying
    start = together.start.astype(np.float32) - together.base.astype(np.float32)
    half = np.float32(0.5)
    first_bytes = _aligned(4 * outputs)
    laid_out = np.repeat(slots, count)
    nbytes = first_bytes + _aligned(work.itemsize * np.maximum(taps, laid_out) * outputs)
    memory = batch.device.buffer(int(nbytes.sum()))
    first = np.uint64(address_of(memory)) + (np.cumsum(nbytes) - nbytes).astype(np.uint64)
    weights = first + first_bytes.astype(np.uint64)
    curves, begins, lasts = _curves()
    table = descriptors(
        len(outputs),
        first=first,
        weights=weights,
        inputs=together.in_size.astype(np.int32),
        outputs=outputs.astype(np.int32),
        base=together.base.astype(np.int32),
        support=together.support.astype(np.int32),
        taps=taps.astype(np.int32),
        way=np.where(copies, np.where(stepwise, _COPY_STEPWISE, _COPY), _WEIGH).astype(np.int32),
        slots=laid_out.astype(np.int32),
        one=np.full(len(outputs), one, np.int32),
        curve=begins[together.filter],
        last=lasts[together.filter],
        step=together.step,
        scale=together.scale,
        start=np.where(copies, start, start + (half * together.scale - half - together.anchor)),
    )
    device = batch.device
    device.launch(
        kernel("resample_weights", "resample_weights", Work=c_type(work)),
        (blocks_for(outputs), count, len(axes)),
        (THREADS,),
        device.upload(table),
        device.upload(curves),
    )
    parts: Any = (np.split(column, len(axes)) for column in (first, weights, taps))
    return [_Table(f, w, t, memory) for f, w, t in zip(*parts, strict=True)]


def _aligned(nbytes: Ints) -> Ints:
    return -(-nbytes // _ALIGNMENT) * _ALIGNMENT


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
