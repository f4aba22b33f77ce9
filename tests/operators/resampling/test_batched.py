"""Axes of a batch: the filters, bases and kernels of each of them alone."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from penstock.operators.resampling import Filter
from penstock.operators.resampling.batched import plan_axes, unchanged, with_bases
from penstock.operators.resampling.filters import MAX_TAPS, taps
from penstock.operators.resampling.filters import with_bases as with_bases_alone
from penstock.operators.resampling.resize import plan_axis

EDGE = st.integers(-20, 220).map(float) | st.floats(-20, 220, width=32)
AXIS = st.tuples(st.integers(1, 200), st.integers(1, 300), EDGE, EDGE)
FILTER = st.sampled_from(Filter)


def together(axes, filters, antialias):
    """Return the axes of some images as one `Axes`."""
    in_size, out_size, start, end = np.array(axes).transpose(2, 1, 0)
    chosen = tuple(np.full(len(axes), kind, np.int64) for kind in filters)
    return plan_axes(in_size.astype(int), out_size.astype(int), start, end, chosen, antialias)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(AXIS, AXIS), min_size=1, max_size=4), st.tuples(FILTER, FILTER),
    st.booleans(),
)  # fmt: skip
def test_axes_are_those_of_each_image(images, filters, antialias):
    assume(all(abs(start - end) > 1e-2 for image in images for _, _, start, end in image))
    axes = with_bases(together(images, filters, antialias), np.ones(len(images), bool))
    for i, image in enumerate(images):
        alone = with_bases_alone(*(plan_axis(*axis, *filters, antialias) for axis in image))
        for k, one in enumerate(alone):
            assert axes.filter[k, i] == one.filter
            assert axes.base[k, i] == one.base
            assert axes.scale[k, i] == one.scale
            assert axes.copies[k, i] == one.copies()
            if one.filter != Filter.NEAREST:
                support = taps(one)[1].shape[1]
                assert axes.support[k, i] == support
                assert axes.taps()[k, i] == (1 if one.copies() else min(support, one.in_size))


def test_whole_images_have_no_bases():
    axes = together([[(100, 40, 30.0, 90.0)] * 2], (Filter.LINEAR, Filter.LINEAR), True)
    assert with_bases(axes, np.ones(1, bool)).base.any()
    assert not with_bases(axes, np.zeros(1, bool)).base.any()


def test_too_many_taps():
    images = [[(9, 3, 0.0, 1e8)], [(9, 3, 0.0, 9.0)]]
    axes = together(images, (Filter.CUBIC, Filter.CUBIC), True)
    assert axes.support[0, 0] * 3 > MAX_TAPS
    assert axes.possible().tolist() == [[False, True]]


def test_slices_and_fronts():
    same = unchanged(np.array([[3, 5]]), np.array([1, 0]))
    both = same.with_front(unchanged(np.array([[7, 2]]), np.array([1, 0])))
    assert both.in_size.tolist() == both.out_size.tolist() == [[7, 2], [3, 5]]
    assert both[1:].in_size.tolist() == [[3, 5]]
    assert both.copies.all()
