"""The size arithmetic of a batch: what `plan` gives for each of its samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError
from penstock.operators.resizing.size import MODES, Region, plan
from penstock.operators.resizing.sizes import plan_all

ODD = st.sampled_from([0.0, 0.3, -7.5, math.nan, math.inf, 3e7])
NUMBERS = ODD | st.floats(0.01, 300) | st.floats(-300, -0.01)
EDGES = st.floats(-50, 250, width=32)


def rows(axes):
    pair = st.tuples(*[st.integers(1, 500)] * axes), st.tuples(*[NUMBERS] * axes)
    edges = st.tuples(*[EDGES] * axes)
    return st.lists(st.tuples(*pair, edges, edges), min_size=1, max_size=4)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(rows(2), rows(3)),
    st.sampled_from(MODES),
    st.none() | st.sampled_from([-1.0, 0.0]) | st.floats(0.1, 300),
    st.sampled_from([None, False, True]),
    st.booleans(),
)
def test_plans_are_those_of_each_sample(samples, mode, limit, relative, subpixel_scale):
    extents, requested, start, end = map(list, zip(*samples, strict=True))
    options = {
        "mode": mode,
        "max_size": None if limit is None else (limit,) * len(extents[0]),
        "subpixel_scale": subpixel_scale,
    }
    plans = plan_all(
        np.array(extents),
        np.array(requested),
        start=None if relative is None else np.array(start),
        end=None if relative is None else np.array(end),
        relative=bool(relative),
        **options,
    )
    for i, sample in enumerate(samples):
        region = None if relative is None else Region(sample[2], sample[3], relative)
        try:
            one = plan(sample[0], sample[1], region=region, **options)
        except ArgumentError:
            assert not plans.possible[i]
            continue
        assert plans.possible[i]
        assert tuple(plans.size[i]) == one.size
        assert tuple(plans.start[i]) == one.start
        assert tuple(plans.end[i]) == one.end


def test_impossible_samples_are_one_pixel():
    plans = plan_all(
        np.array([[5, 6]]), np.array([[math.nan, 3]]), mode=MODES[0], max_size=None, start=None,
        end=None, relative=False, subpixel_scale=True,
    )  # fmt: skip
    assert plans.size.tolist() == [[1, 1]]
    assert (plans.end - plans.start).tolist() == [[1, 1]]
    assert pytest.approx(0) == plans.start.sum()
