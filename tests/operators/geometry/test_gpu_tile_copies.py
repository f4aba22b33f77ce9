"""Copies of dimensions in another order through shared memory."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.geometry.gather_plan import collapsed, plan_gather
from penstock.operators.geometry.gpu_tile_copies import (
    copy_channels,
    copy_tiles,
    images_of,
    tiles_of,
)
from penstock.operators.geometry.strided_views import StridedViews

DTYPES = ["u1", "u2", "f4", "f8"]


def samples(shapes, dtype):
    rng = np.random.default_rng(6)
    return [rng.integers(0, 250, shape).astype(dtype) for shape in shapes]


def planned(data, order, size):
    view = StridedViews.of(data).axes(order)
    return view.shapes, collapsed(plan_gather(view.shapes, [view]), size)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [2, 3, 4])
def test_channels_become_planes(gpu_batch, dtype, channels):
    rows = samples([(5, 70, channels), (40, 33, channels)], dtype)
    batch, [data] = gpu_batch(rows)
    size = rows[0].itemsize
    shapes, plan = planned(data, (2, 0, 1), size)
    found = images_of(plan, size)
    assert found is not None
    assert (found[0].tolist(), found[1]) == ([[1, 350], [1, 1320]], channels)
    out = batch.device.empty(shapes, rows[0].dtype)
    copy_channels(batch, out, plan.first[:, 0], size, *found)
    for result, row in zip(out.as_cpu().rows(), rows, strict=True):
        np.testing.assert_array_equal(result, row.transpose(2, 0, 1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0)])
def test_tiles_are_turned(gpu_batch, dtype, order):
    rows = samples([(37, 70, 3), (5, 90, 3)], dtype)
    batch, [data] = gpu_batch(rows)
    size = rows[0].itemsize
    shapes, plan = planned(data, order, size)
    found = tiles_of(plan, size)
    assert found is not None
    out = batch.device.empty(shapes, rows[0].dtype)
    copy_tiles(batch, out, plan, size, *found)
    for result, row in zip(out.as_cpu().rows(), rows, strict=True):
        np.testing.assert_array_equal(result, row.transpose(order))


def test_other_copies_are_left_to_other_kernels(gpu_batch):
    _, [images] = gpu_batch(samples([(6, 7, 3), (4, 5, 3)], "u1"))
    assert images_of(planned(images, (1, 0, 2), 1)[1], 1) is None
    assert tiles_of(planned(images, (0, 1, 2), 1)[1], 1) is None
    _, [many] = gpu_batch(samples([(6, 7, 5), (4, 5, 5)], "u1"))
    assert images_of(planned(many, (2, 0, 1), 1)[1], 1) is None
    _, [unlike] = gpu_batch(samples([(6, 7, 3), (4, 5, 2)], "u1"))
    assert images_of(planned(unlike, (2, 0, 1), 1)[1], 1) is None
