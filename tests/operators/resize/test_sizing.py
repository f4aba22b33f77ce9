"""The size arithmetic, by hand-worked cases; tests/parity compares thousands with DALI's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError
from penstock.operators.resize.sizing import MODES, MOST_GROWTH, Region, plan_resize, plan_resizes

from ..twins import assert_twins

ODD = st.sampled_from([0.0, 0.3, -7.5, math.nan, math.inf, 3e7])
NUMBERS = ODD | st.floats(0.01, 300) | st.floats(-300, -0.01)
EDGES = st.floats(-50, 250, width=32)
EXTENTS = st.tuples(st.integers(1, 5000), st.integers(1, 5000))
SIZES = st.floats(-3000, 3000, width=32).filter(lambda x: x == 0 or abs(x) > 0.01)


@pytest.mark.parametrize(
    ("mode", "requested", "size"),
    [
        ("default", (480, 640), (480, 640)),
        ("default", (480, 0), (480, 853)),
        ("default", (0, 640), (360, 640)),
        ("stretch", (480, 0), (480, 1280)),
        ("not_larger", (480, 640), (360, 640)),
        ("not_larger", (0, 640), (360, 640)),
        ("not_smaller", (480, 640), (480, 853)),
        ("not_smaller", (100, 1280), (720, 1280)),
        ("default", (0, 0), (720, 1280)),
        ("not_larger", (0, 0), (720, 1280)),
    ],
)
def test_modes(mode, requested, size):
    assert plan_resize((720, 1280), requested, mode=mode).size == size


@pytest.mark.parametrize(
    ("mode", "max_size", "size"),
    [
        ("not_smaller", (1400.0, 1400.0), (1400, 700)),  # the example in DALI's documentation
        ("not_smaller", (0.0, 650.0), (1300, 650)),
        ("not_larger", (700.0, 700.0), (700, 350)),
        ("default", (700.0, 0.0), (700, 800)),
        ("stretch", (-1.0, 799.6), (800, 800)),
    ],
)
def test_max_size(mode, max_size, size):
    assert plan_resize((1200, 600), (800, 800), mode=mode, max_size=max_size).size == size


def test_missing_depth_scales_by_the_geometric_mean():
    assert plan_resize((10, 100, 100), (0, 200, 800)).size == (40, 200, 800)


def test_halves_round_up_and_nothing_vanishes():
    assert plan_resize((10, 10), (2.5, 3.5)).size == (3, 4)
    assert plan_resize((10, 10), (0.2, -0.3)).size == (1, 1)


def test_negative_extents_mirror():
    assert plan_resize((10, 20), (-5, 30)) == ((5, 30), (10, 0), (0, 20))
    assert plan_resize((10, 20), (-5, 0)) == ((5, 10), (10, 0), (0, 20))
    assert plan_resize((10, 20), (-5, -5), mode="not_smaller") == ((5, 10), (10, 20), (0, 0))


def test_negative_zero_is_zero():
    assert plan_resize((10, 20), (5, -0.0), mode="not_larger") == ((5, 10), (0, 0), (10, 20))


def test_reversed_region_and_negative_extent_cancel_out():
    region = Region((8.0, 15.0), (2.0, 5.0), False)
    assert plan_resize((10, 20), (-3, 5), region=region) == ((3, 5), (2, 15), (8, 5))


def test_relative_region():
    region = Region((0.25, 0.5), (0.75, 0.0), True)
    assert plan_resize((40, 20), (10, 0), region=region) == ((10, 5), (10, 10), (30, 0))


def test_subpixel_scale_keeps_the_scale_about_the_middle():
    assert plan_resize((100, 100), (2.5, 3.75)).start[0] == -10  # 3 results, 40 pixels each
    assert plan_resize((100, 100), (2.5, 3.75)).end[0] == 110
    stretched = plan_resize((100, 100), (2.5, 3.75), subpixel_scale=False)
    assert stretched == ((3, 4), (0, 0), (100, 100))


@pytest.mark.parametrize(("start", "end"), [(5.0, 5.0), (5.0, 5.0004), (5.0, 4.9996)])
def test_thin_regions_are_widened(start, end):
    made = plan_resize((10, 10), (4, 4), region=Region((start, 0.0), (end, 10.0), False))
    assert abs(made.end[0] - made.start[0]) == pytest.approx(abs(end - start) + 1e-3, rel=1e-2)
    assert (made.end[0] > made.start[0]) == (end >= start)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite(value):
    with pytest.raises(ArgumentError, match="finite"):
        plan_resize((10, 10), (4, value))
    with pytest.raises(ArgumentError, match="finite"):
        plan_resize((10, 10), (4, 4), region=Region((0.0, value), (5.0, 5.0), False))


def test_absurd_sizes():
    with pytest.raises(ArgumentError, match="longest"):
        plan_resize((10, 10), (1e9, 0))
    with pytest.raises(ArgumentError, match="longest"):
        plan_resize((10, 10_000_000), (1000, 0))
    with pytest.raises(ArgumentError, match="most pixels"):
        plan_resize((10, 10), (1e7, 1e7))


def possible(extents, requested, mode, subpixel_scale):
    try:
        return plan_resize(extents, requested, mode=mode, subpixel_scale=subpixel_scale)
    except ArgumentError:  # only a scale of thousands makes a result that large
        assume(False)
        raise


@given(EXTENTS, st.tuples(SIZES, SIZES), st.sampled_from(MODES), st.booleans())
def test_every_plan_can_be_made(extents, requested, mode, subpixel):
    made = possible(extents, requested, mode, subpixel)
    assert min(made.size) >= 1
    for start, end, extent, asked in zip(made.start, made.end, extents, requested, strict=True):
        assert (start > end) == (asked < 0)
        if not subpixel:
            assert {start, end} == {0, extent}


@given(
    EXTENTS,
    st.tuples(SIZES, SIZES).filter(all),
    st.sampled_from(("not_larger", "not_smaller")),
)
def test_aspect_ratio_is_kept(extents, requested, mode):
    made = possible(extents, requested, mode, True)
    shown = [abs(b - a) for a, b in zip(made.start, made.end, strict=True)]
    grown = max(part / extent for part, extent in zip(shown, extents, strict=True))
    assume(grown < 0.999 * MOST_GROWTH)  # the region of an axis of less than a pixel is limited
    scales = [size / part for size, part in zip(made.size, shown, strict=True)]
    assert scales[0] == pytest.approx(scales[1], rel=1e-3)
    for size, asked in zip(made.size, requested, strict=True):
        assert size <= abs(asked) + 1 if mode == "not_larger" else size >= abs(asked) - 1


def test_regions_that_vanish_in_float32():
    region = Region((4e7, 0.0), (4e7, 9.0), relative=False)
    with pytest.raises(ArgumentError, match="has no extent in float32"):
        plan_resize((10, 10), (5, 5), region=region)


def samples_of(axes):
    columns = (st.integers(1, 500), NUMBERS, EDGES, EDGES)
    return st.lists(
        st.tuples(*(st.tuples(*[column] * axes) for column in columns)), min_size=1, max_size=4
    )


@given(
    st.one_of(samples_of(2), samples_of(3)),
    st.sampled_from(MODES),
    st.none() | st.sampled_from([-1.0, 0.0]) | st.floats(0.1, 300),
    st.sampled_from([None, False, True]),
    st.booleans(),
)
def test_the_plans_of_a_batch_are_those_of_each_sample(
    samples, mode, limit, relative, subpixel_scale
):
    options = {
        "mode": mode,
        "max_size": None if limit is None else (limit,) * len(samples[0][0]),
        "subpixel_scale": subpixel_scale,
    }

    def one(sample):
        extents, requested, start, end = sample
        region = None if relative is None else Region(start, end, relative)
        return plan_resize(extents, requested, region=region, **options)

    def every(samples):
        extents, requested, start, end = map(np.array, zip(*samples, strict=True))
        edges = {} if relative is None else {"start": start, "end": end}
        plans = plan_resizes(
            extents, requested, relative=bool(relative), **{"start": None, "end": None} | edges,
            **options,
        )  # fmt: skip
        return (plans.size, plans.start, plans.end), plans.possible

    assert_twins(samples, one, every)


def test_impossible_samples_of_a_batch_are_one_pixel():
    plans = plan_resizes(
        np.array([[5, 6]]), np.array([[math.nan, 3]]), mode=MODES[0], max_size=None, start=None,
        end=None, relative=False, subpixel_scale=True,
    )  # fmt: skip
    assert plans.size.tolist() == [[1, 1]]
    assert (plans.end - plans.start).tolist() == [[1, 1]]
    assert plans.start.sum() == 0
