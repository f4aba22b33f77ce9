"""Volumes of a whole batch under affine maps, on the GPU."""

from __future__ import annotations

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, kernel, launch_elements, struct_table
from .cpu_volume import work_type
from .cpu_warp import Sampling
from .frame_maps import FrameMaps

_SIDES = ("depth", "height", "width")


def warp_volumes(
    batch: BatchContext,
    data: TensorListGPU,
    out: TensorListGPU,
    maps: FrameMaps,
    sampling: Sampling,
    leading: int,
) -> None:
    """Map the volumes, or the frames of series of volumes, of a batch.

    Args:
        data, out: the samples and their results.
        maps, sampling: see there.
        leading: number of axes in front of the channels.
    """
    source, target = to_numpy_type(data.dtype), to_numpy_type(out.dtype)
    voxels = np.where(maps.possible, maps.frames * maps.canvas.prod(1), 0)
    sizes = np.concatenate([maps.extents, maps.canvas], axis=1).astype(np.int32).T
    names = (*(f"in_{side}" for side in _SIDES), *_SIDES)
    table = struct_table(
        "Sample",
        len(voxels),
        source=Pointers(data.pointers(), "const In*"),
        out=Pointers(out.pointers(), "Out*"),
        first_matrix=maps.first,
        voxels=voxels,
        **dict(zip(names, sizes, strict=True)),
        channels=data.extents()[:, leading:].prod(1).astype(np.int32),
    )
    work = work_type(source, target)
    function = kernel(
        "warp/warp_volume",
        "warp_volume",
        In=c_type(source),
        Out=c_type(target),
        Work=c_type(work),
        NEAREST=sampling.nearest,
        FILLED=sampling.fill is not None,
    )
    known = maps.on_device is None
    matrices = batch.device.upload(maps.matrices) if known else maps.on_device
    fill = np.float64(sampling.fill or 0.0)
    launch_elements(batch.device, function, table, voxels, matrices, fill)
