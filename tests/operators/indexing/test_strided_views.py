"""Views of a batch, checked against NumPy's own strides."""

from __future__ import annotations

import numpy as np

from penstock.operators.indexing.gather_plan import collapsed, plan_gather
from penstock.operators.indexing.gpu_subscript import indexed_views
from penstock.operators.indexing.strided_views import StridedViews

MEMORY = np.arange(48, dtype=np.int16)
SHAPES = np.array([[2, 3, 4], [3, 4, 2]])
FIRST = np.array([0, 48])  # bytes
WHOLE = StridedViews.at(FIRST, SHAPES, MEMORY.dtype)
ARRAYS = [MEMORY[:24].reshape(2, 3, 4), MEMORY[24:].reshape(3, 4, 2)]


def read(view, i):
    """Return the elements of a sample that has all of them."""
    return np.ndarray(view.shapes[i], view.dtype, MEMORY, view.first[i], view.strides[i])


def assert_views(view, arrays):
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(read(view, i), array)


def test_contiguous_samples():
    assert_views(WHOLE, ARRAYS)


def test_other_orders_of_axes_and_samples():
    assert_views(WHOLE.axes((2, 0, 1)), [array.transpose(2, 0, 1) for array in ARRAYS])
    assert_views(WHOLE.rows(np.array([1, 0])), ARRAYS[::-1])


def test_mirrored_samples():
    mirrored = np.array([[True, False, True], [False, True, False]])
    assert_views(WHOLE.flipped(mirrored), [ARRAYS[0][::-1, :, ::-1], ARRAYS[1][:, ::-1]])


def test_windows_know_their_bounds():
    start, shapes = np.array([[0, 1, -1], [1, 0, 0]]), np.array([[2, 2, 3], [2, 4, 2]])
    view = WHOLE.window(start, shapes)
    np.testing.assert_array_equal(read(view, 1), ARRAYS[1][1:])
    assert view.low[0].tolist() == [0, -1, 1]
    assert view.high[0].tolist() == [2, 2, 5]


def test_indexed_samples():
    for key in (
        (1,), (slice(None, None, -1), None, 0), (..., -1), (slice(1, None), ..., slice(0, 1)), (),
    ):  # fmt: skip
        view, wrong = indexed_views(WHOLE, key)
        assert not wrong.any()
        assert_views(view, [array[key] for array in ARRAYS])


def test_indices_out_of_range():
    _, wrong = indexed_views(WHOLE, (2,))
    assert wrong.tolist() == [True, False]
    _, wrong = indexed_views(WHOLE, (slice(None, None, 0),))
    assert wrong.tolist() == [True, True]


def test_axes_that_lie_in_a_row_become_one():
    assert collapsed(plan_gather(SHAPES, [WHOLE]), 2).ndim == 1
    turned = WHOLE.axes((2, 0, 1))
    plan = collapsed(plan_gather(turned.shapes, [turned]), 2)
    assert plan.extents.tolist() == [[4, 6], [2, 12]]
    assert plan.whole
    assert plan.steps.tolist() == [[6, 1], [12, 1]]
