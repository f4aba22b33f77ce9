"""`fn.slice` against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.running import pixels, run
from .oracle import dali_types, run_dali

NAMES = [
    *(("start", "end"), ("start", "shape"), ("start", "rel_shape"), ("start", "rel_end")),
    *(("rel_start", "end"), ("rel_start", "shape"), ("rel_start", "rel_shape")),
    *(("rel_start", "rel_end"), ("start",), ("rel_start",), ("end",), ("rel_end",)),
    *(("shape",), ("rel_shape",)),
]


def draw(name, count, seed):
    """Return values for `name` that do not end before they start."""
    random = np.random.default_rng(seed)
    low, high = {"start": (0, 0.4), "end": (0.6, 1.0), "shape": (0.01, 0.5)}[name.split("_")[-1]]
    values = random.uniform(low, high, (count, 2)).round(2)
    return values.astype(np.float32) if "rel" in name else (values * 20).astype(np.int32)


def compare(samples, layout, **arguments):
    ours = run("slice", samples, layout, **arguments)
    theirs, _ = run_dali("slice", samples, layout, **arguments)
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("axes", [{}, {"axes": (0, 1)}, {"axis_names": "CH"}, {"axes": (-1, 0)}])
def test_named_arguments(axes, names):
    random = np.random.default_rng(1)
    samples = [pixels(*random.integers(25, 31, 3), seed=i) for i in range(40)]
    nodes = {name: draw(name, 40, seed) for seed, name in enumerate(names)}
    compare(samples, "HWC", per_sample=nodes, out_of_bounds_policy="trim_to_shape", **axes)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("names", [("rel_start", "rel_shape"), ("start", "shape")])
def test_positional_inputs(names, normalized):
    random = np.random.default_rng(1)
    samples = [pixels(*random.integers(25, 31, 3), seed=i) for i in range(60)]
    anchor, shape = (draw(name, 60, seed) for seed, name in enumerate(names))
    if not normalized and names[0] == "rel_start":
        anchor, shape = anchor * 20, shape * 20
    compare(
        samples,
        "HWC",
        inputs=[anchor, shape],
        normalized_anchor=normalized,
        normalized_shape=normalized,
        out_of_bounds_policy="trim_to_shape",
    )


@pytest.mark.parametrize(
    "policy",
    [
        *("constant", "pad", "edge", "clamp", "reflect", "reflect_1001", "reflect_101"),
        *("wrap", "trim_to_shape"),
    ],
)
@pytest.mark.parametrize("dtype", [None, "FLOAT", "UINT8"])
@pytest.mark.parametrize("extent", [1, 2, 5])
def test_out_of_bounds(policy, extent, dtype):
    sample = pixels(extent, 4, 3, dtype="int16")
    where = {"start": (-7, 1), "end": (13, 9), "axes": (0, 1), "out_of_bounds_policy": policy}
    (ours,) = run("slice", [sample], "HWC", dtype=dtype and getattr(types, dtype), **where)
    if dtype:
        where["dtype"] = getattr(dali_types(), dtype)
    (theirs,), _ = run_dali("slice", [sample], "HWC", **where)
    np.testing.assert_array_equal(ours, theirs)
