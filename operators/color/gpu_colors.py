"""Affine maps of the colors of images on the GPU."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, kernel, launch_elements, struct_table

_TOGETHER = 4  # neighboring pixels that a thread computes


def map_batch_colors(
    batch: BatchContext, images: TensorListGPU, maps: Array, dtype: DTypeLike
) -> TensorListGPU:
    """Return the colors of each image under the image's map, in one launch.

    Args:
        images: of shape (..., from). Samples with other channels have errors; nothing is computed.
        maps: (batch, to, from + 1).
        dtype: of the result.
    """
    target, source = np.dtype(dtype), to_numpy_type(images.dtype)
    made, given = maps.shape[1], maps.shape[2] - 1
    shapes = images.extents()
    pixels = np.where(shapes[:, -1] == given, shapes[:, :-1].prod(axis=1), 0)
    out = batch.device.empty(np.column_stack([shapes[:, :-1], np.full(len(shapes), made)]), target)
    table = struct_table(
        "Image",
        len(maps),
        source=Pointers(images.pointers(), "const In*"),
        out=Pointers(out.pointers(), "Out*"),
        pixels=pixels,
        matrix=maps.reshape(len(maps), -1).astype(np.float32),
    )
    macros = {"In": c_type(source), "Out": c_type(target), "FROM": given, "TO": made}
    function = kernel("color/color_map", "color_map", TOGETHER=_TOGETHER, **macros)
    launch_elements(batch.device, function, table, -(-pixels // _TOGETHER))
    return out
