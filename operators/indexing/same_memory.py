"""Batches on the GPU in another shape or type, in the same memory."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from ...engine.arrays import DType, Shape
from ...engine.graph.context import BatchContext
from ...engine.graph.row_arguments import try_rows
from ...engine.tensors import PackedRows, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type


def in_shapes(
    batch: BatchContext,
    data: TensorListGPU,
    shape_of: Callable[[int, Shape], Shape],
    *,
    alike: bool,
    dtype: DType | None = None,
) -> TensorListGPU:
    """Return samples in other shapes, which hold as many bytes.

    Args:
        batch: the batch, which takes the errors of rows.
        data: the samples.
        shape_of: called with the row and the shape of a sample; returns the new shape.
        alike: whether the new shape depends on the shape alone.
        dtype: type of the result; by default that of `data`.
    """
    before = data.shape()
    shapes: list[Shape] = [()] * len(before)
    known: dict[Shape, Shape] = {}

    def work(i: int) -> None:
        shape = before[i]
        if not alike or shape not in known:
            known[shape] = shape_of(i, shape)
        shapes[i] = known[shape]

    failed = try_rows(batch, range(len(before)), work)
    if failed:
        good = next((shapes[i] for i in range(len(shapes)) if i not in failed), (0,))
        for i in failed:
            shapes[i] = (0,) * max(1, len(good))
    return _seen(data, shapes, dtype or to_numpy_type(data.dtype))


def _seen(data: TensorListGPU, shapes: list[Shape], dtype: DType) -> TensorListGPU:
    if data.is_dense() and len(set(shapes)) == 1:
        dense = data.dense().reshape(-1)
        if len(shapes) * prod(shapes[0]) * dtype.itemsize == dense.nbytes:
            return data.with_rows(dense.view(dtype).reshape(len(shapes), *shapes[0]), "")
    block = data.stored.in_block()
    if block is None or len(set(map(len, shapes))) > 1:
        rows = [row.reshape(-1).view(np.uint8) for row in data.rows()]
        sizes = [prod(shape) * dtype.itemsize for shape in shapes]
        return data.with_rows(
            [
                row[:size].view(dtype).reshape(shape)
                for row, size, shape in zip(rows, sizes, shapes, strict=True)
            ],
            "",
        )
    extents = np.array(shapes, np.int64)
    return data.with_rows(PackedRows(block.memory, block.offsets, extents, dtype), "")
