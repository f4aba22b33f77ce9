"""`fn.multi_paste` for a whole batch on the GPU, in one launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, StructTable, kernel, launch_elements, struct_table
from .regions import CanvasPlan

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext


def paste_batch(
    batch: BatchContext,
    images: Sequence[TensorListGPU],
    plans: Sequence[CanvasPlan],
    dtype: np.dtype[Any],
) -> TensorListGPU:
    """Return the canvases of a batch.

    Args:
        batch: the batch, on whose device to compute.
        images: the inputs.
        plans: one a canvas.
        dtype: of the canvases.
    """
    source = to_numpy_type(images[0].dtype)
    shapes = np.array([plan.shape for plan in plans], np.int64)
    out = batch.device.empty(shapes, dtype)
    frames = shapes[:, :-3].prod(axis=1)
    regions = [
        _regions(images, plan, count, source)
        for plan, count in zip(plans, frames.tolist(), strict=True)
    ]
    pasted = np.repeat([len(plan.sources) for plan in plans], frames)
    height, width, channels = np.repeat(shapes[:, -3:], frames, axis=0).T
    number = np.arange(len(height)) - np.repeat(np.cumsum(frames) - frames, frames)
    starts = np.repeat(out.pointers().astype(np.int64), frames)
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
    function = kernel("multi_paste", "multi_paste", In=c_type(source), Out=c_type(dtype))
    launch_elements(batch.device, function, canvases, height * width, table)
    return out


def _regions(
    images: Sequence[TensorListGPU], plan: CanvasPlan, frames: int, dtype: np.dtype[Any]
) -> Array:
    """Return address, elements in a line, y, x, height and width of each region of each frame."""
    rows = []
    for i, (number, row) in enumerate(plan.sources):
        *leading, height, width, channels = images[number].shape()[row]
        line = width * channels
        offset = plan.start[:, i, 0] * line + plan.start[:, i, 1] * channels
        offset = offset + np.arange(frames) * (height * line if leading else 0)
        address = int(images[number].pointers()[row]) + offset * dtype.itemsize
        row_of_frames = np.empty((frames, 6), np.int64)
        row_of_frames[:, 0], row_of_frames[:, 1] = address, line
        row_of_frames[:, 2:4], row_of_frames[:, 4:] = plan.to[:, i], plan.extents[:, i]
        rows.append(row_of_frames)
    return np.stack(rows, axis=1).reshape(-1, 6) if rows else np.empty((0, 6), np.int64)


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
