"""Results whose elements lie in memory already: which kernel copies them, on the GPU.

A copy is described by boxes. Runs of bytes (`move_runs`), pixels in other places (`move_pixels`),
channels that become planes (`move_channels`) and dimensions in another order (`move_tiles`) have
kernels of their own; `move_elements` can do everything, and conversions too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.batch import Batch
from ..engine.kernels import c_type
from ..engine.operator import Array
from ..engine.tensors import TensorListGPU
from ._boxes import Boxes, boxes_of, collapsed
from ._strided import Views
from .kernels import THREADS, blocks_for, descriptors, kernel

_BYTES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_PIECE = 16  # bytes: what a thread makes
_MOST_PIXEL = 32  # bytes
_MOST_PARTS = 8
_MOST_SPAN = 64  # bytes: what a thread of `move_pixels` reads for a piece
_CHANNELS_RUN = 4096  # bytes of each channel: what a block of `move_channels` reads at a time
_MOST_CHANNELS = 4
_TILE_BYTES = 8192
_WORD = 4  # bytes: what a thread of `move_tiles` writes at a time, if elements are not larger
_NARROW = 64  # elements of a tile along the dimension that is read, if the others are many
_MOST_BLOCKS = 65536


def copied(
    batch: Batch, *parts: Views, shapes: Array | None = None, fills: Array | None = None
) -> TensorListGPU:
    """Return samples made of the elements that views have.

    Args:
        batch: whose device to use.
        parts: views of one type and number of dimensions; if they are several, each element
            of the results is in one of them, and their last strides are one element.
        shapes: of the results: (batch, ndim); by default those of the view.
        fills: what stands where the view has no element: one value a sample; 0 by default.
    """
    shapes, dtype = parts[0].shapes if shapes is None else shapes, parts[0].dtype
    out, size = batch.device.empty(shapes, dtype), dtype.itemsize
    filled = np.zeros(len(shapes), dtype) if fills is None else fills
    boxes = collapsed(boxes_of(shapes, parts), size)
    whole = boxes.whole
    if boxes.parts == 1 and _has_runs(boxes, size):
        _copy_runs(batch, out, boxes, size, filled)
    elif (found := _pixels(boxes, size)) is not None:
        _copy_pixels(batch, out, filled, *found)
    elif boxes.parts > 1:
        _copy_parts(batch, out, boxes, size, filled)
    elif whole and (images := _images(boxes, size)) is not None:
        _copy_channels(batch, out, boxes.first[:, 0], size, *images)
    elif whole and (order := _tile_order(boxes, size)) is not None:
        _copy_tiles(batch, out, boxes, size, order)
    else:
        kind = np.dtype(_BYTES[size])
        policy = "WHOLE" if whole else "PAD"
        _copy_elements(batch, out, boxes, (kind, kind), filled, policy)
    return out


def converted(
    batch: Batch, view: Views, dtype: np.dtype[Any], fills: Array, channels: int, policy: str
) -> TensorListGPU:
    """Return the elements of a view in another type; see `operators/kernels/move_elements.cu`.

    Args:
        batch: whose device to use.
        view: the samples.
        dtype: of the result.
        fills: what stands where the view has no element: one value, or one a channel, of `dtype`.
        channels: the axis of the channels, or -1.
        policy: what stands there instead: "PAD" is `fills`.
    """
    out = batch.device.empty(view.shapes, dtype)
    boxes = boxes_of(view.shapes, [view])
    if channels in (-1, boxes.ndim - 1):
        boxes = collapsed(boxes, view.dtype.itemsize)
        channels = channels if channels < 0 else boxes.ndim - 1
    policy = "WHOLE" if boxes.whole else policy
    everywhere = np.repeat(fills[:1], len(out))
    _copy_elements(batch, out, boxes, (view.dtype, dtype), everywhere, policy, channels, fills)
    return out


def _launch(
    batch: Batch,
    name: str,
    boxes: Boxes,
    table: Array,
    macros: dict[str, str],
    *arguments: Any,
    piece: int = _PIECE,
    parts: int = 1,
) -> None:
    """Launch a kernel whose threads make pieces of so many elements of the boxes' runs."""
    macros = macros | {"DIMS": str(boxes.ndim), "Index": boxes.index}
    pieces = boxes.extents[:, :-1].prod(axis=1) * (boxes.extents[:, -1] // piece + 2)
    grid = blocks_for(pieces), len(table) // parts, parts
    uploaded = batch.device.upload(table)
    batch.device.launch(kernel(name, name, **macros), grid, (THREADS,), uploaded, *arguments)


def _has_runs(boxes: Boxes, size: int) -> bool:
    """Return whether the last dimension lies in memory as it is, and is long, or the only one."""
    long = boxes.ndim == 1 or boxes.extents[:, -1].min() * size >= _PIECE
    return bool(long and (boxes.strides[..., -1] == size).all())


def _copy_runs(batch: Batch, out: TensorListGPU, boxes: Boxes, size: int, fills: Array) -> None:
    boxes = boxes.in_bytes(size)
    table = boxes.table(out.pointers(), boxes.steps, fills)
    bounds = "WHOLE" if boxes.whole else "PAD"
    _launch(batch, "move_runs", boxes, table, {"PARTS": "1", "BOUNDS": bounds})


def _copy_parts(batch: Batch, out: TensorListGPU, boxes: Boxes, size: int, fills: Array) -> None:
    """Copy each part as a box of its own."""
    boxes = boxes.in_bytes(size)
    steps, parts, ndim = boxes.steps[:, None], boxes.parts, boxes.ndim
    low = boxes.low.clip(0, boxes.extents[:, None])
    extents = (boxes.high.clip(0, boxes.extents[:, None]) - low).clip(0)
    strides = boxes.strides.copy()
    strides[..., -1] = 1
    to = out.pointers().astype(np.int64)[:, None] + (low * steps).sum(-1)
    alone = Boxes(
        extents.reshape(-1, ndim),
        (boxes.first + (low * strides).sum(-1)).reshape(-1, 1),
        strides.reshape(-1, 1, ndim),
        np.zeros_like(low).reshape(-1, 1, ndim),
        extents.reshape(-1, 1, ndim),
        np.ones_like(extents).reshape(-1, ndim),
    )
    out_strides = np.repeat(steps, parts, axis=1).reshape(-1, ndim)
    table = alone.table(to.reshape(-1), out_strides, np.repeat(fills, parts))
    _launch(batch, "move_runs", alone, table, {"PARTS": "1", "BOUNDS": "WHOLE"}, parts=parts)


def _pixels(boxes: Boxes, size: int) -> tuple[Boxes, list[int], int] | None:
    """Return boxes whose last dimension is made of pixels, in bytes, and the widths of
    their parts and of pixels.

    None where they are not alike in all samples, or too far apart to be read together.
    """
    extents, ends = boxes.extents, boxes.extents[:, None]
    low, high = boxes.low.clip(0, ends), boxes.high.clip(0, ends)
    begin, counts = low[..., -1], (high - low)[..., -1]
    alike = all((values == values[0]).all() for values in (extents[:, -1], begin, counts))
    others_whole = (low[..., :-1] == 0).all() and (high == ends)[..., :-1].all()
    if boxes.ndim > 1 and alike and others_whole and counts.min() > 0 and begin[0, 0] == 0:
        first, strides, widths = [], [], []
        for part, count in enumerate(counts[0].tolist()):
            step = boxes.strides[:, part, -1]
            together = count if (step == size).all() else 1
            for i in range(min(count, _MOST_PIXEL))[::together]:
                first.append(boxes.first[:, part] + (begin[:, part] + i) * step)
                strides.append(boxes.strides[:, part, :-1])
                widths.append(together * size)
        pixel = int(extents[0, -1]) * size
        if (found := _joined(extents[:, :-1], first, strides, widths, pixel, size)) is not None:
            return found
    if not boxes.whole or boxes.parts > 1:
        return None
    return _joined(extents, [boxes.first[:, 0]], [boxes.strides[:, 0]], [size], size, size)


def _joined(
    extents: Array,
    first: list[Array],
    strides: list[Array],
    widths: list[int],
    pixel: int,
    size: int,
) -> tuple[Boxes, list[int], int] | None:
    """Return boxes of pixels that are made of parts of some widths, and these; None if unfit."""
    if pixel > _MOST_PIXEL or len(widths) > _MOST_PARTS:
        return None
    along = np.stack(strides, 1)
    steps = abs(along[0, :, -1])
    seen = (pixel - size + _PIECE - 1) // pixel + 1
    if (
        (abs(along[..., -1]) != steps).any()
        or (len(widths) > 1 and (along[..., -1] < 0).any())
        or (steps < widths).any()
        or ((seen - 1) * steps + widths).sum() > _MOST_SPAN
        or (abs(along[..., :-1]) < steps[:, None]).any()
    ):
        return None
    lengths = extents.copy()
    lengths[:, -1] *= pixel
    low = np.zeros_like(lengths)[:, None]
    ones = np.ones_like(lengths)
    return Boxes(lengths, np.stack(first, 1), along, low, lengths[:, None], ones), widths, pixel


def _copy_pixels(
    batch: Batch,
    out: TensorListGPU,
    fills: Array,
    boxes: Boxes,
    widths: list[int],
    pixel: int,
) -> None:
    table = boxes.table(out.pointers(), boxes.steps, fills)
    steps = abs(boxes.strides[0, :, -1]).tolist()
    macros = {"PIXEL": str(pixel), "WIDTHS": _packed(widths), "STEPS": _packed(steps)}
    macros |= {"PARTS": str(len(widths)), "BOUNDS": "WHOLE", "GRAIN": str(fills.itemsize)}
    _launch(batch, "move_pixels", boxes, table, macros)


def _packed(numbers: list[int]) -> str:
    """Return a C number that has a byte for each of these."""
    return f"{int.from_bytes(bytes(numbers), 'little')}ull"


def _copy_elements(
    batch: Batch,
    out: TensorListGPU,
    boxes: Boxes,
    types: tuple[np.dtype[Any], np.dtype[Any]],
    fills: Array,
    policy: str,
    channels: int = -1,
    each: Array | None = None,
) -> None:
    """Copy elements; where `channels` is an axis, `each` has what fills each of its indices."""
    table = boxes.table(out.pointers(), boxes.steps * types[1].itemsize, fills)
    macros = {"In": c_type(types[0]), "Out": c_type(types[1]), "BOUNDS": policy, "PARTS": "1"}
    each = fills[:1] if each is None else each
    arguments = batch.device.upload(each), np.int32(channels), np.int32(len(each))
    piece = _PIECE // max(kind.itemsize for kind in types)
    _launch(batch, "move_elements", boxes, table, macros, *arguments, piece=piece)


def _images(boxes: Boxes, size: int) -> tuple[Array, int] | None:
    """Return how many frames and pixels samples have, and their channels, which come first.

    None unless the samples are whole images whose channels come last in memory.
    """
    if boxes.ndim not in (2, 3):
        return None
    extents, strides = boxes.extents, boxes.strides[:, 0]
    channels, pixels = extents[:, -2], extents[:, -1]
    if (
        not 2 <= channels[0] <= _MOST_CHANNELS
        or (channels != channels[0]).any()
        or (strides[:, -2] != size).any()
        or (strides[:, -1] != channels * size).any()
        or (boxes.ndim == 3 and (strides[:, 0] != channels * pixels * size).any())
    ):
        return None
    frames = extents[:, 0] if boxes.ndim == 3 else np.ones_like(pixels)
    return np.stack((frames, pixels), 1), int(channels[0])


def _copy_channels(
    batch: Batch, out: TensorListGPU, first: Array, size: int, images: Array, channels: int
) -> None:
    table = descriptors(len(out), first=first, out=out.pointers(), images=images)
    tile = _CHANNELS_RUN // size
    blocks = int((images[:, 0] * -(-images[:, 1] // tile)).max())
    function = kernel("move_channels", "move_channels", CHANNELS=str(channels), SIZE=str(size))
    grid = min(blocks, _MOST_BLOCKS), len(out)
    shared = channels * _CHANNELS_RUN + _PIECE
    batch.device.launch(function, grid, (THREADS,), batch.device.upload(table), shared_bytes=shared)


def _tile_order(boxes: Boxes, size: int) -> list[int] | None:
    """Return the axes, the two last that tiles have; None where tiles do not help."""
    units = (boxes.strides[:, 0] == size).all(0)
    if boxes.ndim == 1 or units[-1] or not units.any():
        return None
    x, last = int(units.argmax()), boxes.ndim - 1
    return [*(axis for axis in range(last) if axis != x), x, last]


def _copy_tiles(
    batch: Batch, out: TensorListGPU, boxes: Boxes, size: int, order: list[int]
) -> None:
    extents = boxes.extents[:, order]
    table = descriptors(
        len(out),
        out=out.pointers(),
        first=boxes.first[:, 0],
        extent=extents,
        stride=boxes.strides[:, 0, order],
        out_stride=boxes.steps[:, order] * size,
    )
    word = max(size, _WORD)
    most_x, most_y = map(int, extents[:, -2:].max(0))
    x = min(-(-most_x // 4) * 4, _NARROW if size < 8 else _NARROW // 2)
    y = min(-(-most_y // 4) * 4, _TILE_BYTES // size // x // 4 * 4, THREADS)
    x = min(-(-most_x // 4) * 4, _TILE_BYTES // size // y // 4 * 4, THREADS)
    pitch = (x * size // word | 1) * word  # odd: neighbours along y in other banks
    blocks = int(
        (extents[:, :-2].prod(1) * -(-extents[:, -2] // x) * -(-extents[:, -1] // y)).max()
    )
    function = kernel("move_tiles", "move_tiles", DIMS=str(boxes.ndim), SIZE=str(size))
    grid = min(blocks, _MOST_BLOCKS), len(out)
    arguments = batch.device.upload(table), *map(np.int32, (x, y, pitch))
    batch.device.launch(function, grid, (THREADS,), *arguments, shared_bytes=y * pitch)
