"""Axes of a batch: the filters, bases and kernels of each of them alone."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from penstock.operators.resampling import Filter
from penstock.operators.resampling.batched import Axes, plan_axes, unchanged, whole_axes, with_bases
from penstock.operators.resampling.filters import MAX_TAPS, taps
from penstock.operators.resampling.filters import with_bases as with_bases_alone
from penstock.operators.resampling.resize import plan_axis

EDGE = st.integers(-20, 220).map(float) | st.floats(-20, 220, width=32)
AXIS = st.tuples(st.integers(1, 200), st.integers(1, 300), EDGE, EDGE)
FILTER = st.sampled_from(Filter)


def together(axes, filters, antialias):
    """Return the axes as one `Axes`."""
    in_size, out_size, start, end = map(np.array, zip(*axes, strict=True))
    count = len(axes)
    chosen = tuple(np.full(count, kind, np.int64) for kind in filters)
    return plan_axes(in_size, out_size, start, end, chosen, antialias)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(AXIS, AXIS), min_size=1, max_size=4), st.tuples(FILTER, FILTER),
    st.booleans(),
)  # fmt: skip
def test_axes_are_those_of_each_image(images, filters, antialias):
    assume(all(abs(start - end) > 1e-2 for image in images for _, _, start, end in image))
    rows, columns = (together(axes, filters, antialias) for axes in zip(*images, strict=True))
    regions = np.ones(len(images), bool)
    both = with_bases(rows, columns, regions)
    for i, image in enumerate(images):
        alone = with_bases_alone(*(plan_axis(*axis, *filters, antialias) for axis in image))
        for axes, one in zip(both, alone, strict=True):
            assert axes.filter[i] == one.filter
            assert axes.stretched[i] == one.stretched
            assert axes.base[i] == one.base
            assert axes.scale[i] == one.scale
            assert axes.copies[i] == one.copies()
            if one.filter != Filter.NEAREST:
                assert axes.support[i] == taps(one)[1].shape[1]
                assert axes.taps[i] == (1 if one.copies() else min(axes.support[i], one.in_size))


def test_whole_images_have_no_bases():
    axes = together([(100, 40, 30.0, 90.0)], (Filter.LINEAR, Filter.LINEAR), True)
    for one in with_bases(axes, axes, np.zeros(1, bool)):
        assert one.base.tolist() == [0]


@given(
    st.lists(st.integers(1, 700), min_size=1, max_size=9), st.integers(1, 300),
    st.tuples(FILTER, FILTER), st.booleans(),
)  # fmt: skip
def test_whole_axes_out_of_a_table(sizes, out_size, filters, antialias):
    planned = together([(size, out_size, 0.0, float(size)) for size in sizes], filters, antialias)
    kinds = tuple(map(int, filters))
    for name in Axes.__dataclass_fields__:
        found = getattr(whole_axes(np.array(sizes), out_size, kinds, antialias), name)
        assert found.dtype == getattr(planned, name).dtype
        assert (found == getattr(planned, name)).all(), name


def test_too_many_taps():
    axes = together([(9, 3, 0.0, 1e8), (9, 3, 0.0, 9.0)], (Filter.CUBIC, Filter.CUBIC), True)
    assert axes.support[0] * 3 > MAX_TAPS
    assert axes.possible().tolist() == [False, True]


def test_some_of_unchanged_axes():
    size = np.array([3, 5, 4])
    some = unchanged(size, np.array([1, 0, 2])).take(np.array([2, 0]))
    assert some.in_size.tolist() == some.out_size.tolist() == [4, 3]
    assert some.copies.all()
