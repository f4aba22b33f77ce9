"""`multiplier * pixel + offset` of windows on the GPU, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.geometry.strided_views import StridedViews
from penstock.operators.normalizing.gpu_scale import Scalings, scaled_windows

SHAPES = [(6, 9, 3), (4, 5, 3)]


def samples(shapes=SHAPES):
    rng = np.random.default_rng(4)
    return [rng.integers(0, 256, shape).astype(np.uint8) for shape in shapes]


def scalings(count, channels, dtype=np.float32):
    multiplier = np.arange(1, count * channels + 1, dtype=np.float32).reshape(count, channels) / 4
    fill = np.tile(np.arange(channels, dtype=dtype) - 5, (count, 1))
    return Scalings(multiplier, -multiplier * 3, fill)


def scaled(gpu_batch, rows, start, shapes, target="HWC", channels=3, mirrored=(False, True)):
    """Return the scaled windows of samples, and the arithmetic."""
    batch, [data] = gpu_batch(rows)
    whole = StridedViews.at(np.zeros(len(rows), np.int64), data.extents(), rows[0].dtype)
    view = whole.window(np.array(start), np.array(shapes))
    arithmetic = scalings(len(rows), channels)
    windows = scaled_windows(view, "HWC", np.full(len(rows), channels), target, arithmetic)
    out = windows.write(batch, data.pointers(), np.array(mirrored))
    return [np.array(row) for row in out.as_cpu().rows()], arithmetic


def expected(row, i, arithmetic, mirrored=False):
    channels = row.shape[2]
    result = row * arithmetic.multiplier[i, :channels] + arithmetic.offset[i, :channels]
    return result[:, ::-1] if mirrored else result


@pytest.mark.parametrize("target", ["HWC", "CHW"])
def test_windows_inside_of_samples(gpu_batch, target):
    rows = samples()
    start, shapes = [[1, 2, 0], [0, 1, 0]], [[4, 6, 3], [3, 3, 3]]
    results, arithmetic = scaled(gpu_batch, rows, start, shapes, target)
    for i, (result, row) in enumerate(zip(results, rows, strict=True)):
        window = row[start[i][0] :][: shapes[i][0], start[i][1] :][:, : shapes[i][1]]
        wanted = expected(window, i, arithmetic, i == 1)
        wanted = wanted if target == "HWC" else wanted.transpose(2, 0, 1)
        np.testing.assert_allclose(result, wanted, 1e-6)


def test_pixels_outside_are_filled(gpu_batch):
    rows = samples()
    results, arithmetic = scaled(
        gpu_batch, rows, [[-1, 0, 0], [0, 3, 0]], [[3, 9, 3], [4, 4, 3]], mirrored=(False, False)
    )
    assert (results[0][0] == arithmetic.fill[0]).all()
    np.testing.assert_allclose(results[0][1:], expected(rows[0][:2], 0, arithmetic), 1e-6)
    assert (results[1][:, 2:] == arithmetic.fill[1]).all()
    np.testing.assert_allclose(results[1][:, :2], expected(rows[1][:, 3:], 1, arithmetic), 1e-6)


@pytest.mark.parametrize(("read", "written"), [(3, 4), (1, 2), (6, 6), (6, 8)])
def test_channels_that_are_added_are_filled(gpu_batch, read, written):
    rows = samples([(3, 7, read), (2, 2, read)])
    shapes = [row.shape for row in rows]
    results, arithmetic = scaled(
        gpu_batch, rows, np.zeros((2, 3), int), shapes, channels=written, mirrored=(True, False)
    )
    for i, (result, row) in enumerate(zip(results, rows, strict=True)):
        assert result.shape == (*row.shape[:2], written)
        np.testing.assert_allclose(result[..., :read], expected(row, i, arithmetic, i == 0), 1e-6)
        assert (result[..., read:] == arithmetic.fill[i, read:]).all()


def test_a_plan_serves_several_batches(gpu_batch):
    rows = samples([(4, 6, 3)] * 2)
    shapes = np.array([row.shape for row in rows])
    view = StridedViews.at(np.zeros(2, np.int64), shapes, np.dtype(np.uint8))
    arithmetic = scalings(2, 3)
    windows = scaled_windows(view, "HWC", np.full(2, 3), "HWC", arithmetic)
    for given in (rows, rows[::-1]):
        batch, [data] = gpu_batch(given)
        out = windows.write(batch, data.pointers(), np.zeros(2, bool)).as_cpu().rows()
        for i, row in enumerate(given):
            np.testing.assert_allclose(out[i], expected(row, i, arithmetic), 1e-6)
