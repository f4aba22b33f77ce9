"""How thread blocks of resample_image.cu divide the images of a batch, and how it is compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType, Int64s
from ...engine.gpu.kernels import c_type
from ..kernels import CHUNK
from .axes import Axes

_WARP = 32
_ONE, _ONE_OF_SIGNED = 1 << 15, 1 << 14  # the integers that stand for 1 in weights of 16 bits
_BLOCK_BYTES = 96  # of shared memory: the description of a block's work
_MOST_SHARED_BYTES = 64 << 10  # that every GPU has for a block

COLUMNS: tuple[int, ...] = (2, 3, 4, 5, 6, 8, 12, 16)
"""Numbers of taps that the kernel is compiled for, where it reads words of bytes."""

COLUMNS_OF_ELEMENTS: tuple[int, ...] = (2, 3, 4, 5, 6, 8)
"""The same, where the kernel reads single elements."""

ROW_GROUPS: tuple[int, ...] = (4, 12)
"""Taps of rows up to which images share a launch. A batch of many sizes uses the variant of the
group's largest taps. Photographs of many sizes need 18 exact variants in 300 batches of 32, and 5
of these. To compile a variant takes half a second."""

COLUMN_GROUPS: tuple[int, ...] = (6, 12)
"""Taps of columns up to which images share a launch: see `ROW_GROUPS`."""

MAX_DOTS = 32
"""Maximum number of columns whose weights are rounded to 16 bits."""

STAGES: tuple[tuple[int, tuple[int, ...]], ...] = (
    (2, (8, 4, 2)),
    (4, (8, 4)),
    (6, (6,)),
    (8, (8,)),
    (10, (10,)),
    (12, (12,)),
)
"""Input lines of a stage, the preferred first, by the number of taps of a line (the kernel's
SLOTS)."""

LONG_STAGES: tuple[tuple[int, int], ...] = ((4, 12),)
"""A longer stage by SLOTS, for multiprocessors with room for `BLOCKS_AT_ONCE` of them."""

BLOCKS_AT_ONCE = 4
"""Blocks that a multiprocessor should run at a time."""

RESERVED_BYTES = 1 << 10
"""Shared memory that the driver reserves for each of these blocks."""

MAX_RESULTS = 20
"""Maximum number of output lines that are collected of one stage."""

MAX_STRIP_LINES = 120
"""Maximum number of output lines of a block."""

ENOUGH_THREADS = 1 << 17
"""Number of threads that a large GPU runs at a time."""

MAX_THREADS = 224
"""Maximum number of threads of a block."""


class ImageStacks(NamedTuple):
    """The samples of a batch as the kernels see them: each is a stack of images.

    Attributes:
        pointers: addresses of the samples: (batch,).
        images: number of images of each: (batch,).
        extents: of the images: (batch, axes).
        channels: number of channels behind the spatial axes: (batch,).
        dtype: of the elements.
        memory: the owner of the samples, to be held until the last launch that uses it.
    """

    pointers: NDArray[np.uint64]
    images: Int64s
    extents: Int64s
    channels: Int64s
    dtype: DType
    memory: Any

    def select(self, which: slice | NDArray[np.intp]) -> ImageStacks:
        """Return some of the samples."""
        return ImageStacks(
            self.pointers[which],
            self.images[which],
            self.extents[which],
            self.channels[which],
            self.dtype,
            self.memory,
        )


class BlockLayout(NamedTuple):
    """The work of a block.

    Attributes:
        macros: of the kernel.
        threads: of a block.
        strip: output lines of a block.
        items: number of blocks of each sample: (batch,).
        strips: number of strips of each image: (batch,).
        in_room, out_room: bytes between input lines and between output lines in shared memory, if
            these are multiples of CHUNK bytes apart.
        staged, collected: bytes of shared memory for the input of a stage, and for its results.
        shared_bytes: all shared memory of a block.
    """

    macros: Mapping[str, str | int]
    threads: int
    strip: int
    items: Int64s
    strips: Int64s
    in_room: int
    out_room: int
    staged: int
    collected: int
    shared_bytes: int


class _Variant(NamedTuple):
    """How the kernel is compiled.

    Attributes:
        channels: number of channels that a thread computes.
        words: whether it reads four bytes at a time.
        dots: whether it multiplies weights of 16 bits.
        negative: whether weights may be negative.
        taps: number of columns that are weighed at a time.
        loops: whether more columns are weighed, in a loop.
        slots: number of input lines whose weights a thread holds.
        weight_bytes: shared memory for the weights of the columns of one thread.
    """

    channels: int
    words: bool
    dots: bool
    negative: bool
    taps: int
    loops: bool
    slots: int
    weight_bytes: int


class _Rooms(NamedTuple):
    """The shared memory of a block of `threads` threads; see `BlockLayout`."""

    threads: int
    stage: int
    results: int
    in_room: int
    out_room: int
    staged: int
    collected: int
    shared_bytes: int


def plan_blocks(
    source: ImageStacks,
    target: ImageStacks,
    rows: Axes,
    columns: Axes,
    work: DType,
    rounded: bool,
    all_shared_bytes: int,
    mixed: bool,
) -> BlockLayout | None:
    """Return how blocks divide the images; None if blocks would need too much shared memory.

    Args:
        source: the images, one at least.
        target: the results.
        rows, columns: how they are resampled.
        work: the type of sums.
        rounded: whether the results are rounded to bytes in the end.
        all_shared_bytes: shared memory of a multiprocessor.
        mixed: whether the images are some of a batch of many sizes: see `ROW_GROUPS`.
    """
    row_taps, taps = int(rows["taps"].max()), int(columns["taps"].max())
    negative = bool(rows["negative"].any() or columns["negative"].any())
    channels = int(np.gcd.reduce(source.channels)), int(source.channels.max())
    variant = _variant(row_taps, taps, negative, *channels, source.dtype, work, rounded, mixed)
    if variant is None:
        return None
    height, width = target.extents.T
    groups = 1 if variant.words else source.channels // variant.channels  # threads for a pixel
    line = width * groups
    strip = _strip(source.images * line, height)
    fixed = _BLOCK_BYTES + (strip + 1) * _aligned(variant.slots * work.itemsize + 4)
    rooms = _fit(source, target, groups, rows, columns, variant, fixed, all_shared_bytes)
    if rooms is None:
        return None
    if rooms.results == MAX_RESULTS:
        strip = min(strip, rooms.results)
    strips = -(-height // strip)
    return BlockLayout(
        _macros(source.dtype, target.dtype, work, variant, rooms.stage),
        rooms.threads,
        strip,
        source.images * strips * -(-line // rooms.threads),
        strips,
        *rooms[3:],
    )


@lru_cache(maxsize=4096)
def _variant(
    row_taps: int,
    taps: int,
    negative: bool,
    divisor: int,
    most_channels: int,
    source: DType,
    work: DType,
    rounded: bool,
    mixed: bool,
) -> _Variant | None:
    """Return the kernel for some images; None if it would weigh too many input lines.

    Args:
        row_taps, taps: the most taps of rows and of columns.
        negative: whether weights may be negative.
        divisor: greatest common divisor of the numbers of channels.
        most_channels: the largest number of channels.
        source: the type of the images.
        work, rounded, mixed: see `plan_blocks`.
    """
    enough = _enough(row_taps, ROW_GROUPS) if mixed else row_taps
    slots = next((count for count, _ in STAGES if count >= enough), None)
    if slots is None:
        return None
    channels = next(count for count in (4, 3, 2, 1) if divisor % count == 0)
    words = source == np.uint8 and channels == most_channels
    dots = words and rounded and taps <= MAX_DOTS
    choices = COLUMNS if words else COLUMNS_OF_ELEMENTS
    enough = _enough(taps, COLUMN_GROUPS) if mixed else taps
    at_once = next((count for count in choices if count >= enough), choices[-1])
    weight_bytes = 0
    if taps > at_once:
        step_bytes = 4 * -(-at_once // 2) if dots else work.itemsize * at_once
        weight_bytes = -(-taps // at_once) * step_bytes
    return _Variant(channels, words, dots, negative, at_once, taps > at_once, slots, weight_bytes)


def _enough(taps: int, groups: Sequence[int]) -> int:
    """Return the largest number of taps in the group that has so many taps."""
    return next((most for most in groups if most >= taps), taps)


@cache
def _macros(
    source: DType,
    target: DType,
    work: DType,
    variant: _Variant,
    stage: int,
) -> Mapping[str, str | int]:
    one = _ONE_OF_SIGNED if variant.negative else _ONE
    numbers: dict[str, str | int] = {
        "CHANNELS": variant.channels,
        "WORDS": variant.words,
        "DOTS": variant.dots,
        "DOT_ONE": one if variant.dots else 1,
        "NEGATIVE": variant.negative,
        "TAPS": variant.taps,
        "MORE": variant.loops,
        "SLOTS": variant.slots,
        "ROWS": stage,
        "CHUNK": CHUNK,
        "BLOCK_BYTES": _BLOCK_BYTES,
    }
    types = {"In": source, "Out": target, "Work": work}
    return {name: c_type(dtype) for name, dtype in types.items()} | numbers


def _fit(
    source: ImageStacks,
    target: ImageStacks,
    groups: Int64s | int,
    rows: Axes,
    columns: Axes,
    variant: _Variant,
    fixed: int,
    all_shared_bytes: int,
) -> _Rooms | None:
    """Return the largest block that fits into shared memory, None if a warp does not.

    A pixel takes `groups` threads. `fixed` bytes do not depend on the number of threads.
    """
    width = target.extents[:, 1]
    pixel = variant.channels * target.dtype.itemsize
    threads = _threads(int((width * groups).max()))
    stages = _stages(variant.slots, all_shared_bytes)
    while True:
        in_room = _room(_most_bytes(source, columns, groups, width, threads))
        out_room = _room(threads * pixel)
        own = fixed + threads * variant.weight_bytes
        for stage, shared_room in stages:
            # Results beyond the border fall on the border's line.
            most = ((rows["beyond"] + stage) / rows["spacing"]).max()
            results = int(min(most + 2, MAX_RESULTS))
            staged, collected = stage * (in_room + CHUNK), results * (out_room + CHUNK)
            shared_bytes = 2 * (staged + collected) + own
            if results < MAX_RESULTS and shared_bytes <= shared_room:
                break
        if shared_bytes <= _MOST_SHARED_BYTES:
            return _Rooms(
                threads, stage, results, in_room, out_room, staged, collected, shared_bytes
            )
        if threads == _WARP:
            return None
        threads = -(-threads // (2 * _WARP)) * _WARP


@cache
def _stages(slots: int, all_shared_bytes: int) -> list[tuple[int, int]]:
    """Return the stages to try, and the shared memory that each may take."""
    stages = [(stage, _MOST_SHARED_BYTES) for stage in dict(STAGES)[slots]]
    long_stage = dict(LONG_STAGES).get(slots)
    if long_stage is not None:
        shared_room = all_shared_bytes // BLOCKS_AT_ONCE - RESERVED_BYTES
        stages.insert(0, (long_stage, min(shared_room, _MOST_SHARED_BYTES)))
    return stages


def _strip(columns: Int64s, outputs: Int64s) -> int:
    """Return how many results of a column a thread makes.

    Neighboring strips both read the input between them, so long strips read less. But the strips
    must be numerous enough to occupy the device.
    """
    threads = int((columns * outputs).sum()) // ENOUGH_THREADS
    longest = min(max(threads, 1), MAX_STRIP_LINES)
    most = int(outputs.max())
    return -(-most // max(round(most / longest), 1))  # all strips have one length


def _threads(line: int) -> int:
    """Return the number of threads of a block: whole warps that divide an output line evenly."""
    blocks = -(-line // MAX_THREADS)
    return -(-line // (blocks * _WARP)) * _WARP


def _most_bytes(
    source: ImageStacks, columns: Axes, groups: Int64s | int, width: Int64s, threads: int
) -> int:
    """Return the maximum number of bytes of an input line that a block reads."""
    across = (threads - 1) // groups + (groups > 1)  # columns beside the first
    reach = np.ceil(np.minimum(across, width - 1) * columns["spacing"]) + columns["taps"] + 2
    most = int((np.minimum(reach, columns["inputs"]) * source.channels).max())
    return most * source.dtype.itemsize


def _room(nbytes: int) -> int:
    """Return the size of whole chunks for `nbytes` at any offset, and for one chunk more."""
    return _aligned(nbytes + 2 * CHUNK)


def _aligned(nbytes: int) -> int:
    return -(-nbytes // CHUNK) * CHUNK
