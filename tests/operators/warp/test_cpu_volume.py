"""Affine maps of volumes on the CPU, against exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.warp import cpu_warp
from penstock.operators.warp.cpu_volume import warp_volume
from penstock.operators.warp.cpu_warp import Sampling

MATRIX = np.array([[0.9, 0.2, -0.1, 0.5], [-0.2, 1.1, 0.1, -0.3], [0.1, 0.0, 0.8, 0.2]])


def exact(volume, shape, matrix, fill):
    """Return the weighed voxels in float64, one by one."""
    result = np.zeros(shape)
    for z, y, x in np.ndindex(shape):
        position = matrix @ [x, y, z, 1]
        whole = np.floor(position).astype(int)
        for side in np.ndindex(2, 2, 2):
            weight = np.prod(np.where(side, position - whole, 1 - (position - whole)))
            corner = (whole + side)[::-1]
            inside = corner.clip(0, np.array(volume.shape) - 1)
            outside = fill is not None and (inside != corner).any()
            result[z, y, x] += weight * (fill if outside else float(volume[tuple(inside)]))
    return result


@pytest.mark.parametrize("fill", [None, 100.0])
@pytest.mark.parametrize("dtype", ["u1", "i2", "u2", "i4", "f4", "f8"])
def test_weighed_voxels(dtype, fill):
    volume = (np.random.default_rng(1).random((5, 6, 7)) * 200).astype(dtype)
    out = np.empty((6, 5, 8), dtype)
    warp_volume(volume, out, MATRIX, Sampling(False, fill))
    difference = np.abs(out - exact(volume, out.shape, MATRIX, fill)).max()
    assert difference <= {"f8": 1e-9, "f4": 1e-3}.get(dtype, 0.51)


def test_channels_are_alike():
    volume = (np.random.default_rng(1).random((5, 6, 7, 3)) * 200).astype(np.uint8)
    out, alone = np.empty((4, 5, 6, 3), np.uint8), np.empty((4, 5, 6), np.uint8)
    warp_volume(volume, out, MATRIX, Sampling(False, 5.0))
    for channel in range(3):
        warp_volume(volume[..., channel], alone, MATRIX, Sampling(False, 5.0))
        np.testing.assert_array_equal(out[..., channel], alone)


def test_strips_do_not_show(tuned):
    volume = (np.random.default_rng(1).random((5, 6, 7)) * 200).astype(np.int16)
    whole, strips = np.empty((2, 5, 6, 7), np.int16)
    warp_volume(volume, whole, MATRIX, Sampling(False, None))
    tuned(cpu_warp, STRIP_PIXELS=15)
    warp_volume(volume, strips, MATRIX, Sampling(False, None))
    np.testing.assert_array_equal(whole, strips)
