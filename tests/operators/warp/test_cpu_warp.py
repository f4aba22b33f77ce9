"""Affine maps of images on the CPU, against exact arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.warp import cpu_warp
from penstock.operators.warp.cpu_warp import Sampling, pixel_arithmetic, warp
from penstock.operators.warp.rotation import source_of_pixel


def exact(image, shape, matrix, fill=None):
    """Return the weighed pixels in float64."""
    y, x = np.mgrid[: shape[0], : shape[1]]
    positions = np.tensordot(matrix[:, :2], [x, y], 1) + matrix[:, 2:, np.newaxis]
    whole = np.floor(positions).astype(int)
    right, below = positions - whole

    def pixel(down, across):
        column, line = whole[0] + across, whole[1] + down
        inside = (line >= 0) & (line < image.shape[0]) & (column >= 0) & (column < image.shape[1])
        found = image[line.clip(0, image.shape[0] - 1), column.clip(0, image.shape[1] - 1)]
        return found.astype(float) if fill is None else np.where(inside, found, fill)

    upper = pixel(0, 0) * (1 - right) + pixel(0, 1) * right
    lower = pixel(1, 0) * (1 - right) + pixel(1, 1) * right
    return upper * (1 - below) + lower * below


@pytest.mark.parametrize("fill", [None, 100.0])
@pytest.mark.parametrize("dtype", ["u2", "i2", "u4", "i4", "u8", "i8", "f8"])
def test_wide_numbers_are_right_to_a_half(dtype, fill):
    image = (np.random.default_rng(1).random((120, 130)) * 30000).astype(dtype)
    out = np.empty((150, 140), dtype)
    matrix = source_of_pixel(image.shape, out.shape, 33.3)
    warp(image, out, matrix, Sampling(False, fill))
    difference = np.abs(out - exact(image, out.shape, matrix, fill))
    assert difference.max() <= (1e-9 if dtype == "f8" else 0.51)


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 6])
def test_channels_do_not_depend_on_their_number(channels, dtype):
    image = (np.random.default_rng(1).random((20, 30, channels)) * 250).astype(dtype)
    out, alone = np.empty((25, 28, channels), dtype), np.empty((25, 28), dtype)
    matrix = source_of_pixel(image.shape[:2], out.shape[:2], 20)
    warp(image, out, matrix, Sampling(False, 7.0))
    for channel in range(channels):
        warp(image[..., channel], alone, matrix, Sampling(False, 7.0))
        difference = np.abs(out[..., channel].astype(float) - alone)
        assert difference.max() <= (1 if dtype == "u1" else 1e-4)


@pytest.mark.parametrize("dtype", ["u1", "u2", "i8", "f8"])
def test_the_nearest_pixel_is_copied(dtype):
    image = np.arange(20 * 30).reshape(20, 30).astype(dtype)
    out = np.empty((30, 20), dtype)
    warp(image, out, source_of_pixel((20, 30), (30, 20), 90), Sampling(True, None))
    np.testing.assert_array_equal(out, np.rot90(image))


def test_strips_do_not_show(tuned):
    image = (np.random.default_rng(1).random((40, 50)) * 30000).astype("i2")
    whole, stripes = np.empty((2, 40, 50), "i2")
    matrix = source_of_pixel((40, 50), (40, 50), 12)
    warp(image, whole, matrix, Sampling(False, None))
    tuned(cpu_warp, STRIP_PIXELS=150)
    warp(image, stripes, matrix, Sampling(False, None))
    np.testing.assert_array_equal(whole, stripes)


def test_positions_far_outside_are_fill():
    image, out = np.ones((3, 3), "i2"), np.empty((5, 32000), "i2")
    warp(image, out, np.array([[3.0, 0, -40000], [0, 1, 0]]), Sampling(False, 9.0))
    assert (out[:, 0] == 9).all()
    assert (out[:, -1] == 9).all()


def test_which_dtypes_are_computed_exactly():
    def exact_of(source, target):
        return pixel_arithmetic(np.dtype(source), np.dtype(target)).exact

    assert [exact_of(name, name) for name in ("u1", "f2", "f4", "i1")] == [False] * 4
    assert all(exact_of(name, "f4") for name in ("u2", "i2", "i4", "u8", "f8"))
    assert pixel_arithmetic(np.dtype("i4"), np.dtype("u1")).work == np.float64
