"""`(data - mean) * factor + shift` on the GPU, with means and factors of any shape."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.tensors import address_of
from penstock.operators.normalizing.gpu_normalize import normalized, placed

SHAPES = [(5, 7, 3), (2, 40, 3)]


def samples(shapes=SHAPES, dtype="u1"):
    rng = np.random.default_rng(2)
    return [(rng.random(shape) * 200).astype(dtype) for shape in shapes]


def run(gpu_batch, rows, means, factors, shift=0.5, dtype="f4"):
    batch, [data] = gpu_batch(rows)
    exact = "f8" if dtype == "f8" else "f4"
    values = [placed(batch, [np.asarray(a, exact) for a in each]) for each in (means, factors)]
    out = normalized(batch, data, *values, shift, np.dtype(dtype))
    return [np.array(row) for row in out.as_cpu().rows()]


@pytest.mark.parametrize(
    ("mean", "factor"),
    [
        (np.ones((1, 1, 3)), np.ones((1, 1, 3))),
        (np.arange(3.0), np.arange(1.0, 4)),
        (np.array(20.0), np.arange(1.0, 4)),
        (np.array(20.0), np.array(0.5)),
        (np.arange(3.0), np.array(0.5)),
    ],
)
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
def test_means_and_factors_are_broadcast(gpu_batch, mean, factor, dtype):
    rows = samples()
    results = run(gpu_batch, rows, [mean] * 2, [factor] * 2, dtype=dtype)
    for row, result in zip(rows, results, strict=True):
        assert (result.dtype, result.shape) == (np.dtype(dtype), row.shape)
        tolerance = 1e-3 if dtype == "f2" else 1e-6
        np.testing.assert_allclose(result, (row - mean) * factor + 0.5, tolerance, 1e-5)


def test_each_sample_has_its_own(gpu_batch):
    rows = samples()
    means = [np.random.default_rng(i).random((row.shape[0], 1, 3)) for i, row in enumerate(rows)]
    factors = [np.full((1, 1, 1), i + 2.0) for i in range(2)]
    for i, result in enumerate(run(gpu_batch, rows, means, factors)):
        np.testing.assert_allclose(result, (rows[i] - means[i]) * factors[i] + 0.5, 1e-5)


def test_integers_are_rounded_and_saturated(gpu_batch):
    rows = [np.array([0, 100, 250], np.uint8)]
    [result] = run(gpu_batch, rows, [np.array(100.0)], [np.array(1.7)], shift=100.0, dtype="u1")
    assert result.tolist() == [0, 100, 255]


def test_samples_without_dimensions_or_elements(gpu_batch):
    assert run(gpu_batch, [np.float32(7), np.float32(9)], [1.0] * 2, [2.0] * 2, 0)[1] == 16
    empty, one = run(gpu_batch, samples([(0, 3), (1, 3)]), [0.0] * 2, [1.0] * 2, 0)
    assert empty.shape == (0, 3)
    assert one.tolist() == samples([(0, 3), (1, 3)])[1].tolist()


def test_a_shared_array_is_copied_once(gpu_batch):
    batch, _ = gpu_batch([np.zeros(1)] * 3)
    shared, other = np.arange(3, dtype=np.float32), np.arange(4, dtype=np.float32)
    values = placed(batch, [shared, other, shared])
    offsets = (values.addresses - np.uint64(address_of(values.memory))).tolist()
    assert offsets == [0, 12, 0]
    assert values.memory.nbytes == 28
    assert values.steps.tolist() == [[1]] * 3


def test_arrays_of_fewer_dimensions_have_step_0_in_front(gpu_batch):
    batch, _ = gpu_batch([np.zeros(1)] * 2)
    values = placed(batch, [np.ones((2, 3), np.float32), np.ones(3, np.float32)])
    assert values.steps.tolist() == [[3, 1], [0, 1]]
