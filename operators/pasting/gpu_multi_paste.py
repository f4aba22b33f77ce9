"""`fn.multi_paste` for a whole batch on the GPU, in one launch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.arrays import DType
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, StructTable, kernel, launch_elements, struct_table
from .regions import CanvasPlans


def paste_batch(
    batch: BatchContext,
    images: Sequence[TensorListGPU],
    plans: Sequence[CanvasPlans],
    dtype: DType,
) -> TensorListGPU:
    """Return the canvases of a batch.

    Args:
        images: the inputs.
        plans: of all canvases.
        dtype: of the canvases.
    """
    source = to_numpy_type(images[0].dtype)
    shapes = np.concatenate([plan.shapes for plan in plans])
    order = np.concatenate([plan.rows for plan in plans])
    out = batch.device.empty(shapes[np.argsort(order)], dtype)
    pointers = np.stack([data.pointers() for data in images]).astype(np.int64)
    extents = np.stack([data.extents() for data in images])
    regions = [_regions(plan, pointers, extents, source.itemsize) for plan in plans]
    frames = shapes[:, :-3].prod(axis=1)
    counts = [np.full(len(plan), plan.extents.shape[2]) for plan in plans]
    pasted = np.repeat(np.concatenate(counts), frames)
    height, width, channels = np.repeat(shapes[:, -3:], frames, axis=0).T
    number = np.arange(len(height)) - np.repeat(np.cumsum(frames) - frames, frames)
    starts = np.repeat(out.pointers()[order].astype(np.int64), frames)
    sizes = height * width * channels * dtype.itemsize
    canvases = struct_table(
        "Canvas",
        len(height),
        out=Pointers((starts + number * sizes).astype(np.uint64), "Out*"),
        pixels=height * width,
        width=width,
        channels=channels,
        first=np.cumsum(pasted) - pasted,
        regions=pasted,
    )
    table = _table(np.concatenate([*regions, np.zeros((1, 6), np.int64)]))
    function = kernel("pasting/multi_paste", "multi_paste", In=c_type(source), Out=c_type(dtype))
    launch_elements(batch.device, function, canvases, height * width, table)
    return out


def _regions(plan: CanvasPlans, pointers: Array, extents: Array, size: int) -> Array:
    """Return address, elements in a line, y, x, height and width of each region of each frame.

    Args:
        plan: the canvases.
        pointers, extents: addresses and shapes of all images: (inputs, batch), and with ndim.
        size: bytes of an element.
    """
    shapes = extents[plan.sources][:, np.newaxis]
    *_, height, width, channels = np.moveaxis(shapes, -1, 0)
    line = width * channels
    offset = plan.start[..., 0] * line + plan.start[..., 1] * channels
    if shapes.shape[-1] > 3:
        offset = offset + np.arange(plan.shapes[0, 0])[:, np.newaxis] * (height * line)
    table = np.empty((*offset.shape, 6), np.int64)
    table[..., 0] = pointers[plan.sources][:, np.newaxis] + offset * size
    table[..., 1] = line
    table[..., 2:4], table[..., 4:] = plan.to, plan.extents
    return table.reshape(-1, 6)


def _table(regions: Array) -> StructTable:
    address, line, y, x, height, width = regions.T
    return struct_table(
        "Region",
        len(regions),
        source=Pointers(address.astype(np.uint64), "const In*"),
        line=line,
        y=y,
        x=x,
        height=height,
        width=width,
    )
