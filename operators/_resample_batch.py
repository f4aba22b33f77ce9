"""Resampling of a batch on the GPU: rows and columns in one pass.

The depth of volumes goes first, and so do rows and columns that weigh much of the input: in passes
of their own, with floating point numbers in between.
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

_WITH_NEGATIVE_WEIGHTS = (int(Filter.CUBIC), int(Filter.LANCZOS3))
_FLOAT64 = ("int32", "uint32", "float64")  # float32 does not hold all values of these
_SLOTS = (2, 4, 6, 8, 10, 12)  # rows of which a thread holds the sums
_ROW_TAPS, _COLUMN_TAPS = (4, 12), (6, 12)  # up to so many, samples are alike
_COLUMNS, _COLUMNS_OF_ELEMENTS = (2, 3, 4, 5, 6, 8, 12, 16), (2, 3, 4, 5, 6, 8)  # weighed at a time
_OUTER_STRIP = 4  # rows of the result that a thread of resample_outer.cu makes
_LONGEST_STRIP = 120
_MOST_THREADS, _WARP = 224, 32  # threads of a block come in multiples of it
_MOST_BLOCKS = 4096  # a sample; more work is done in loops
_MOST_SHARED_BYTES = 64 << 10  # that every GPU has for a block
_STAGES = {2: (8, 4, 2), 4: (8, 4), 6: (6,), 8: (8,), 10: (10,), 12: (12,)}  # rows of the input
_MOST_COLLECTED = 20  # rows of the result
_CHUNK = 16  # bytes that are copied together
_MOST_DOTS = 32  # columns whose weights may be rounded to 16 bits
_ENOUGH_THREADS = 1 << 17  # as many as a large GPU runs at a time
_WEIGH, _COPY, _COPY_STEPWISE = range(3)  # `Way` in weights.cuh
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

    def take(self, which: NDArray[np.intp]) -> Stack:
        """Return some of the samples."""
        columns = (values[which] for values in self[:4])
        return Stack(*columns, self.dtype, self.memory)


class _Layout(NamedTuple):
    """What a block of `resample_image` works on.

    Attributes:
        macros: with which it is compiled.
        threads: of a block.
        strip: rows of the result.
        strips: how many of them each image has: (batch,).
        items: how many blocks each sample takes: (batch,).
        in_room, out_room: bytes that rows of the input and of the result take in shared memory.
        shared_bytes: all that it takes there.
    """

    macros: dict[str, str]
    threads: int
    strip: int
    strips: Ints
    items: Ints
    in_room: int
    out_room: int
    staged: int
    collected: int
    shared_bytes: int


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
        planes = _resample_outer(batch, source, None, axes[0], work)
        frames = target.images * target.extents[:, 0]
        source = planes._replace(images=frames, extents=source.extents[:, 1:])
        target = target._replace(images=frames, extents=target.extents[:, 1:])
        axes = axes[1:]
    rows, columns = axes
    alike = np.searchsorted(_ROW_TAPS, rows.taps())
    alike = np.maximum(alike, np.searchsorted(_COLUMN_TAPS, columns.taps()))
    for kind in set(alike[source.images > 0].tolist()):
        which = np.flatnonzero((alike == kind) & (source.images > 0))
        parts = rows.take(which), columns.take(which)
        _resample_alike(batch, source.take(which), target.take(which), *parts, work)


def _resample_alike(
    batch: Batch, source: Stack, target: Stack, rows: Axes, columns: Axes, work: np.dtype[Any]
) -> None:
    """Resample images for which one kernel is suitable."""
    layout = _layout(source, target, rows, columns, work, target.dtype)
    if layout is not None:
        _resample_image(batch, source, target, rows, columns, layout)
        return
    height, width = source.extents[:, 0], columns.out_size
    size = (source.images * height * width * source.channels)[:, None]
    out = batch.device.empty(size, work)
    extents = np.column_stack([height, width])
    halfway = Stack(out.pointers(), source.images, extents, source.channels, work, out)
    same = unchanged(height, np.full_like(rows.filter, int(Filter.NEAREST)))
    layout = _layout(source, halfway, same, columns, work, target.dtype)
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
    first, weights, memory = _tables(batch, source, axis, work)
    inner = source.extents[:, 1:].prod(1) * source.channels
    if target is None:
        out = batch.device.empty((source.images * axis.out_size * inner)[:, None], work)
        extents = np.column_stack([axis.out_size, source.extents[:, 1:]])
        target = Stack(out.pointers(), source.images, extents, source.channels, work, out)
    strip = _OUTER_STRIP
    strips = -(-axis.out_size // strip)
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
        taps=axis.taps().astype(np.int32),
        strips=strips.astype(np.int32),
    )
    types = {"In": source.dtype, "Out": target.dtype, "Work": work}
    names = {name: c_type(dtype) for name, dtype in types.items()}
    function = kernel("resample_outer", "resample_outer", **names)
    launch_elements(batch, function, samples, items, np.int32(strip))
    del memory
    return target


def _resample_image(
    batch: Batch, source: Stack, target: Stack, rows: Axes, columns: Axes, layout: _Layout
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
        in_step=(layout.in_room + pitch % _CHUNK).astype(np.int32),
        out_step=(layout.out_room + down % _CHUNK).astype(np.int32),
        channels=source.channels.astype(np.int32),
        strips=layout.strips.astype(np.int32),
        rows=_described(rows, height, stepwise=True),
        columns=_described(columns, width),
    )
    batch.device.launch(
        kernel("resample_image", "resample_image", **layout.macros),
        (min(int(layout.items.max()), _MOST_BLOCKS), len(samples)),
        (layout.threads,),
        batch.device.upload(samples),
        batch.device.upload(_curves()[0]),
        np.int32(layout.strip),
        np.int32(layout.staged),
        np.int32(layout.collected),
        shared_bytes=layout.shared_bytes,
    )


def _layout(
    source: Stack,
    target: Stack,
    rows: Axes,
    columns: Axes,
    work: np.dtype[Any],
    final: np.dtype[Any],
) -> _Layout | None:
    """How blocks divide the images, or None if what they need of them is too large."""
    row_taps, taps = int(rows.taps().max()), int(columns.taps().max())
    if row_taps > _SLOTS[-1]:
        return None
    slots = next(count for count in _SLOTS if count >= row_taps)
    together = _channels_together(source)
    groups = source.channels // together
    words = source.dtype == np.uint8 and bool((groups == 1).all())
    dots = words and final == np.uint8 and taps <= _MOST_DOTS
    negative = any(np.isin(axis.filter, _WITH_NEGATIVE_WEIGHTS).any() for axis in (rows, columns))
    choices = _COLUMNS if words else _COLUMNS_OF_ELEMENTS
    at_once = next((count for count in choices if count >= taps), choices[-1])
    weights = -(-taps // at_once) * -(-at_once // (2 if dots else 1))

    height, width = target.extents.T
    line = width * groups
    strip, _ = _strips(source.images * line, height)
    pixel = source.channels * source.dtype.itemsize
    scale = np.abs(columns.scale).astype(np.float64)
    threads, nbytes = 2 * _threads(int(line.max())), _MOST_SHARED_BYTES + 1
    while nbytes > _MOST_SHARED_BYTES:
        if threads == _WARP:
            return None
        threads = -(-threads // (2 * _WARP)) * _WARP
        across = np.minimum(width, np.where(groups == 1, threads, (threads - 1) // groups + 2))
        reach = np.ceil((across - 1) * scale).astype(np.int64) + columns.taps() + 2
        in_room = _room(int((np.minimum(reach, columns.in_size) * pixel).max()))
        out_room = _room(threads * together * target.dtype.itemsize)
        for stage in _STAGES[slots]:
            most = _finished(rows, stage)
            staged, collected = stage * (in_room + _CHUNK), most * (out_room + _CHUNK)
            nbytes = 2 * (staged + collected) + (strip + 1) * _aligned(slots * work.itemsize + 4)
            if taps > at_once:
                nbytes += weights * threads * (4 if dots else work.itemsize)
            if most < _MOST_COLLECTED and nbytes <= _MOST_SHARED_BYTES:
                break
    strip = min(strip, most) if most == _MOST_COLLECTED else strip
    strips = -(-height // strip)
    macros = {
        "In": c_type(source.dtype),
        "Out": c_type(target.dtype),
        "Work": c_type(work),
        "CHANNELS": str(together),
        "WORDS": str(int(words)),
        "DOTS": str(int(dots)),
        "DOT_ONE": str(_ONE_OF_SIGNED if negative else _ONE),
        "NEGATIVE": str(int(negative)),
        "TAPS": str(at_once),
        "MORE": str(int(taps > at_once)),
        "SLOTS": str(slots),
        "ROWS": str(stage),
    }
    items = source.images * strips * -(-line // threads)
    return _Layout(
        macros, threads, strip, strips, items, in_room, out_room, staged, collected, nbytes
    )


def _finished(rows: Axes, staged: int) -> int:
    """How many rows of results can be finished by so many rows of the input, at most.

    Those that begin beyond the border fall on it.
    """
    scale = np.abs(rows.scale).astype(np.float64)
    begin = np.minimum(rows.start, rows.end) + scale / 2 - 1 - rows.anchor
    end = np.maximum(rows.start, rows.end) - scale / 2 - rows.anchor
    beyond = np.maximum(-begin, 0) + np.maximum(end - (rows.in_size - rows.taps()), 0)
    return int(min(((staged + beyond) / scale).max() + 3, _MOST_COLLECTED))


def _room(nbytes: int) -> int:
    """How far apart rows of so many bytes must be, wherever each begins in a chunk, or farther by
    less than a chunk."""
    return _aligned(nbytes + 2 * _CHUNK)


def _threads(line: int) -> int:
    """How many threads a block has for a row of results: in all, few too many."""
    blocks = -(-line // _MOST_THREADS)
    return -(-line // (blocks * _WARP)) * _WARP


def _channels_together(source: Stack) -> int:
    """How many channels a thread takes: all samples must have a multiple of them."""
    common = int(np.gcd.reduce(source.channels))
    return next(count for count in (4, 3, 2, 1) if common % count == 0)


def _strips(columns: Ints, outputs: Ints) -> tuple[int, Ints]:
    """How many results of a column a thread makes, and how many threads that is for each.

    Long strips read less of the input twice, but they must occupy the device.
    """
    longest = min(max(int((columns * outputs).sum()) // _ENOUGH_THREADS, 1), _LONGEST_STRIP)
    most = int(outputs.max())
    strip = -(-most // max(round(most / longest), 1))  # all of a length
    return strip, -(-outputs // strip)


def _tables(
    batch: Batch, source: Stack, axis: Axes, work: np.dtype[Any]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], Any]:
    """Compute where on an axis the results begin to weigh, and the weights; return addresses."""
    outputs, taps = np.where(source.images > 0, axis.out_size, 0), axis.taps()
    indices, nbytes = _aligned(4 * outputs), _aligned(work.itemsize * taps * outputs)
    memory = batch.device.buffer(int((indices + nbytes).sum()))
    ends = np.cumsum(indices + nbytes).astype(np.uint64) + np.uint64(address_of(memory))
    weights = ends - nbytes.astype(np.uint64)
    first = weights - indices.astype(np.uint64)
    tables = descriptors(
        len(outputs), first=first, weights=weights, axis=_described(axis, outputs, stepwise=True)
    )
    batch.device.launch(
        kernel("resample_weights", "resample_weights", Work=c_type(work)),
        (blocks_for(outputs), len(outputs)),
        (THREADS,),
        batch.device.upload(tables),
        batch.device.upload(_curves()[0]),
    )
    return first, weights, memory


def _aligned(nbytes: Any) -> Any:
    return -(-nbytes // _CHUNK) * _CHUNK


def _described(axis: Axes, outputs: Ints, stepwise: bool = False) -> Array:
    """An axis as weights.cuh sees it. Rows are found step by step, columns by multiplying."""
    _, begins, lasts = _curves()
    copies = axis.copies
    start = axis.start.astype(np.float32) - axis.base.astype(np.float32)
    half = np.float32(0.5)
    return descriptors(
        len(outputs),
        inputs=axis.in_size.astype(np.int32),
        outputs=outputs.astype(np.int32),
        base=axis.base.astype(np.int32),
        support=axis.support.astype(np.int32),
        taps=axis.taps().astype(np.int32),
        way=np.where(copies, _COPY_STEPWISE if stepwise else _COPY, _WEIGH).astype(np.int32),
        curve=begins[axis.filter],
        last=lasts[axis.filter],
        step=axis.step,
        scale=axis.scale,
        start=np.where(copies, start, start + (half * axis.scale - half - axis.anchor)),
    )


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
