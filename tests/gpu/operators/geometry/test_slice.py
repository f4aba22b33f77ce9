"""`slice` on the GPU: all ways of saying what is taken, and all policies."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types

from ...agreement import agree, source
from .test_crop import rows


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
