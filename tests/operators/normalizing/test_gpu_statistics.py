"""Means and deviations on the GPU, against NumPy, for every division of the work."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from penstock.engine.tensors import address_of
from penstock.operators.kernels import addresses_in
from penstock.operators.normalizing import gpu_statistics
from penstock.operators.normalizing.gpu_statistics import Reduction, index_type

SHAPES = [(5, 7, 3), (33, 4, 3), (1, 1, 3)]
KEPT = [(), (2,), (0,), (1,), (0, 2)]


def samples(shapes=SHAPES, dtype="u1", seed=0):
    rng = np.random.default_rng(seed)
    return [(rng.random(shape) * 200).astype(dtype) for shape in shapes]


def read(batch, values, row, shape):
    """Return the values of a sample, from the device."""
    batch.device.synchronize()
    memory = values.memory.get() if hasattr(values.memory, "get") else np.array(values.memory)
    start = int(values.addresses[row]) - address_of(values.memory)
    count = int(np.prod(shape))
    return memory[start : start + 4 * count].view(np.float32).reshape(shape)


def reduction(gpu_batch, rows, axes, whole=False, exact="f4"):
    batch, [data] = gpu_batch(rows)
    kept = np.zeros((len(rows), rows[0].ndim), bool)
    kept[:, list(axes)] = True
    return batch, Reduction(batch, data, data.extents(), kept, np.dtype(exact), whole)


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_means_and_factors_of_each_sample(gpu_batch, kept, dtype):
    rows = samples(dtype=dtype)
    batch, reduced = reduction(gpu_batch, rows, kept)
    means, factors = reduced.both(0, 2.0, 0.25)
    axes = tuple(axis for axis in range(3) if axis not in kept)
    for i, row in enumerate(rows):
        mean = row.mean(axis=axes, keepdims=True, dtype=np.float64)
        factor = 2 / np.sqrt(row.var(axis=axes, keepdims=True, dtype=np.float64) + 0.25)
        np.testing.assert_allclose(read(batch, means, i, mean.shape), mean, 1e-5)
        np.testing.assert_allclose(read(batch, factors, i, mean.shape), factor, 1e-4)


def test_all_samples_together(gpu_batch):
    rows = samples()
    batch, reduced = reduction(gpu_batch, rows, (2,), whole=True)
    means, factors = reduced.both(1, 1.0, 0.0)
    pixels = np.concatenate([row.reshape(-1, 3) for row in rows]).astype(np.float64)
    assert len(set(means.addresses.tolist())) == 1
    np.testing.assert_allclose(read(batch, means, 2, (3,)), pixels.mean(0), 1e-5)
    np.testing.assert_allclose(read(batch, factors, 0, (3,)), 1 / pixels.std(0, ddof=1), 1e-4)


def test_factors_from_given_means(gpu_batch):
    rows = samples(dtype="f4")
    batch, reduced = reduction(gpu_batch, rows, ())
    factors = reduced.factors(reduced.means(), 1, 3.0, 0.0)
    assert read(batch, factors, 0, ()) == pytest.approx(3 / rows[0].std(ddof=1), rel=1e-4)


def test_samples_that_do_not_vary_have_factor_0(gpu_batch):
    batch, reduced = reduction(gpu_batch, [np.full((4, 4), 7, np.uint8)] * 2, ())
    means, factors = reduced.both(0, 1.0, 0.0)
    assert read(batch, means, 1, ()) == 7
    assert read(batch, factors, 1, ()) == 0


def test_many_blocks_share_a_long_run_and_give_the_same_each_time(gpu_batch, tuned):
    tuned(gpu_statistics, THREAD_BYTES=1)
    rows = samples([(3, 9000), (2, 700)], "f4")
    results = []
    for _ in range(2):
        batch, reduced = reduction(gpu_batch, rows, (0,))
        means, _ = reduced.both(0, 1.0, 0.0)
        results.append([read(batch, means, i, (len(rows[i]),)).copy() for i in range(2)])
        np.testing.assert_allclose(results[-1][0], rows[0].mean(1), 1e-5)
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_places_have_64_bits_in_huge_samples(tuned):
    assert index_type(np.array([1, (1 << 26) - 1])) == "int"
    assert index_type(np.array([1, 1 << 26])) == "i64"
    tuned(gpu_statistics, WIDE_INDEX_ELEMENTS=2)
    assert index_type(np.array([1, 2])) == "i64"


def test_arrays_one_behind_the_other(gpu_batch):
    batch, _ = gpu_batch([np.zeros(1)])
    memory = batch.device.buffer(100)
    offsets = addresses_in(memory, np.array([3, 0, 5]), 4) - np.uint64(address_of(memory))
    assert offsets.tolist() == [0, 12, 12]
    assert ctypes.sizeof(ctypes.c_float) == 4
