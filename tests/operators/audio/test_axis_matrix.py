"""Products with banded matrices along an axis."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.context import HeapWorkspace
from penstock.operators.audio import axis_matrix
from penstock.operators.audio.axis_matrix import AxisMatrix

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
