"""NumPy's basic indexing of a batch: the strides that each key gives."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.geometry.gpu_subscript import indexed_views
from penstock.operators.geometry.strided_views import StridedViews

MEMORY = np.arange(54, dtype=np.int16)
SHAPES = np.array([[2, 3, 4], [3, 5, 2]])
FIRST = np.array([0, 48])
WHOLE = StridedViews.at(FIRST, SHAPES, MEMORY.dtype)
ARRAYS = [MEMORY[:24].reshape(2, 3, 4), MEMORY[24:].reshape(3, 5, 2)]
KEYS = [
    np.s_[1],
    np.s_[-1, ..., 0],
    np.s_[:, 1:3],
    np.s_[..., ::-1],
    np.s_[::-2, 5:0:-2],
    np.s_[None, 0, None],
    np.s_[-100:100, 1:1],
    np.s_[0, 0, 0],
    np.s_[...],
    np.s_[0, 0, 0, ...],
    np.s_[:, -1:-3:-1, 1:],
]


def read(view, i):
    """Return the elements of sample `i`, from the addresses that the view gives."""
    return np.ndarray(view.shapes[i], view.dtype, MEMORY, int(view.first[i]), view.strides[i])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_views_are_those_of_numpy(key):
    view, wrong = indexed_views(WHOLE, key if isinstance(key, tuple) else (key,))
    assert not wrong.any()
    for i, array in enumerate(ARRAYS):
        expected = array[key]
        assert tuple(view.shapes[i]) == expected.shape
        if expected.size:
            np.testing.assert_array_equal(read(view, i), expected)


def test_each_sample_may_have_its_own_integers():
    view, wrong = indexed_views(WHOLE, (np.array([-1, 2]), slice(np.array([1, 0]), None)))
    assert not wrong.any()
    np.testing.assert_array_equal(read(view, 0), ARRAYS[0][-1, 1:])
    np.testing.assert_array_equal(read(view, 1), ARRAYS[1][2, 0:])


def test_rows_with_integers_out_of_range_are_marked_and_empty():
    view, wrong = indexed_views(WHOLE, (2,))
    assert wrong.tolist() == [True, False]
    assert view.shapes.tolist() == [[0, 0], [5, 2]]
    np.testing.assert_array_equal(read(view, 1), ARRAYS[1][2])
    assert indexed_views(WHOLE, (Ellipsis, -3))[1].tolist() == [False, True]


def test_rows_with_step_0_are_marked():
    _, wrong = indexed_views(WHOLE, (slice(None, None, np.array([0, 1])),))
    assert wrong.tolist() == [True, False]
