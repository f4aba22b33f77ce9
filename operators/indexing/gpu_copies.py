"""Copies on the GPU: results whose elements are in device memory already.

To move elements on the GPU, an operator describes each result as a view of its input
(`StridedViews`). It then calls `copy_views`, or `convert_views` if the dtype changes. This module
chooses the kernel. Special kernels copy runs of bytes (`move_runs`), single pixels (`move_pixels`),
channels that become planes (`move_channels`), and dimensions in another order (`move_tiles`).
`move_elements` serves all other copies, and conversions.
"""

from __future__ import annotations

import numpy as np

from ...engine.arrays import DType
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ..kernels import THREADS, StructTable, blocks_for, kernel
from .gather_plan import PIECE, GatherPlan, collapsed, plan_gather
from .gpu_pixel_copies import pixels_of
from .gpu_tile_copies import copy_channels, copy_tiles, images_of, tiles_of
from .strided_views import StridedViews

_BYTES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}

MAX_ROUNDS = 4
"""Maximum number of pieces that a thread makes one after the other."""

MANY_BLOCKS = 4096
"""Number of blocks that keeps all multiprocessors busy until the end."""


def copy_views(
    batch: BatchContext,
    *sources: StridedViews,
    shapes: Array | None = None,
    fills: Array | None = None,
) -> TensorListGPU:
    """Return samples made of the elements that views have.

    Args:
        sources: views of one type and number of dimensions. If there are several, each element
            of the results is in one of them, and their last strides are one element.
        shapes: shapes of the results: (batch, ndim); by default those of the view.
        fills: the value where the view has no element, one a sample; 0 by default.
    """
    shapes, dtype = sources[0].shapes if shapes is None else shapes, sources[0].dtype
    out, size = batch.device.empty(shapes, dtype), dtype.itemsize
    filled = np.zeros(len(shapes), dtype) if fills is None else fills
    gather = collapsed(plan_gather(shapes, sources), size)
    whole, to = gather.whole, out.pointers()
    if gather.sources == 1 and _has_runs(gather, size):
        _copy_runs(batch, out, gather, size, filled)
    elif (pixels := pixels_of(gather, size)) is not None:
        gather, macros = pixels
        _launch(batch, "move_pixels", gather, gather.table(to, gather.steps, filled), macros)
    elif gather.sources > 1:
        _copy_parts(batch, out, gather, size, filled)
    elif whole and (images := images_of(gather, size)) is not None:
        copy_channels(batch, out, gather.first[:, 0], size, *images)
    elif whole and (tiles := tiles_of(gather, size)) is not None:
        copy_tiles(batch, out, gather, size, *tiles)
    else:
        bits = np.dtype(_BYTES[size])
        policy = "WHOLE" if whole else "PAD"
        _copy_elements(batch, out, gather, (bits, bits), filled, policy)
    return out


def convert_views(
    batch: BatchContext,
    view: StridedViews,
    dtype: DType,
    fills: Array,
    channels: int,
    policy: str,
) -> TensorListGPU:
    """Return the elements of a view in another type; see `operators/indexing/move_elements.cu`.

    Args:
        view: the samples.
        dtype: type of the results.
        fills: the value where the view has no element: one, or one a channel, of `dtype`.
        channels: the axis of the channels, or -1.
        policy: "PAD" to take `fills`, or the name of another member of `Bounds` in strided.cuh.
    """
    out = batch.device.empty(view.shapes, dtype)
    gather = plan_gather(view.shapes, [view])
    if channels in (-1, gather.ndim - 1):
        gather = collapsed(gather, view.dtype.itemsize)
        channels = channels if channels < 0 else gather.ndim - 1
    policy = "WHOLE" if gather.whole else policy
    everywhere = np.repeat(fills[:1], len(out))
    _copy_elements(batch, out, gather, (view.dtype, dtype), everywhere, policy, channels, fills)
    return out


def _launch(
    batch: BatchContext,
    name: str,
    gather: GatherPlan,
    table: StructTable,
    macros: dict[str, str],
    *arguments: object,
    piece: int = PIECE,
    sources: int = 1,
) -> None:
    """Launch a kernel whose threads make pieces of the results' last dimension.

    Args:
        name: name of the kernel.
        gather, table: the plan, and its structs.
        macros: further macros of the kernel.
        arguments: further arguments of the kernel.
        piece: number of elements that a thread makes at a time.
        sources: number of structs of a sample.
    """
    macros = macros | {"DIMS": str(gather.ndim), "Index": gather.index}
    pieces = gather.extents[:, :-1].prod(axis=1) * (gather.extents[:, -1] // piece + 2)
    rounds = int(pieces.max()) * len(table) // (THREADS * MANY_BLOCKS)
    blocks = blocks_for(-(-pieces // min(max(rounds, 1), MAX_ROUNDS)))
    grid = blocks, len(table) // sources, sources
    batch.device.launch(
        kernel(f"indexing/{name}", name, **macros), grid, (THREADS,), table, *arguments
    )


def _has_runs(gather: GatherPlan, size: int) -> bool:
    """Return whether the last dimension is contiguous, and long or the only one."""
    long = gather.ndim == 1 or gather.extents[:, -1].min() * size >= PIECE
    return bool(long and (gather.strides[..., -1] == size).all())


def _copy_runs(
    batch: BatchContext, out: TensorListGPU, gather: GatherPlan, size: int, fills: Array
) -> None:
    gather = gather.in_bytes(size)
    table = gather.table(out.pointers(), gather.steps, fills)
    bounds = "WHOLE" if gather.whole else "PAD"
    _launch(batch, "move_runs", gather, table, {"PARTS": "1", "BOUNDS": bounds})


def _copy_parts(
    batch: BatchContext, out: TensorListGPU, gather: GatherPlan, size: int, fills: Array
) -> None:
    """Copy the elements of each source by a struct of its own."""
    gather = gather.in_bytes(size)
    steps, sources, ndim = gather.steps[:, None], gather.sources, gather.ndim
    low = gather.low.clip(0, gather.extents[:, None])
    extents = (gather.high.clip(0, gather.extents[:, None]) - low).clip(0)
    strides = gather.strides.copy()
    strides[..., -1] = 1
    to = out.pointers().astype(np.int64)[:, None] + (low * steps).sum(-1)
    alone = GatherPlan(
        extents.reshape(-1, ndim),
        (gather.first + (low * strides).sum(-1)).reshape(-1, 1),
        strides.reshape(-1, 1, ndim),
        np.zeros_like(low).reshape(-1, 1, ndim),
        extents.reshape(-1, 1, ndim),
        np.ones_like(extents).reshape(-1, ndim),
    )
    out_strides = np.repeat(steps, sources, axis=1).reshape(-1, ndim)
    table = alone.table(to.reshape(-1), out_strides, np.repeat(fills, sources))
    _launch(batch, "move_runs", alone, table, {"PARTS": "1", "BOUNDS": "WHOLE"}, sources=sources)


def _copy_elements(
    batch: BatchContext,
    out: TensorListGPU,
    gather: GatherPlan,
    types: tuple[DType, DType],
    fills: Array,
    policy: str,
    channels: int = -1,
    channel_fills: Array | None = None,
) -> None:
    """Copy elements; `channel_fills` are those of the indices on the axis `channels`, if >= 0."""
    table = gather.table(out.pointers(), gather.steps * types[1].itemsize, fills)
    macros = {"In": c_type(types[0]), "Out": c_type(types[1]), "BOUNDS": policy, "PARTS": "1"}
    macros["RUNS"] = str(int((gather.strides[..., -1] == types[0].itemsize).all()))
    channel_fills = fills[:1] if channel_fills is None else channel_fills
    arguments = batch.device.upload(channel_fills), np.int32(channels), np.int32(len(channel_fills))
    piece = PIECE // max(dtype.itemsize for dtype in types)
    _launch(batch, "move_elements", gather, table, macros, *arguments, piece=piece)
