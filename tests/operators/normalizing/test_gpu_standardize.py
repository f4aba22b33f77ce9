"""Samples that are normalized with their own statistics in one launch, and those that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.normalizing import gpu_standardize
from penstock.operators.normalizing.gpu_standardize import Spread, standardized

SPREAD = Spread(lost=1, scale=2.0, epsilon=0.5, shift=3.0)


def samples(shapes, dtype="u1"):
    rng = np.random.default_rng(8)
    return [(rng.random(shape) * 200).astype(dtype) for shape in shapes]


def run(gpu_batch, rows, kept_axes, dtype="f4", spread=SPREAD):
    """Return the results, or None if one launch is not possible."""
    batch, [data] = gpu_batch(rows)
    kept = np.zeros((len(rows), rows[0].ndim), bool)
    kept[:, list(kept_axes)] = True
    out = standardized(batch, data, data.extents(), kept, spread, np.dtype(dtype))
    return None if out is None else [np.array(row) for row in out.as_cpu().rows()]


def expected(row, kept_axes, spread=SPREAD):
    axes = tuple(axis for axis in range(row.ndim) if axis not in kept_axes)
    exact = row.astype(np.float64)
    count = np.prod([row.shape[axis] for axis in axes])
    mean = exact.mean(axis=axes, keepdims=True)
    variance = ((exact - mean) ** 2).sum(axis=axes, keepdims=True) / (count - spread.lost)
    return (exact - mean) * spread.scale / np.sqrt(variance + spread.epsilon) + spread.shift


@pytest.mark.parametrize("kept", [(), (2,), (0,), (0, 2)])
@pytest.mark.parametrize("shapes", [[(6, 7, 3)] * 2, [(6, 7, 3), (11, 40, 3), (2, 2, 3)]])
def test_results_are_those_of_numpy(gpu_batch, kept, shapes):
    rows = samples(shapes)
    for result, row in zip(run(gpu_batch, rows, kept), rows, strict=True):
        np.testing.assert_allclose(result, expected(row, kept), 1e-4, 1e-4)


def test_several_blocks_share_a_row(gpu_batch):
    rows = samples([(70, 80, 3), (60, 90, 3)], "f4")
    for result, row in zip(run(gpu_batch, rows, (2,)), rows, strict=True):
        np.testing.assert_allclose(result, expected(row, (2,)), 1e-4, 1e-4)


def test_a_block_that_does_not_wait_sums_the_row_itself(gpu_batch, tuned):
    tuned(gpu_standardize, MAX_POLLS=0)
    rows = samples([(70, 80, 3)], "f4")
    [result] = run(gpu_batch, rows, ())
    np.testing.assert_allclose(result, expected(rows[0], ()), 1e-4, 1e-4)


@pytest.mark.parametrize(
    ("shapes", "source", "dtype", "kept"),
    [
        ([(4, 4, 3)], "f8", "f4", ()),  # float64 loses digits in one pass
        ([(4, 4, 3)], "f4", "f8", ()),
        ([(3, 4, 5, 6)], "u1", "f4", (1, 3)),  # statistics with elements in too many places
        ([(40, 5)], "u1", "f4", (0,)),  # too many rows
        ([(5, 200)], "u1", "f4", (1,)),  # too wide a row
    ],
)
def test_other_samples_are_left_to_two_passes(gpu_batch, shapes, source, dtype, kept):
    assert run(gpu_batch, samples(shapes, source), kept, dtype) is None


def test_rows_that_are_too_long_for_the_device_are_left_to_two_passes(gpu_batch, tuned):
    rows = samples([(70, 80, 3)])
    assert run(gpu_batch, rows, ()) is not None
    tuned(gpu_standardize, MAX_PARTIAL_SUMS=1)
    assert run(gpu_batch, rows, ()) is None
