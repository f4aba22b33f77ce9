"""Kernels that make images of pixels at positions in other images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..elementwise.promotion import exact_type
from ..kernels import Pointers, kernel, launch_elements, struct_table


def launch_displacement(
    batch: BatchContext,
    images: TensorListGPU,
    out: TensorListGPU,
    possible: NDArray[np.bool_],
    name: str,
    taps: int,
    fill: float,
    fields: Mapping[str, Any],
    arguments: Sequence[object],
) -> None:
    """Launch a kernel that includes displaced.cuh.

    Args:
        images, out: the samples and their results, HW or HWC.
        possible: which samples can be computed; of the others nothing is written.
        name: of the kernel and of its file.
        taps: pixels on each axis that make a pixel: 1, 2 or 4.
        fill: what lies around the images.
        fields: of the kernel's table, beside those of displaced.cuh.
        arguments: of the kernel, after the table and `fill`.
    """
    before, after = images.extents(), out.extents()
    pixels = np.where(possible, after[:, :2].prod(axis=1), 0)
    height, width = after[:, :2].astype(np.int32).T
    in_height, in_width = before[:, :2].astype(np.int32).T
    dtype = to_numpy_type(images.dtype)
    table = struct_table(
        "Sample",
        batch.size,
        source=Pointers(images.pointers(), "const In*"),
        out=Pointers(out.pointers(), "In*"),
        pixels=pixels,
        in_height=in_height,
        in_width=in_width,
        height=height,
        width=width,
        channels=before[:, 2:].prod(axis=1).astype(np.int32),
        **fields,
    )
    macros = {"In": c_type(dtype), "Work": c_type(exact_type(dtype))}
    function = kernel(f"warp/{name}", name, TAPS=taps, BORDER="CONSTANT", **macros)
    launch_elements(batch.device, function, table, pixels, np.float64(fill), *arguments)
