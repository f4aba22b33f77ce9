"""Images of a whole batch under perspective maps, on the GPU. Positions are computed in float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIInterpType, to_numpy_type
from ..kernels import Pointers, kernel, launch_elements, struct_table
from .cpu_perspective import PerspectiveSampling

TAPS = {
    DALIInterpType.INTERP_NN: 1,
    DALIInterpType.INTERP_LINEAR: 2,
    DALIInterpType.INTERP_CUBIC: 4,
}
"""The number of pixels on each axis that make a pixel."""


def warp_perspectives(
    batch: BatchContext,
    data: TensorListGPU,
    out: TensorListGPU,
    layout: str,
    maps: object,
    possible: NDArray[np.bool_],
    sampling: PerspectiveSampling,
    fills: Sequence[float],
) -> None:
    """Map the images of a batch.

    Args:
        data, out: the samples and their results.
        layout: of both: HW, HWC or CHW.
        maps: from pixel indices of each result to those of its image: (batch, 9) float64 in device
            memory, row by row.
        possible: which samples can be computed; of the others nothing is written.
        sampling: how pixels are made.
        fills: the constant around the image: one a channel, or one for all.
    """
    before, after = data.extents(), out.extents()
    vertical, across = (layout.index(letter) for letter in "HW")
    channels = before[:, layout.index("C")] if "C" in layout else np.ones(batch.size, np.int64)
    pixels = np.where(possible, after[:, vertical] * after[:, across], 0)
    table = struct_table(
        "Sample",
        batch.size,
        source=Pointers(data.pointers(), "const In*"),
        out=Pointers(out.pointers(), "In*"),
        pixels=pixels,
        in_height=before[:, vertical].astype(np.int32),
        in_width=before[:, across].astype(np.int32),
        width=after[:, across].astype(np.int32),
        channels=channels.astype(np.int32),
    )
    function = kernel(
        "warp/warp_perspective",
        "warp_perspective",
        In=c_type(to_numpy_type(data.dtype)),
        Work="float",
        TAPS=TAPS[sampling.filter],
        BORDER=sampling.border.upper(),
        PLANES=layout[0] == "C",
        FILLS=len(fills),
    )
    uploaded = batch.device.upload(np.array(fills, np.float32))
    launch_elements(batch.device, function, table, pixels, maps, uploaded)


def maps_on_device(
    batch: BatchContext,
    matrices: TensorListGPU,
    possible: NDArray[np.bool_],
    shift: float,
    *,
    invert: bool,
) -> object:
    """Return maps for matrices in device memory, as `warp_perspectives` takes them.

    Args:
        matrices: one of each sample.
        possible: which samples have 9 numbers.
        shift: the coordinate of the center of the first pixel.
        invert: whether the matrices map images to results.
    """
    table = struct_table(
        "Sample",
        batch.size,
        source=Pointers(matrices.pointers(), "const In*"),
        possible=possible.astype(np.int32),
    )
    source = c_type(to_numpy_type(matrices.dtype))
    function = kernel("warp/perspective_maps", "perspective_maps", In=source, INVERT=invert)
    result = batch.device.buffer(batch.size * 9 * 8)
    one = np.ones(batch.size, np.int64)
    launch_elements(batch.device, function, table, one, result, np.float64(shift))
    return result
