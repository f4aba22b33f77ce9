"""Results whose elements lie in memory already: which kernel copies them, on the GPU.

A copy is described by boxes. Runs of bytes (`move_runs`), pixels in other places (`move_pixels`),
channels that become planes (`move_channels`) and dimensions in another order (`move_tiles`) have
kernels of their own; `move_elements` can do everything, and conversions too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.batch import Batch
from ...engine.kernels import c_type
from ...engine.operator import Array
from ...engine.tensors import TensorListGPU
from ..kernels import THREADS, blocks_for, kernel
from .boxes import PIECE, Boxes, boxes_of, collapsed
from .pixels import pixels_of
from .strided import Views
from .tiles import copy_channels, copy_tiles, images_of, tiles_of

_BYTES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_MOST_ROUNDS = 4  # pieces that a thread makes one after the other
_MANY_BLOCKS = 4096  # enough for all multiprocessors to be busy until the end


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
    whole, to = boxes.whole, out.pointers()
    if boxes.parts == 1 and _has_runs(boxes, size):
        _copy_runs(batch, out, boxes, size, filled)
    elif (found := pixels_of(boxes, size)) is not None:
        boxes, macros = found
        _launch(batch, "move_pixels", boxes, boxes.table(to, boxes.steps, filled), macros)
    elif boxes.parts > 1:
        _copy_parts(batch, out, boxes, size, filled)
    elif whole and (images := images_of(boxes, size)) is not None:
        copy_channels(batch, out, boxes.first[:, 0], size, *images)
    elif whole and (tiles := tiles_of(boxes, size)) is not None:
        copy_tiles(batch, out, boxes, size, *tiles)
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
    piece: int = PIECE,
    parts: int = 1,
) -> None:
    """Launch a kernel whose threads make pieces of the boxes' runs.

    Args:
        batch: whose device to use.
        name: of the kernel.
        boxes, table: what it makes.
        macros: for its compiler.
        arguments: for it, behind the table.
        piece: how many elements a thread makes at a time.
        parts: how many boxes of the table a sample has.
    """
    macros = macros | {"DIMS": str(boxes.ndim), "Index": boxes.index}
    pieces = boxes.extents[:, :-1].prod(axis=1) * (boxes.extents[:, -1] // piece + 2)
    rounds = int(pieces.max()) * len(table) // (THREADS * _MANY_BLOCKS)
    blocks = blocks_for(-(-pieces // min(max(rounds, 1), _MOST_ROUNDS)))
    grid = blocks, len(table) // parts, parts
    uploaded = batch.device.upload(table)
    batch.device.launch(kernel(name, name, **macros), grid, (THREADS,), uploaded, *arguments)


def _has_runs(boxes: Boxes, size: int) -> bool:
    """Return whether the last dimension lies in memory as it is, and is long, or the only one."""
    long = boxes.ndim == 1 or boxes.extents[:, -1].min() * size >= PIECE
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
    macros["RUNS"] = str(int((boxes.strides[..., -1] == types[0].itemsize).all()))
    each = fills[:1] if each is None else each
    arguments = batch.device.upload(each), np.int32(channels), np.int32(len(each))
    piece = PIECE // max(kind.itemsize for kind in types)
    _launch(batch, "move_elements", boxes, table, macros, *arguments, piece=piece)
