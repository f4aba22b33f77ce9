"""Slices: how their arguments become windows, alone and as a batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError
from penstock.engine.graph.rules import Input
from penstock.engine.tensors import TensorListCPU
from penstock.geometry.slices import SliceArguments, from_arguments

from ..operators.running import batch_of
from ..operators.twins import assert_twins

WAYS = [
    ("start", "end"), ("start", "shape"), ("rel_start", "rel_end"), ("rel_start", "rel_shape"),
    ("start", "rel_shape"), ("rel_start", "shape"), ("end",), ("rel_shape",), ("start",),
]  # fmt: skip
NUMBER = {
    "start": st.integers(-9, 30),
    "end": st.integers(-9, 60),
    "shape": st.integers(0, 40),
    "rel_start": st.floats(-1, 1, width=32),
    "rel_end": st.floats(-1, 2, width=32),
    "rel_shape": st.floats(0, 2, width=32),
}


class SlicedFrame(SliceArguments):
    """The arguments of a slice, without an operator's work."""

    name = "sliced_frame"
    inputs = ("data", Input("anchor", optional=True), Input("shape_input", optional=True))


def sliced(*layouts, **constants):
    return SlicedFrame("cpu", (), layouts or ("HWC",), **constants)


@pytest.mark.slow
@given(st.data(), st.sampled_from(WAYS))
def test_the_slices_of_a_batch_are_those_of_each_sample(data, names):
    columns = [st.tuples(*[NUMBER[name]] * 2) for name in names]
    samples = data.draw(
        st.lists(st.tuples(st.tuples(*[st.integers(0, 40)] * 2), *columns), min_size=1, max_size=5)
    )
    operator = sliced(axes=(0, 1), **dict.fromkeys(names, (0, 0)))

    def one(sample):
        shape, *values = sample
        return operator.window("HW", shape, axes=(0, 1), **dict(zip(names, values, strict=True)))

    def every(samples):
        shapes, *values = map(np.array, zip(*samples, strict=True))
        named = dict(zip(names, map(TensorListCPU, values), strict=True))
        batch = batch_of(len(samples))
        windows = operator.windows(batch, "HW", shapes, axes=(0, 1), **named)
        return windows, ~np.isin(np.arange(len(samples)), list(batch.errors))

    assert_twins(samples, one, every)


def test_ends_are_not_rounded_yet():
    assert from_arguments([10, 8], rel_start=(0.25, 0.5), rel_shape=(0.5, 0.25)) == (
        [2.5, 4.0],
        [7.5, 6.0],
    )
    assert from_arguments([10, 8]) == ((0, 0), [10, 8])


def test_a_window_along_named_axes():
    operator = sliced(axis_names="W", start=2, shape=3)
    assert operator.window("HWC", (9, 8, 3), axes=(), start=(2,), shape=(3,)) == (
        (0, 2, 0),
        (9, 3, 3),
    )


def test_inputs_are_fractions_if_they_are_floats():
    operator = sliced("HW", "", "", axes=(0, 1))
    anchor, shape = np.array([0.5, 0.25]), np.array([0.25, 0.5])
    assert operator.window("HW", (8, 12), anchor, shape, axes=(0, 1)) == ((4, 3), (2, 6))
    pixels = anchor.astype(int) + 1, shape.astype(int) + 2
    assert operator.window("HW", (8, 12), *pixels, axes=(0, 1)) == ((1, 1), (2, 2))


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({}, "was given 1 inputs and no named"),
        ({"start": 1, "rel_start": 0.5}, "start and rel_start exclude one another"),
        ({"end": 1, "shape": 1}, "end and shape exclude one another"),
        ({"start": 1, "axes": 0, "axis_names": "W"}, "axes and axis_names exclude"),
    ],
)
def test_arguments_that_contradict_one_another(constants, message):
    with pytest.raises(ArgumentError, match=message):
        sliced(**constants)


def test_a_slice_that_ends_before_it_starts():
    operator = sliced(start=5, end=2)
    with pytest.raises(ArgumentError, match="ends before it starts"):
        operator.window("HW", (9, 9), axes=(0,), start=(5,), end=(2,))


def test_inputs_of_a_batch():
    operator = sliced("HW", "", "", axes=(0, 1))
    anchors, shapes = np.array([[0.5, 0.25], [0, 0.5]]), np.array([[0.25, 0.5], [1, 0.5]])
    ends = TensorListCPU(anchors), TensorListCPU(shapes)
    windows = operator.windows(batch_of(2), "HW", np.array([[8, 12], [6, 4]]), *ends, axes=(0, 1))
    assert windows.start.tolist() == [[4, 3], [0, 2]]
    assert windows.shape.tolist() == [[2, 6], [6, 2]]


def test_inputs_of_a_batch_that_do_not_fit_are_errors_of_their_rows():
    operator = sliced("HW", "", "", axes=(0, 1))
    anchors = TensorListCPU([np.array([0.5, 0.25]), np.array([0.5])])
    batch, shapes = batch_of(2), TensorListCPU(np.array([[0.25, 0.5]] * 2))
    windows = operator.windows(batch, "HW", np.array([[8, 12]] * 2), anchors, shapes, axes=(0, 1))
    assert windows.window_at(0) == ((4, 3), (2, 6))
    assert list(batch.errors) == [1]
    assert "give one value for each" in str(batch.errors[1])
