"""Strides and axes of operands that are broadcast."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penstock.operators.elementwise.gpu_expression import Operand, broadcast, merged, strides


def operand_of(*shapes):
    none = np.zeros(len(shapes), np.uint64)
    return Operand(np.dtype("f4"), np.array(shapes, np.int64), none, none, None)


def test_shapes_are_aligned_at_the_last_dimension():
    extents, bad = broadcast([operand_of((2, 3), (4, 5)), operand_of((3,), (1,))])
    assert extents.tolist() == [[2, 3], [4, 5]]
    assert not bad.any()


def test_shapes_that_do_not_fit_are_marked():
    extents, bad = broadcast([operand_of((2, 3), (4, 5)), operand_of((2,), (5,))])
    assert bad.tolist() == [True, False]
    assert extents[0].tolist() == [0, 0]


def test_repeated_axes_have_no_stride():
    assert strides(np.array([[2, 3, 4], [2, 1, 4]])).tolist() == [[12, 4, 1], [4, 0, 1]]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_merged_axes_reach_the_same_elements(shape, data):
    own = [data.draw(st.sampled_from([1, extent])) for extent in shape]
    extents, steps = np.array([shape]), strides(np.array([own]))[np.newaxis]
    fewer, fewer_steps = merged(extents, steps)

    def places(extents, steps):
        axes = [np.arange(n) * step for n, step in zip(extents[0], steps[0, 0], strict=True)]
        return sum(np.meshgrid(*axes, indexing="ij")).reshape(-1).tolist()

    assert places(fewer, fewer_steps) == places(extents, steps)
