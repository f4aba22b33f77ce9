"""Resampled axes: the filter, the input samples and the weights, alone and as a batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penstock.operators.resize.axes import (
    AXES,
    COPY,
    MAX_TAPS,
    ResampledAxis,
    choose_filter,
    nearest_indices,
    plan_axes,
    plan_axis,
    taps,
    unchanged_axes,
    whole_axes,
)
from penstock.operators.resize.filters import Filter

from ..twins import assert_twins

EDGE = st.integers(-20, 220).map(float) | st.floats(-20, 220, width=32)
AXIS = st.tuples(st.integers(1, 200), st.integers(1, 300), EDGE, EDGE)
FILTER = st.sampled_from(Filter)

WEIGHING = [Filter.LINEAR, Filter.CUBIC, Filter.LANCZOS3, Filter.GAUSSIAN]


def whole(in_size: int, out_size: int, chosen: Filter, stretched: bool = False) -> ResampledAxis:
    return ResampledAxis(in_size, out_size, 0.0, float(in_size), chosen, stretched)


@pytest.mark.parametrize(
    ("extent", "out_size", "antialias", "expected"),
    [
        (10, 5, True, (Filter.CUBIC, True)),
        (10, 5, False, (Filter.CUBIC, False)),
        (10, 10, True, (Filter.LANCZOS3, False)),
        (10, 20, True, (Filter.LANCZOS3, False)),
        (9.5, 10, True, (Filter.LANCZOS3, False)),
        (10.5, 10, True, (Filter.CUBIC, True)),
    ],
)
def test_shrinking_axes_take_the_min_filter(extent, out_size, antialias, expected):
    assert choose_filter(extent, out_size, Filter.CUBIC, Filter.LANCZOS3, antialias) == expected


def test_triangular_is_linear_and_nearest_is_never_stretched():
    triangular, nearest = Filter.TRIANGULAR, Filter.NEAREST
    assert choose_filter(10, 5, triangular, triangular, True) == (Filter.LINEAR, True)
    assert choose_filter(10, 5, triangular, triangular, False) == (Filter.LINEAR, False)
    assert choose_filter(10, 5, nearest, nearest, True) == (Filter.NEAREST, False)


@pytest.mark.parametrize("chosen", WEIGHING)
@pytest.mark.parametrize(("in_size", "out_size"), [(7, 7), (7, 3), (3, 7), (100, 1), (1, 5)])
def test_weights_of_every_sample_add_up_to_one(chosen, in_size, out_size):
    first, weights = taps(whole(in_size, out_size, chosen, stretched=out_size < in_size))
    assert first.shape == (out_size,)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)


def test_linear_weights_are_the_distances_to_both_neighbors():
    first, weights = taps(whole(4, 8, Filter.LINEAR))
    np.testing.assert_array_equal(first, [-1, 0, 0, 1, 1, 2, 2, 3])
    np.testing.assert_allclose(weights, [[0.25, 0.75], [0.75, 0.25]] * 4)


def test_cubic_weights_are_catmull_roms():
    _, weights = taps(whole(4, 8, Filter.CUBIC))
    # Keys' kernel, a = -1/2, a quarter of a pixel off: (-9, 111, 29, -3) / 128.
    np.testing.assert_allclose(weights[1], np.array([-9, 111, 29, -3]) / 128, atol=1e-6)


def test_stretching_widens_the_support_by_the_reduction():
    assert taps(whole(100, 25, Filter.LANCZOS3, stretched=True))[1].shape == (25, 24)
    assert taps(whole(100, 25, Filter.LANCZOS3))[1].shape == (25, 6)


def test_nearest_takes_the_pixel_under_the_center_of_the_sample():
    axis = whole(10, 4, Filter.NEAREST)
    for stepwise in (False, True):
        np.testing.assert_array_equal(nearest_indices(axis, stepwise=stepwise), [1, 3, 6, 8])


def test_nearest_mirrored_and_clamped():
    axis = ResampledAxis(10, 4, 12.0, 4.0, Filter.NEAREST, False)
    np.testing.assert_array_equal(nearest_indices(axis, stepwise=False), [9, 9, 7, 5])


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (ResampledAxis(10, 10, 0.0, 10.0, Filter.LINEAR, False), True),
        (ResampledAxis(10, 10, 10.0, 0.0, Filter.CUBIC, False), True),
        (ResampledAxis(10, 5, 2.0, 7.0, Filter.LANCZOS3, False), True),
        (ResampledAxis(10, 3, 0.5, 9.0, Filter.NEAREST, False), True),
        (ResampledAxis(10, 10, 0.0, 10.0, Filter.GAUSSIAN, False), False),
        (ResampledAxis(10, 5, 2.5, 7.5, Filter.LINEAR, False), False),
        (ResampledAxis(10, 5, -1.0, 4.0, Filter.LINEAR, False), False),
        (ResampledAxis(10, 5, 0.0, 10.0, Filter.LINEAR, False), False),
    ],
)
def test_axes_that_only_copy_are_recognized(axis, expected):
    assert axis.copies is expected


def test_a_region_too_large_to_weigh_is_refused():
    axis = ResampledAxis(100, 50, 0.0, 1e9, Filter.LINEAR, True)
    with pytest.raises(ValueError, match="choose a region nearer"):
        taps(axis)


def together(axes, filters, antialias):
    """Return the records of axes."""
    in_size, out_size, start, end = map(np.array, zip(*axes, strict=True))
    chosen = tuple(np.full(len(axes), number, np.int64) for number in filters)
    return plan_axes(in_size, out_size, start, end, chosen, antialias)


@given(st.lists(AXIS, min_size=1, max_size=4), st.tuples(FILTER, FILTER), st.booleans())
def test_the_axes_of_a_batch_are_those_of_each_image(axes, filters, antialias):
    assume(all(abs(start - end) > 1e-2 for _, _, start, end in axes))

    def one(axis):
        alone = plan_axis(*axis, filters, antialias)
        support = 1 if alone.filter is Filter.NEAREST else taps(alone)[1].shape[1]
        weighed = 1 if alone.copies else min(support, alone.in_size)
        negative = alone.filter in (Filter.CUBIC, Filter.LANCZOS3)
        sizes = alone.in_size, alone.out_size
        return (*sizes, alone.scale, alone.copies, support, weighed, negative)

    def every(axes):
        made = together(axes, filters, antialias)
        fields = [made[name] for name in ("inputs", "outputs", "scale")]
        fields += [made["way"] == COPY, made["support"], made["taps"], made["negative"]]
        return tuple(fields), made["possible"]

    assert_twins(axes, one, every)


@given(
    st.lists(st.integers(1, 700), min_size=1, max_size=9), st.integers(1, 300),
    st.tuples(FILTER, FILTER), st.booleans(),
)  # fmt: skip
def test_whole_axes_out_of_a_table(sizes, out_size, filters, antialias):
    planned = together([(size, out_size, 0.0, float(size)) for size in sizes], filters, antialias)
    looked_up = whole_axes(1023, out_size, tuple(map(int, filters)), antialias)[sizes]
    for name in AXES.names:
        assert (looked_up[name] == planned[name]).all(), name


def test_too_many_taps():
    axes = together([(9, 3, 0.0, 1e8), (9, 3, 0.0, 9.0)], (Filter.CUBIC, Filter.CUBIC), True)
    assert axes["support"][0] * 3 > MAX_TAPS
    assert axes["possible"].tolist() == [False, True]


def test_unchanged_axes():
    axes = unchanged_axes(np.array([3, 5, 4]))
    assert axes["inputs"].tolist() == axes["outputs"].tolist() == [3, 5, 4]
    assert (axes["way"] == COPY).all()
