"""`fn.slice`: starts, ends and shapes, and what lies outside."""

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError, LayoutError

from ..running import pixels, run

LINE = np.arange(5, dtype=np.uint8)
IMAGE = pixels(5, 6, 3)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"start": 1, "end": 3}, [1, 2]),
        ({"start": 1, "shape": 3}, [1, 2, 3]),
        ({"rel_start": 0.3, "rel_end": 0.7}, [2, 3]),
        ({"rel_start": 0.3, "rel_shape": 0.5}, [2, 3]),
        ({"rel_start": 0.5, "shape": 2}, [3, 4]),
        ({"start": 1, "rel_shape": 0.5}, [1, 2, 3]),
        ({"start": 3}, [3, 4]),
        ({"end": 2}, [0, 1]),
        ({"rel_shape": 0.5}, [0, 1, 2]),
        ({"start": 2, "end": 2}, []),
    ],
)
def test_named_arguments(arguments, expected):
    (result,) = run("slice", [LINE], axes=0, **arguments)
    assert result.tolist() == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("pad", [9, 9, 9, 0, 1, 2, 3, 4, 9, 9]),
        ("constant", [9, 9, 9, 0, 1, 2, 3, 4, 9, 9]),
        ("edge", [0, 0, 0, 0, 1, 2, 3, 4, 4, 4]),
        ("clamp", [0, 0, 0, 0, 1, 2, 3, 4, 4, 4]),
        ("reflect", [2, 1, 0, 0, 1, 2, 3, 4, 4, 3]),
        ("reflect_1001", [2, 1, 0, 0, 1, 2, 3, 4, 4, 3]),
        ("reflect_101", [3, 2, 1, 0, 1, 2, 3, 4, 3, 2]),
        ("wrap", [2, 3, 4, 0, 1, 2, 3, 4, 0, 1]),
        ("trim_to_shape", [0, 1, 2, 3, 4]),
    ],
)
def test_out_of_bounds(policy, expected):
    arguments = {"axes": 0, "start": -3, "end": 7, "out_of_bounds_policy": policy}
    (result,) = run("slice", [LINE], fill_values=9, **arguments)
    assert result.tolist() == expected
    (result,) = run("slice", [LINE], fill_values=9, dtype=types.FLOAT, **arguments)
    assert result.tolist() == expected
    assert result.dtype == np.float32


def test_far_outside():
    outside = {"axes": 0, "start": 7, "end": 9}
    assert run("slice", [LINE], out_of_bounds_policy="trim_to_shape", **outside)[0].size == 0
    (result,) = run("slice", [LINE], out_of_bounds_policy="pad", fill_values=9, **outside)
    assert result.tolist() == [9, 9]


@pytest.mark.parametrize(
    "arguments",
    [{}, {"axis_names": "WH"}, {"axes": (1, 0)}, {"axes": (-2, -3)}],
)
def test_which_axes(arguments):
    (result,) = run("slice", [IMAGE], "HWC", start=(1, 2), end=(3, 5), **arguments)
    np.testing.assert_array_equal(result, IMAGE[2:5, 1:3])
    assert np.shares_memory(result, IMAGE)


@pytest.mark.parametrize("ndim", [2, 3, 4])
def test_samples_without_a_layout_count_as_images(ndim):
    sample = {2: IMAGE[..., 0], 3: IMAGE, 4: IMAGE[None]}[ndim]
    (wanted,) = run(
        "slice", [sample], {2: "HW", 3: "HWC", 4: "FHWC"}[ndim], start=(1, 2), end=(3, 5)
    )
    for axes in ({}, {"axis_names": "WH"}):
        (result,) = run("slice", [sample], start=(1, 2), end=(3, 5), **axes)
        np.testing.assert_array_equal(result, wanted)


def test_other_names_need_a_layout():
    with pytest.raises(LayoutError, match="no axis 'D'"):
        run("slice", [IMAGE], start=1, end=3, axis_names="D")


def test_no_axes_are_all_axes():
    (result,) = run("slice", [IMAGE], start=(1, 2, 0), shape=(2, 2, 1), axes=())
    np.testing.assert_array_equal(result, IMAGE[1:3, 2:4, :1])


@pytest.mark.parametrize(
    ("anchor", "shape", "arguments", "expected"),
    [
        ([0.2, 0.3], [0.5, 0.5], {}, np.s_[2:4, 1:4]),
        (np.int32([1, 2]), np.int32([3, 2]), {}, np.s_[2:4, 1:4]),
        ([1.0, 2.0], [2.6, 2.4], {"normalized_anchor": 0, "normalized_shape": 0}, np.s_[2:4, 1:4]),
        ([1.0, 2.0], [0.5, 0.4], {"normalized_anchor": False}, np.s_[2:4, 1:4]),
        ([0.1, 0.4], [3.0, 2.0], {"normalized_shape": False}, np.s_[2:4, 1:4]),
    ],
)
def test_positional_inputs(anchor, shape, arguments, expected):
    anchor, shape = (
        np.asarray(v, np.float32) if isinstance(v, list) else v for v in (anchor, shape)
    )
    (result,) = run("slice", [IMAGE], "HWC", inputs=[[anchor], [shape]], **arguments)
    np.testing.assert_array_equal(result, IMAGE[expected])


def test_arguments_vary_by_sample():
    nodes = {"start": [1, 2], "axes": [0, 1]}
    first, second = run("slice", [IMAGE, IMAGE], "HWC", per_sample=nodes, shape=2)
    np.testing.assert_array_equal(first, IMAGE[1:3])
    np.testing.assert_array_equal(second, IMAGE[:, 2:4])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "no named arguments"),
        ({"start": 0, "end": 2, "shape": 2}, "end and shape exclude"),
        ({"start": 0, "rel_start": 0.1}, "start and rel_start exclude"),
        ({"start": 3, "end": 1}, "ends before it starts"),
        ({"start": 1, "end": -1}, "do not count from the back"),
        ({"start": 1, "end": 9}, "reaches out"),
        ({"start": (1, 1, 1), "end": 2}, "'start' has 3 values for 2 axes"),
        ({"start": 1, "axes": 3}, "axis 3 is outside"),
        ({"start": 1, "axes": (0, -3)}, "named twice"),
        ({"start": 1, "axes": 0, "axis_names": "W"}, "exclude one another"),
        ({"start": 1, "out_of_bounds_policy": "mirror"}, "must be 'error', .* but is 'mirror'"),
        ({"inputs": [[LINE[:2]]]}, "2 inputs"),
        ({"inputs": [[LINE[:2]], [LINE[:2]]], "start": 1}, "start"),
        ({"inputs": [[LINE[:2]], [LINE[:3]]]}, "2 and 3 values"),
        ({"inputs": [[LINE[:2]], [np.ones(2)]]}, "both be integers or both be floats"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("slice", [IMAGE], "HWC", **arguments)


def test_nothing_can_be_repeated_of_nothing():
    with pytest.raises(ArgumentError, match="nothing to repeat"):
        run("slice", [LINE[:0]], axes=0, start=-1, end=2, out_of_bounds_policy="wrap")
