"""Separable filters on the GPU: a launch for each axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU, address_of
from ...engine.tensors.dtypes import to_numpy_type
from ..elementwise.promotion import type_of_work
from ..kernels import Pointers, kernel, launch_elements, struct_table
from .windows import WindowsOfBatch, weights_together


def filter_batch(
    batch: BatchContext,
    data: TensorListGPU,
    dtype: np.dtype[np.generic],
    axes: Sequence[int],
    windows: WindowsOfBatch,
) -> TensorListGPU:
    """Return the samples filtered along axes.

    Args:
        data: the samples.
        dtype: of the results.
        axes: to filter, from the outermost on.
        windows: of the samples and axes.
    """
    shapes, source = data.extents(), to_numpy_type(data.dtype)
    exact = type_of_work(source, dtype)
    out = batch.device.empty(shapes, dtype)
    elements = shapes.prod(axis=1)
    kernels, first = weights_together(windows)
    memory = batch.device.upload(kernels)
    addresses = np.uint64(address_of(memory)) + first.astype(np.uint64) * kernels.itemsize
    current = data
    for turn, axis in enumerate(axes):
        last = turn == len(axes) - 1
        made = out if last else batch.device.empty(shapes, exact)
        table = struct_table(
            "Sample",
            batch.size,
            source=Pointers(current.pointers(), "const In*"),
            out=Pointers(made.pointers(), "Out*"),
            weights=Pointers(addresses[:, turn], "const float*"),
            elements=elements,
            extent=shapes[:, axis],
            step=shapes[:, axis + 1 :].prod(axis=1),
            radius=windows.size[:, turn] // 2,
        )
        types = {"In": to_numpy_type(current.dtype), "Out": to_numpy_type(made.dtype)}
        macros = {name: c_type(dtype) for name, dtype in types.items()}
        function = kernel("filters/filter_axis", "filter_axis", Exact=c_type(exact), **macros)
        launch_elements(batch.device, function, table, elements)
        current = made
    return out
