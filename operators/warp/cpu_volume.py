"""Volumes under affine maps, on the CPU. Positions are computed in float64."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType, Float64s
from ...engine.graph.operator import Array
from ..elementwise.saturation import saturate
from . import cpu_warp
from .cpu_warp import FAR, Sampling, between, pixel_arithmetic


def work_type(source: DType, target: DType) -> DType:
    """Return the dtype in which the voxels of a volume are weighed."""
    work = pixel_arithmetic(source, target).work
    return work if work.kind == "f" else np.dtype(np.float32)


def warp_volume(volume: Array, out: Array, matrix: Float64s, sampling: Sampling) -> None:
    """Write the voxels of a volume that an affine map chooses.

    Args:
        volume: (depth, height, width) or (depth, height, width, channels).
        out: the result, with the same channels.
        matrix: (3, 4), from voxel indices (x, y, z, 1) of the result to those of the volume.
        sampling: how voxels are made.
    """
    voxels = _Voxels(volume, work_type(volume.dtype, out.dtype), sampling)
    depth, height, width = out.shape[:3]
    across = matrix[:, :1] * np.arange(width)
    lines = max(1, cpu_warp.STRIP_PIXELS // width)
    for plane in range(depth):
        down = matrix[:, 1:2] * np.arange(height) + (matrix[:, 2:3] * plane + matrix[:, 3:])
        for top in range(0, height, lines):
            strip = slice(top, top + lines)
            positions = (across[:, np.newaxis] + down[:, strip, np.newaxis]).clip(-FAR, FAR)
            saturate(voxels.at(positions), out[plane, strip])


class _Voxels:
    """The voxels of a volume, by their positions.

    Args:
        volume: the volume.
        work: dtype of the results.
        sampling: how voxels are made.
    """

    def __init__(self, volume: Array, work: DType, sampling: Sampling) -> None:
        self._nearest = sampling.nearest
        self._first = 0  # the lowest index that has a voxel of its own
        pixels = np.ascontiguousarray(volume, work)
        if sampling.fill is not None:  # all that is outside looks like one voxel around the volume
            border = ((1, 1),) * 3 + ((0, 0),) * (volume.ndim - 3)
            pixels = np.pad(pixels, border, constant_values=sampling.fill)
            self._first = -1
        self._extent = pixels.shape[:3]
        alone = pixels.size == prod(self._extent)  # one value a voxel, which is faster to take
        self._pixels = pixels.reshape(-1, *(() if alone else pixels.shape[3:]))
        self._trailing = volume.shape[3:]

    def at(self, positions: Float64s) -> Array:
        """Return the voxels at positions (x, y and z, height, width)."""
        whole = np.rint(positions) if self._nearest else np.floor(positions)
        sides = [self._offsets(whole.astype(np.int64) + side) for side in range(2 - self._nearest)]
        shape = (*positions.shape[1:], *self._trailing)
        if self._nearest:
            return self._pixels.take(sum(sides[0]), axis=0).reshape(shape)
        weights = (positions - whole).astype(self._pixels.dtype)
        right, below, behind = weights[(..., *(np.newaxis,) * (self._pixels.ndim - 1))]

        def line(y: int, z: int) -> Array:
            start = sides[z][2] + sides[y][1]
            first, second = (self._pixels.take(start + sides[x][0], axis=0) for x in (0, 1))
            return between(first, second, right)

        def plane(z: int) -> Array:
            return between(line(0, z), line(1, z), below)

        return between(plane(0), plane(1), behind).reshape(shape)

    def _offsets(self, indices: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return the offsets of the nearest columns, lines and planes."""
        depth, height, width = self._extent
        steps = ((width, 1), (height, width), (depth, width * height))
        return [
            (own - self._first).clip(0, extent - 1) * step
            for own, (extent, step) in zip(indices, steps, strict=True)
        ]
