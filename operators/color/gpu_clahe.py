"""Contrast limited adaptive histogram equalization on the GPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ..kernels import Pointers, addresses_in, kernel, launch_elements, struct_table
from .lab import lab_tables

_LEVELS = 256  # and threads of a block: one a level
_SHARED_BYTES = 4 * (_LEVELS + 1)


class Tiling(NamedTuple):
    """How images are equalized.

    Attributes:
        rows, columns: number of tiles.
        clip_limit: of a histogram's bin, relative to the mean bin.
        luma_only: whether the L of images with 3 channels is equalized, and not each channel.
    """

    rows: int
    columns: int
    clip_limit: float
    luma_only: bool


def equalize_tiles(
    batch: BatchContext, images: TensorListGPU, possible: NDArray[np.bool_], tiling: Tiling
) -> TensorListGPU:
    """Return the equalized images: one launch makes the tables of all tiles, one looks up.

    Args:
        images: uint8 HWC.
        possible: which images to equalize; they have 1 or 3 channels: (batch,).
        tiling: how to equalize.
    """
    shapes = images.extents()
    height, width, channels = np.where(possible[:, np.newaxis], shapes, 0).T
    used = np.where(height * width > 0, channels, 0)
    planes = np.where(used == 3, 1, used) if tiling.luma_only else used
    # OpenCV extends both axes if one of them is not a whole number of tiles.
    uneven = (height % tiling.rows != 0) | (width % tiling.columns != 0)
    tile_height, tile_width = height // tiling.rows + uneven, width // tiling.columns + uneven
    area = (tile_height * tile_width).clip(1)
    tiles = tiling.rows * tiling.columns
    sizes = planes * tiles * _LEVELS
    memory = batch.device.buffer(int(sizes.sum()))
    out = batch.device.empty(shapes, np.uint8)
    table = struct_table(
        "Image",
        batch.size,
        source=Pointers(images.pointers(), "const unsigned char*"),
        out=Pointers(out.pointers(), "unsigned char*"),
        tables=Pointers(addresses_in(memory, sizes, 1), "unsigned char*"),
        height=height.astype(np.int32),
        width=width.astype(np.int32),
        channels=channels.astype(np.int32),
        planes=planes.astype(np.int32),
        tiles_y=np.int32(tiling.rows),
        tiles_x=np.int32(tiling.columns),
        tile_height=tile_height.astype(np.int32),
        tile_width=tile_width.astype(np.int32),
        limit=(tiling.clip_limit * area / _LEVELS).clip(1, area).astype(np.int32),
        scale=np.float32(255) / area.astype(np.float32),
    )
    device = batch.device
    table, lab = device.upload_table(table), device.upload_table(lab_tables())
    grid = int(planes.max()) * tiles, batch.size
    make = kernel("color/clahe", "clahe_tables")
    device.launch(make, grid, (_LEVELS,), table, lab, shared_bytes=_SHARED_BYTES)
    launch_elements(device, kernel("color/clahe", "clahe"), table, height * width, lab)
    return out
