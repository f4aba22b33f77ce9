"""How blocks of resample_image.cu divide the images of a batch, and with what it is compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.kernels import c_type
from ..resampling.batched import Axes, Floats, Ints
from ..resampling.filters import Filter

_HAS_NEGATIVE_WEIGHTS = np.array([kind in (Filter.CUBIC, Filter.LANCZOS3) for kind in Filter])
_COLUMNS, _COLUMNS_OF_ELEMENTS = (2, 3, 4, 5, 6, 8, 12, 16), (2, 3, 4, 5, 6, 8)  # weighed at a time
_MOST_DOTS = 32  # columns whose weights may be rounded to 16 bits
_ONE, _ONE_OF_SIGNED = 1 << 15, 1 << 14  # what stands for 1 in weights of 16 bits
_STAGES = {2: (8, 4, 2), 4: (8, 4), 6: (6,), 8: (8,), 10: (10,), 12: (12,)}  # rows, by SLOTS
_LONG_STAGES = {4: 12}  # better if _BLOCKS of a multiprocessor have room for them
_BLOCKS, _RESERVED_BYTES = 4, 1 << 10  # of shared memory for each
_MOST_RESULTS = 20  # rows that are collected of one stage
_LONGEST_STRIP = 120
_ENOUGH_THREADS = 1 << 17  # as many as a large GPU runs at a time
_MOST_THREADS, _WARP = 224, 32  # of a block, which has a multiple of the second
_MOST_SHARED_BYTES = 64 << 10  # that every GPU has for a block
_BLOCK_BYTES = 96  # of shared memory, in which a block's work is described
CHUNK = 16  # bytes that are copied together


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
        return self._replace(
            pointers=self.pointers[which],
            images=self.images[which],
            extents=self.extents[which],
            channels=self.channels[which],
        )


class Layout(NamedTuple):
    """What a block works on.

    Attributes:
        macros: of the kernel.
        threads: of a block.
        strip: rows of the result.
        items: how many blocks each sample takes: (batch,).
        strips: how many strips each of its images has: (batch,).
        in_room, out_room: bytes between rows of the input and of the result in shared memory, if
            they are multiples of CHUNK bytes apart.
        staged, collected: bytes that a stage takes there, and the results of one.
        shared_bytes: all that is taken there.
    """

    macros: dict[str, str]
    threads: int
    strip: int
    items: Ints
    strips: Ints
    in_room: int
    out_room: int
    staged: int
    collected: int
    shared_bytes: int


def layout_of(
    source: Stack,
    target: Stack,
    rows: Axes,
    columns: Axes,
    work: Any,
    rounded: bool,
    all_shared_bytes: int,
) -> Layout | None:
    """Return how blocks divide the images; None if they would need too much memory for that.

    Args:
        source: the images, one at least.
        target: the results.
        rows, columns: how they are resampled.
        work: the type of sums.
        rounded: whether the results are rounded to bytes in the end.
        all_shared_bytes: shared memory of a multiprocessor.
    """
    row_taps, taps = int(rows.taps.max()), int(columns.taps.max())
    slots = next((count for count in _STAGES if count >= row_taps), None)
    if slots is None:
        return None
    together = _channels_together(source)
    groups = source.channels // together
    words = source.dtype == np.uint8 and bool((groups == 1).all())
    dots = words and rounded and taps <= _MOST_DOTS
    negative = any(_HAS_NEGATIVE_WEIGHTS[axis.filter].any() for axis in (rows, columns))
    choices = _COLUMNS if words else _COLUMNS_OF_ELEMENTS
    at_once = next((count for count in choices if count >= taps), choices[-1])
    weights = 0  # bytes that a thread keeps in shared memory
    if taps > at_once:
        weights = -(-taps // at_once) * (4 * -(-at_once // 2) if dots else work.itemsize * at_once)

    height, width = target.extents.T
    line = width * groups
    strip = _strip(source.images * line, height)
    row_bytes = _aligned(slots * work.itemsize + 4)
    stages = [(stage, _MOST_SHARED_BYTES) for stage in _STAGES[slots]]
    if slots in _LONG_STAGES:
        shared_room = all_shared_bytes // _BLOCKS - _RESERVED_BYTES
        stages.insert(0, (_LONG_STAGES[slots], min(shared_room, _MOST_SHARED_BYTES)))
    beyond, scale = _density(rows)
    threads, shared_bytes = 2 * _threads(int(line.max())), _MOST_SHARED_BYTES + 1
    while shared_bytes > _MOST_SHARED_BYTES:
        if threads == _WARP:
            return None
        threads = -(-threads // (2 * _WARP)) * _WARP
        in_room = _room(_most_bytes(source, columns, groups, width, threads))
        out_room = _room(threads * together * target.dtype.itemsize)
        for stage, shared_room in stages:
            most = int(min(((stage + beyond) / scale).max() + 2, _MOST_RESULTS))
            staged, collected = stage * (in_room + CHUNK), most * (out_room + CHUNK)
            shared_bytes = 2 * (staged + collected) + (strip + 1) * row_bytes + threads * weights
            shared_bytes += _BLOCK_BYTES
            if most < _MOST_RESULTS and shared_bytes <= shared_room:
                break
    if most == _MOST_RESULTS:
        strip = min(strip, most)
    strips = -(-height // strip)
    macros = {
        "In": c_type(source.dtype),
        "Out": c_type(target.dtype),
        "Work": c_type(work),
        "CHANNELS": str(together),
        "WORDS": str(int(words)),
        "DOTS": str(int(dots)),
        "DOT_ONE": str(1 if not dots else _ONE_OF_SIGNED if negative else _ONE),
        "NEGATIVE": str(int(negative)),
        "TAPS": str(at_once),
        "MORE": str(int(taps > at_once)),
        "SLOTS": str(slots),
        "ROWS": str(stage),
    }
    items = source.images * strips * -(-line // threads)
    rooms = in_room, out_room, staged, collected, shared_bytes
    return Layout(macros, threads, strip, items, strips, *rooms)


def _channels_together(source: Stack) -> int:
    """How many channels a thread takes: all samples must have a multiple of them."""
    common = int(np.gcd.reduce(source.channels))
    return next(count for count in (4, 3, 2, 1) if common % count == 0)


def _strip(columns: Ints, outputs: Ints) -> int:
    """How many results of a column a thread makes.

    Long strips read less of the input twice, but they must occupy the device.
    """
    longest = min(max(int((columns * outputs).sum()) // _ENOUGH_THREADS, 1), _LONGEST_STRIP)
    most = int(outputs.max())
    return -(-most // max(round(most / longest), 1))  # all of a length


def _threads(line: int) -> int:
    """How many threads a block has for a row of results: in all, few too many."""
    blocks = -(-line // _MOST_THREADS)
    return -(-line // (blocks * _WARP)) * _WARP


def _most_bytes(source: Stack, columns: Axes, groups: Ints, width: Ints, threads: int) -> int:
    """How many bytes of a row of the input a block needs, at most."""
    across = np.where(groups == 1, threads, (threads - 1) // groups + 2)
    across = np.minimum(across, width) - 1
    reach = np.ceil(across * np.abs(columns.scale).astype(np.float64)) + columns.taps + 2
    return int((np.minimum(reach, columns.in_size) * source.channels).max()) * source.dtype.itemsize


def _density(rows: Axes) -> tuple[Floats, Floats]:
    """What says how many results the rows of a stage can finish, at most: (batch,) each.

    Returns how far results lie beyond the border, which fall on it, and how far apart they are,
    both in rows of the input.
    """
    scale = np.maximum(np.abs(rows.scale).astype(np.float64), 1e-9)
    begin = np.minimum(rows.start, rows.end) + scale / 2 - 1 - rows.anchor
    end = np.maximum(rows.start, rows.end) - scale / 2 - rows.anchor
    beyond = np.maximum(-begin, 0) + np.maximum(end - (rows.in_size - rows.taps), 0)
    return beyond, scale


def _room(nbytes: int) -> int:
    """Room for so many bytes wherever they begin and end in chunks, and for as many behind them."""
    return _aligned(nbytes + 2 * CHUNK)


def _aligned(nbytes: int) -> int:
    return -(-nbytes // CHUNK) * CHUNK
