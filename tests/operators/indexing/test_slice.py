"""`fn.slice`: starts, ends and shapes, and what lies outside."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError, LayoutError
from penstock.testing.agreement import agree, source

from ..running import pixels, run
from .test_crop import rows

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
def test_named_arguments(device, arguments, expected):
    (result,) = run("slice", [LINE], axes=0, **arguments, device=device)
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
def test_out_of_bounds(device, policy, expected):
    arguments = {"axes": 0, "start": -3, "end": 7, "out_of_bounds_policy": policy}
    (result,) = run("slice", [LINE], fill_values=9, **arguments, device=device)
    assert result.tolist() == expected
    (result,) = run("slice", [LINE], fill_values=9, dtype=types.FLOAT, **arguments, device=device)
    assert result.tolist() == expected
    assert result.dtype == np.float32


def test_far_outside(device):
    outside = {"axes": 0, "start": 7, "end": 9}
    assert (
        run("slice", [LINE], out_of_bounds_policy="trim_to_shape", **outside, device=device)[0].size
        == 0
    )
    (result,) = run(
        "slice", [LINE], out_of_bounds_policy="pad", fill_values=9, **outside, device=device
    )
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
def test_samples_without_a_layout_count_as_images(device, ndim):
    sample = {2: IMAGE[..., 0], 3: IMAGE, 4: IMAGE[None]}[ndim]
    (wanted,) = run(
        "slice",
        [sample],
        {2: "HW", 3: "HWC", 4: "FHWC"}[ndim],
        start=(1, 2),
        end=(3, 5),
        device=device,
    )
    for axes in ({}, {"axis_names": "WH"}):
        (result,) = run("slice", [sample], start=(1, 2), end=(3, 5), **axes, device=device)
        np.testing.assert_array_equal(result, wanted)


def test_other_names_need_a_layout(device):
    with pytest.raises(LayoutError, match="no axis 'D'"):
        run("slice", [IMAGE], start=1, end=3, axis_names="D", device=device)


def test_no_axes_are_all_axes(device):
    (result,) = run("slice", [IMAGE], start=(1, 2, 0), shape=(2, 2, 1), axes=(), device=device)
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
def test_positional_inputs(device, anchor, shape, arguments, expected):
    anchor, shape = (
        np.asarray(v, np.float32) if isinstance(v, list) else v for v in (anchor, shape)
    )
    (result,) = run("slice", [IMAGE], "HWC", inputs=[[anchor], [shape]], **arguments, device=device)
    np.testing.assert_array_equal(result, IMAGE[expected])


def test_arguments_vary_by_sample(device):
    nodes = {"start": [1, 2], "axes": [0, 1]}
    first, second = run("slice", [IMAGE, IMAGE], "HWC", per_sample=nodes, shape=2, device=device)
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
        ({"rel_end": 1e30}, "reaches out"),
        ({"rel_end": 1e30, "out_of_bounds_policy": "pad"}, "more than 1099511627776 elements"),
        ({"rel_end": 1e30, "out_of_bounds_policy": "reflect_101"}, "more than 1099511627776 elem"),
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
def test_bad_arguments(device, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("slice", [IMAGE], "HWC", **arguments, device=device)


def test_nothing_can_be_repeated_of_nothing(device):
    with pytest.raises(ArgumentError, match="nothing to repeat"):
        run(
            "slice", [LINE[:0]], axes=0, start=-1, end=2, out_of_bounds_policy="wrap", device=device
        )


# `slice` on the GPU: all ways of saying what is taken, and all policies.
def tall():
    """Return samples of at least six rows and columns."""
    return rows(9, "HWC", least=6)


POLICIES = ["pad", "trim_to_shape", "edge", "clamp", "wrap", "reflect", "reflect_101"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("layout", ["HWC", "CHW", "HW"])
def test_policies(device_stage, policy, layout):
    rng = np.random.default_rng(4)
    varying = {"start": rng.integers(-40, 10, (6, 2)), "shape": rng.integers(0, 70, (6, 2))}
    agree(
        "slice",
        rows(1, layout, most=12),
        layout=layout,
        axis_names="WH",
        per_sample=varying,
        out_of_bounds_policy=policy,
    )


@pytest.mark.parametrize("policy", ["pad", "edge", "wrap", "reflect", "reflect_101"])
def test_wide_windows(device_stage, policy):
    image = np.random.default_rng(2).integers(0, 255, (90, 111, 3), np.uint8)
    options = {"start": (-20, -9), "shape": (151, 110), "out_of_bounds_policy": policy}
    agree("slice", [image, image[:50], image[:, :7]], layout="HWC", axis_names="WH", **options)
    if policy == "pad":
        filled = {"fill_values": [1, 2, 3], "dtype": types.FLOAT}
        agree("slice", [image] * 2, layout="HWC", axis_names="WH", **options, **filled)


@pytest.mark.parametrize("dtype", [types.FLOAT, types.INT8])
def test_policies_with_another_type(device_stage, dtype):
    options = {"axes": [0], "start": [-3], "end": [9], "out_of_bounds_policy": "reflect_101"}
    agree("slice", rows(3, "HWC"), dtype=dtype, **options)


@pytest.mark.parametrize("dtype", [None, types.UINT8, types.INT16, types.FLOAT, types.FLOAT64])
@pytest.mark.parametrize("kind", ["u1", "i2", "f4", "f8"])
def test_policies_with_elements_of_all_sizes(device_stage, kind, dtype):
    data = [np.random.default_rng(n).integers(0, 99, (3, n, 3)).astype(kind) for n in (1, 8, 45)]
    options = {"axis_names": "W", "start": [-11], "shape": [70], "dtype": dtype}
    for policy in ("pad", "edge", "wrap", "reflect"):
        agree("slice", data, layout="HWC", out_of_bounds_policy=policy, **options)


@pytest.mark.parametrize(
    "names",
    [
        ("start", "end"),
        ("start", "shape"),
        ("start",),
        ("end",),
        ("shape",),
        ("rel_start", "rel_end"),
        ("rel_start", "rel_shape"),
        ("rel_start",),
        ("rel_end",),
        ("rel_shape",),
        ("start", "rel_end"),
        ("rel_start", "shape"),
        ("start", "rel_shape"),
    ],
)
@pytest.mark.parametrize("varies", [False, True])
def test_ways(device_stage, names, varies):
    rng = np.random.default_rng(len(names))
    choices = {
        "start": rng.integers(0, 3, (6, 2)),
        "end": rng.integers(5, 20, (6, 2)),
        "shape": rng.integers(0, 9, (6, 2)),
        "rel_start": rng.choice([0, 0.1, 0.25, 0.35, 0.5], (6, 2)),
        "rel_end": rng.choice([0.5, 0.65, 0.75, 0.9, 1], (6, 2)).astype(np.float32),
        "rel_shape": rng.choice([0.2, 0.3, 0.5], (6, 2)),
    }
    given = {name: choices[name] for name in names}
    constants = {} if varies else {name: value[0] for name, value in given.items()}
    agree(
        "slice",
        tall(),
        axes=[0, 1],
        per_sample=given if varies else {},
        out_of_bounds_policy="pad",
        **constants,
    )


def test_one_value_serves_all_axes(device_stage):
    agree("slice", tall(), axes=[0, 1], rel_start=0.25, rel_shape=0.5)


def test_axes_of_each_sample(device_stage):
    axes = [[0, 1], [1, 0], [0, 1], [1, 0], [1, -3], [0, 1]]
    varying = {"axes": axes, "start": [[1, 2]] * 6}
    agree("slice", tall(), per_sample=varying, out_of_bounds_policy="pad")


@pytest.mark.parametrize("kind", [np.int32, np.float32, np.float64])
@pytest.mark.parametrize("normalized", [True, False])
def test_anchor_and_shape(device_stage, kind, normalized):
    rng = np.random.default_rng(8)
    scale = 0.1 if normalized and kind is not np.int32 else 1
    anchors = (rng.integers(0, 5, (6, 2)) * scale).astype(kind)
    shapes = (rng.integers(0, 5, (6, 2)) * scale).astype(kind)
    data = rows(6, "HWC", "f4")
    flags = {"normalized_anchor": normalized, "normalized_shape": normalized}
    results = []
    for on_gpu in (0, 1, 3):
        with Pipeline(batch_size=6) as pipe:
            nodes = [source(rows) for rows in (data, anchors, shapes)]
            nodes[:on_gpu] = [node.gpu() for node in nodes[:on_gpu]]
            pipe.set_outputs(fn.slice(*nodes, out_of_bounds_policy="pad", **flags))
            results.append([np.array(row) for row in pipe.run()[0].as_cpu().rows()])
    for wanted, *same in zip(*results, strict=True):
        for row in same:
            np.testing.assert_array_equal(row, wanted)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": [5], "end": [2], "axes": [0]}, "ends before it starts"),
        ({"start": [1, 2, 3], "axes": [0]}, "has 3 values for 1 axes"),
        ({"start": [1], "axes": [7]}, "outside of"),
        ({"end": [99], "axes": [0]}, "reaches out"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, arguments, message):
    for device in ("cpu", "gpu"):
        with Pipeline(batch_size=1) as pipe:
            data = source([np.zeros((8, 2, 3), "u1")])
            data = data.gpu() if device == "gpu" else data
            pipe.set_outputs(fn.slice(data, **arguments))
            with pytest.raises(ValueError, match=message):
                pipe.run()


def test_nothing_to_repeat(device_stage):
    with Pipeline(batch_size=1) as pipe:
        data = source([np.zeros((0, 2), "u1")]).gpu()
        pipe.set_outputs(fn.slice(data, end=[3], axes=[0], out_of_bounds_policy="edge"))
        with pytest.raises(ValueError, match="nothing to repeat"):
            pipe.run()
