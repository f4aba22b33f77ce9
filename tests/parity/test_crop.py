"""`fn.crop` against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.running import pixels, run
from .oracle import dali_types, run_dali

SHAPES = {
    "HWC": (9, 11, 3),
    "CHW": (3, 9, 11),
    "DHWC": (5, 9, 11, 3),
    "FHWC": (5, 9, 11, 3),
    "FCHW": (5, 3, 9, 11),
    "CDHW": (3, 5, 9, 11),
    "CFHW": (3, 5, 9, 11),
    "": (9, 11, 3),
}


@pytest.mark.parametrize("rounding", ["round", "truncate"])
@pytest.mark.parametrize("policy", ["pad", "trim_to_shape"])
@pytest.mark.parametrize("crop", [(4, 5), (3, 4, 5), (12, 4), (2, 12, 20), (2.9, 0)])
@pytest.mark.parametrize("layout", SHAPES)
def test_windows(layout, crop, policy, rounding):
    samples = [pixels(*SHAPES[layout], seed=i) for i in range(4)]
    nodes = {f"crop_pos_{axis}": np.float32([0, 0.35, 0.5, 0.9]) for axis in "xyz"}
    arguments = {"crop": crop, "out_of_bounds_policy": policy, "rounding": rounding}
    arguments["fill_values"] = [7.0, 8.0, 9.0]
    ours = run("crop", samples, layout, per_sample=nodes, **arguments)
    theirs, _ = run_dali("crop", samples, layout, per_sample=nodes, **arguments)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("rounding", ["round", "truncate"])
def test_every_hundredth_position(rounding):
    positions = np.arange(101, dtype=np.float32) / np.float32(100)
    for room in (5, 10, 30, 45):
        samples = [np.arange(room + 1, dtype=np.uint8).reshape(1, -1, 1)] * 101
        arguments = {"crop": (1, 1), "rounding": rounding}
        nodes = {"crop_pos_x": positions}
        ours = run("crop", samples, "HWC", per_sample=nodes, **arguments)
        theirs, _ = run_dali("crop", samples, "HWC", per_sample=nodes, **arguments)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("source", ["float32", "float64", "int64", "int16", "uint8"])
@pytest.mark.parametrize("dtype", ["FLOAT", "FLOAT16", "UINT8"])
def test_types(dtype, source):
    values = np.array([-3.7, -0.7, 0.5, 1.9, 254.9, 300, 70000, 7])
    limits = np.iinfo(source) if source[0] in "iu" else np.finfo(source)
    sample = values.clip(limits.min, limits.max).astype(source).reshape(1, -1, 1)
    (ours,) = run("crop", [sample], "HWC", dtype=getattr(types, dtype))
    (theirs,), _ = run_dali("crop", [sample], "HWC", dtype=getattr(dali_types(), dtype))
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
