"""Mirrored boxes and points of a batch on the GPU."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ..kernels import Pointers, kernel, launch_elements, struct_table


class FlippedForm(IntEnum):
    """What the columns of coordinates hold.

    Attributes:
        POINTS: a coordinate each.
        EDGES: left, top, right and bottom of boxes.
        SIZES: x, y, width and height of boxes.
    """

    POINTS = 0
    EDGES = 1
    SIZES = 2


def flip_columns(
    batch: BatchContext, data: TensorListGPU, form: FlippedForm, flipped: Array, sums: Array
) -> TensorListGPU:
    """Return coordinates, some of which are mirrored.

    Args:
        data: float32; the last dimension holds the coordinates.
        form: see there.
        flipped: whether each axis is mirrored: (batch, axes) bool.
        sums: of a coordinate and its mirrored one, for each axis: (batch or 1, axes).
    """
    out = batch.device.empty(data.extents(), np.float32)
    elements = data.extents().prod(axis=1)
    table = struct_table(
        "Sample",
        len(data),
        input=Pointers(data.pointers(), "const float*"),
        out=Pointers(out.pointers(), "float*"),
        elements=elements,
        sums=np.broadcast_to(sums, flipped.shape).astype(np.float32),
        flipped=flipped.astype(np.int32),
    )
    function = kernel("boxes/flip_columns", "flip_columns", FORM=form, AXES=flipped.shape[1])
    launch_elements(batch.device, function, table, elements)
    return out
