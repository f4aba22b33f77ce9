"""Affine maps between indices of pixels, for maps between coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Float64s, Int64s
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, kernel, launch_elements, struct_table

_TIE = 2.0**-13
"""Added to positions, so that a position between two pixels goes to the second one, as in DALI."""
_LARGEST = 1e15
"""Limit of the numbers of a map, with which positions stay finite."""


def index_maps(
    matrices: Float64s, inverse_map: bool, nearest: bool
) -> tuple[Float64s, NDArray[np.bool_]]:
    """Return maps between indices of pixels, for maps between coordinates.

    Args:
        matrices: (count, 6 or 12), row by row.
        inverse_map: whether they map the result to the image already.
        nearest: whether the nearest pixel is wanted.

    Returns:
        the maps of the result to the image, (count, 6 or 12), and which of them are right.
    """
    count, width = matrices.shape
    ndim = {6: 2, 12: 3}[width]
    result = matrices.reshape(count, ndim, ndim + 1).copy()
    with np.errstate(all="ignore"):
        if not inverse_map:
            result = _inverses(result)
        result[..., -1] += result[..., :-1].sum(axis=2) / 2 - (0.5 - _TIE * nearest)
    maps = result.reshape(count, width)
    return maps.clip(-_LARGEST, _LARGEST), np.asarray(np.isfinite(maps).all(axis=1))


def _inverses(stack: Float64s) -> Float64s:
    """Return the inverses of maps, (count, n, n + 1); NaN for maps that have none."""
    linear, offset = stack[..., :-1], stack[..., -1:]
    regular = np.isfinite(stack).all(axis=(1, 2)) & (np.linalg.det(linear) != 0)
    regular = regular[:, np.newaxis, np.newaxis]
    inverse = np.linalg.inv(np.where(regular, linear, np.eye(linear.shape[1])))
    return np.where(regular, np.concatenate([inverse, -inverse @ offset], axis=2), np.nan)


def index_maps_on_device(
    batch: BatchContext,
    matrices: TensorListGPU,
    frames: Int64s,
    ndim: int,
    inverse_map: bool,
    nearest: bool,
) -> object:
    """Return the same in device memory, for matrices in device memory.

    Maps that are wrong take all pixels to some place outside; nothing tells them from others.

    Args:
        matrices: of each sample, one or one a frame.
        frames: number of frames of each sample, 0 for samples that are left out: (batch,).
        ndim: number of dimensions, 2 or 3.
        inverse_map, nearest: see `index_maps`.

    Returns:
        (frames.sum(), 6 or 12) float64, as memory on the device.
    """
    width = ndim * (ndim + 1)
    table = struct_table(
        "Sample",
        len(frames),
        source=Pointers(matrices.pointers(), "const In*"),
        first=np.cumsum(frames) - frames,
        frames=frames,
        alike=(matrices.extents().prod(axis=1) == width).astype(np.int32),
    )
    types = {"In": c_type(to_numpy_type(matrices.dtype)), "NDIM": ndim, "INVERT": not inverse_map}
    result = batch.device.buffer(max(1, int(frames.sum())) * width * 8)
    shift, largest = np.float64(0.5 - _TIE * nearest), np.float64(_LARGEST)
    function = kernel("warp/index_maps", "index_maps", **types)
    launch_elements(batch.device, function, table, frames, result, shift, largest)
    return result
