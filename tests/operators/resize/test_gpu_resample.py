"""The launches that resample a batch: all ways through the kernels, against the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.resize.axes import plan_axes
from penstock.operators.resize.cpu_resample import resample
from penstock.operators.resize.cpu_volume import resample_volume
from penstock.operators.resize.filters import Filter
from penstock.operators.resize.gpu_blocks import ImageStacks
from penstock.operators.resize.gpu_resample import resample_batch


def samples(shapes, dtype="u1"):
    rng = np.random.default_rng(9)
    return [(rng.random(shape) * 250).astype(dtype) for shape in shapes]


def stacks(data, images, axes, dtype):
    extents = data.extents()
    return ImageStacks(
        data.pointers(),
        np.array(images),
        extents[:, :axes],
        extents[:, axes] if extents.shape[1] > axes else np.ones(len(extents), np.int64),
        np.dtype(dtype),
        data,
    )


def resampled(gpu_batch, rows, sizes, chosen=Filter.LINEAR, target=None, images=None):
    """Return the rows in their new sizes, the channels last."""
    batch, [data] = gpu_batch(rows)
    count = len(sizes[0])
    dtype = np.dtype(target or rows[0].dtype)
    shapes = [(*size, *row.shape[count:]) for size, row in zip(sizes, rows, strict=True)]
    out = batch.device.empty(shapes, dtype)
    filters = (np.full(len(rows), int(chosen)),) * 2
    before, after = data.extents()[:, :count], np.array(sizes)
    axes = [
        plan_axes(
            before[:, axis],
            after[:, axis],
            np.zeros(len(rows)),
            before[:, axis].astype(float),
            filters,
            True,
        )
        for axis in range(count)
    ]
    images = [1] * len(rows) if images is None else images
    source = stacks(data, images, count, rows[0].dtype)
    resample_batch(batch, source, stacks(out, images, count, dtype), axes)
    return [np.array(row) for row in out.as_cpu().rows()]


def assert_as_on_the_cpu(results, rows, sizes, chosen, dtype):
    for result, row, size in zip(results, rows, sizes, strict=True):
        on_cpu = resample if len(size) == 2 else resample_volume
        wanted = np.empty((*size, *row.shape[len(size) :]), dtype)
        roi = None if len(size) == 2 else (0, 0, 0, *row.shape[:3])
        options = {"min_filter": chosen, "mag_filter": chosen, "antialias": True, "dtype": dtype}
        on_cpu(row, size, roi=roi, out=wanted, **options)
        tolerance = 1 if np.dtype(dtype).kind in "ui" else 1e-3
        np.testing.assert_allclose(result.astype(float), wanted.astype(float), 0, tolerance)


@pytest.mark.parametrize("chosen", list(Filter))
def test_each_filter(gpu_batch, chosen):
    rows, sizes = samples([(20, 31, 3), (9, 14, 3)]), [(8, 40), (17, 6)]
    results = resampled(gpu_batch, rows, sizes, chosen)
    assert_as_on_the_cpu(results, rows, sizes, chosen, np.dtype("u1"))


@pytest.mark.parametrize(
    ("dtype", "target"), [("u1", "f4"), ("i2", "i2"), ("f4", "f4"), ("f8", "f8")]
)
def test_each_type(gpu_batch, dtype, target):
    rows, sizes = samples([(12, 10, 3)] * 2, dtype), [(7, 13)] * 2
    results = resampled(gpu_batch, rows, sizes, target=target)
    assert_as_on_the_cpu(results, rows, sizes, Filter.LINEAR, np.dtype(target))


def test_axes_that_shrink_much_go_in_passes_of_their_own(gpu_batch):
    rows, sizes = samples([(3, 4000, 1), (900, 3, 1)]), [(3, 2), (2, 3)]
    results = resampled(gpu_batch, rows, sizes)
    assert_as_on_the_cpu(results, rows, sizes, Filter.LINEAR, np.dtype("u1"))


def test_samples_with_few_and_with_many_taps_in_one_batch(gpu_batch):
    rows, sizes = samples([(10, 10, 3), (90, 80, 3), (300, 10, 3)]), [(20, 20), (9, 8), (6, 5)]
    results = resampled(gpu_batch, rows, sizes)
    assert_as_on_the_cpu(results, rows, sizes, Filter.LINEAR, np.dtype("u1"))


def test_the_depth_of_volumes_goes_first(gpu_batch):
    rows, sizes = samples([(6, 9, 8, 2), (4, 5, 6, 2)], "f4"), [(3, 12, 5), (8, 3, 6)]
    results = resampled(gpu_batch, rows, sizes)
    assert_as_on_the_cpu(results, rows, sizes, Filter.LINEAR, np.dtype("f4"))


def test_samples_without_images_stay_unwritten(gpu_batch):
    rows, sizes = samples([(9, 9, 3)] * 2), [(4, 4)] * 2
    written, left = resampled(gpu_batch, rows, sizes, images=[1, 0])
    assert_as_on_the_cpu([written], rows[:1], sizes[:1], Filter.LINEAR, np.dtype("u1"))
    assert left.shape == (4, 4, 3)
