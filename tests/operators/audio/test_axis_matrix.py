"""Products with banded matrices along an axis."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.context import HeapWorkspace
from penstock.operators.audio import axis_matrix
from penstock.operators.audio.axis_matrix import AxisMatrix
from penstock.testing.agreement import agree

from .made import noise


def banded(rows, columns):
    matrix = noise(rows * columns).reshape(rows, columns)
    for row in range(rows):
        matrix[row, : row * columns // rows] = 0
        matrix[row, row * columns // rows + 3 :] = 0
    matrix[2] = 0
    return matrix


@pytest.mark.parametrize("together", [1, 3, 99])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_products(axis, together, tuned):
    tuned(axis_matrix, RESULTS_TOGETHER=together)
    matrix = banded(8, 20)
    data = np.moveaxis(noise(20 * 4 * 5).reshape(20, 4, 5), 0, axis)
    wanted = np.moveaxis(np.tensordot(matrix, data, (1, axis)), 0, axis)
    result = AxisMatrix(matrix).along(HeapWorkspace(), data, axis)
    np.testing.assert_allclose(result, wanted, 1e-5, 1e-5)


def test_ranges():
    matrix = AxisMatrix(np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, 0]]))
    assert matrix.ranges.tolist() == [[1, 4], [0, 0], [0, 1]]
    assert AxisMatrix(np.zeros((2, 0))).ranges.tolist() == [[0, 0], [0, 0]]


# `mel_filter_bank` and `mfcc` on the GPU: axes, dtypes and empty samples.
@pytest.mark.parametrize("layout", ["ftc", "cft", "ctf", "tf"])
def test_axes_of_the_bins(device_stage, layout):
    shapes = [[33 if letter == "f" else 2 + n for letter in layout] for n in range(3)]
    data = [np.abs(noise(int(np.prod(shape)))).reshape(shape) for shape in shapes]
    agree("mel_filter_bank", data, layout=layout, nfilter=9, largest=1e-7)


@pytest.mark.parametrize("dtype", ["i2", "f2"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_dtypes_and_axes_of_coefficients(device_stage, axis, dtype):
    data = [(20 + 9 * noise(60)).astype(dtype).reshape(n, -1, 2) for n in (3, 5, 30)]
    agree("mfcc", data, axis=axis, n_mfcc=4, largest=1e-3)


@pytest.mark.parametrize("shapes", [[(0, 3), (5, 0)], [(1, 2), (2, 2)]])
def test_empty_samples(device_stage, shapes):
    data = [np.ones(shape, np.float32) for shape in shapes]
    agree("mfcc", data, largest=1e-6)
    agree("mel_filter_bank", data, nfilter=4, largest=1e-6)
