"""Gather plans: the axes that they keep, and the structs that the kernels read."""

from __future__ import annotations

import numpy as np

from penstock.operators.geometry import gather_plan
from penstock.operators.geometry.gather_plan import collapsed, plan_gather
from penstock.operators.geometry.strided_views import StridedViews

SHAPES = np.array([[2, 3, 4], [2, 3, 4]])
WHOLE = StridedViews.at(np.array([0, 64]), SHAPES, np.dtype(np.int16))


def test_the_steps_are_those_of_contiguous_results():
    plan = plan_gather(SHAPES, [WHOLE])
    assert (plan.ndim, plan.sources, plan.whole) == (3, 1, True)
    assert plan.steps.tolist() == [[12, 4, 1]] * 2
    assert plan.units.tolist() == [[1, 1, 1]] * 2


def test_a_window_beyond_its_sample_is_not_whole():
    view = WHOLE.window(np.array([[0, -1, 0]] * 2), SHAPES)
    plan = plan_gather(SHAPES, [view])
    assert not plan.whole
    assert plan.low[:, 0].tolist() == [[0, 1, 0]] * 2


def test_contiguous_samples_have_one_axis():
    plan = collapsed(plan_gather(SHAPES, [WHOLE]), 2)
    assert plan.extents.tolist() == [[24]] * 2
    assert plan.strides.tolist() == [[[2]]] * 2


def test_axes_are_merged_where_all_samples_allow_it():
    turned = WHOLE.axes((1, 2, 0))  # the first two axes stay neighbors
    plan = collapsed(plan_gather(turned.shapes, [turned]), 2)
    assert plan.extents.tolist() == [[12, 2]] * 2
    assert plan.strides.tolist() == [[[2, 24]]] * 2
    flipped = WHOLE.flipped(np.array([[False] * 3, [False, True, False]]))
    assert collapsed(plan_gather(SHAPES, [flipped]), 2).ndim == 3


def test_axes_of_extent_1_are_left_out():
    shapes = np.array([[1, 5, 1, 3]])
    view = StridedViews.at(np.array([0]), shapes, np.dtype(np.int16)).axes((3, 0, 1, 2))
    assert collapsed(plan_gather(view.shapes, [view]), 2).extents.tolist() == [[3, 5]]
    one = StridedViews.at(np.array([0]), np.ones((1, 2), int), np.dtype(np.int16))
    assert collapsed(plan_gather(one.shapes, [one]), 2).extents.tolist() == [[1]]


def test_windows_keep_the_bounds_of_merged_axes():
    view = WHOLE.window(np.array([[-1, 0, 0]] * 2), np.array([[4, 3, 4]] * 2))
    plan = collapsed(plan_gather(view.shapes, [view]), 2)
    assert plan.extents.tolist() == [[4, 12]] * 2 or plan.extents.tolist() == [[48]] * 2
    lengths = (plan.high - plan.low)[:, 0].prod(axis=1)
    assert lengths.tolist() == [24, 24]


def test_positions_have_32_bits_where_they_suffice(tuned):
    plan = plan_gather(SHAPES, [WHOLE])
    assert plan.index == "int"
    tuned(gather_plan, MAX_SHORT_ELEMENTS=24)
    assert plan.index == "long long"


def test_a_plan_in_bytes():
    plan = plan_gather(SHAPES, [WHOLE]).in_bytes(2)
    assert plan.extents.tolist() == [[2, 3, 8]] * 2
    assert plan.high[:, 0].tolist() == [[2, 3, 8]] * 2
    assert plan.units.tolist() == [[1, 1, 2]] * 2


def test_structs_repeat_the_fill_to_8_bytes():
    plan = plan_gather(SHAPES, [WHOLE])
    table = plan.table(np.array([1000, 2000]), plan.steps * 2, np.array([3, -1], np.int16))
    assert table.array["out"].tolist() == [1000, 2000]
    assert [hex(fill) for fill in table.array["fill"].tolist()] == [
        "0x3000300030003",
        "0xffffffffffffffff",
    ]
    assert table.array["first"].reshape(-1).tolist() == [0, 64]
