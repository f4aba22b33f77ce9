"""`fn.crop_mirror_normalize` against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.running import pixels, run
from .oracle import dali_types, run_dali

NAME = "crop_mirror_normalize"
MEAN, STD = [123.7, 116.3, 103.5], [58.4, 57.1, 57.4]


def compare(samples, layout, tolerance, dtype="FLOAT", **arguments):
    ours = run(NAME, samples, layout, dtype=getattr(types, dtype), **arguments)
    theirs, _ = run_dali(NAME, samples, layout, dtype=getattr(dali_types(), dtype), **arguments)
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(
            a.astype(np.float64), b.astype(np.float64), atol=tolerance, rtol=1e-6
        )


@pytest.mark.parametrize("source", ["uint8", "int16", "uint16", "int32", "float32", "float16"])
@pytest.mark.parametrize(
    ("layout", "output_layout"),
    [
        *(("HWC", "CHW"), ("HWC", "HWC"), ("CHW", "CHW"), ("CHW", "HWC"), ("", "CHW")),
        *(("FHWC", "FCHW"), ("FHWC", "FHWC"), ("DHWC", "CDHW"), ("CFHW", "FHWC")),
    ],
)
def test_layouts_and_types(layout, output_layout, source):
    sizes = {"F": 2, "D": 4, "H": 15, "W": 20, "C": 3}
    shape = [sizes[letter] for letter in layout or "HWC"]
    samples = [pixels(*shape, dtype=source, seed=i) for i in range(2)]
    nodes = {"mirror": np.int32([0, 1]), "crop_pos_x": np.float32([0.1, 0.8])}
    compare(
        samples,
        layout,
        1e-4,
        per_sample=nodes,
        crop=(8, 9),
        mean=MEAN,
        std=STD,
        output_layout=output_layout,
    )


@pytest.mark.parametrize("policy", ["pad", "trim_to_shape"])
@pytest.mark.parametrize("output_layout", ["CHW", "HWC"])
@pytest.mark.parametrize("mirror", [0, 1])
@pytest.mark.parametrize("pad_output", [False, True])
def test_outside(mirror, output_layout, policy, pad_output):
    compare(
        [pixels(8, 9, 3), pixels(3, 20, 3)],
        "HWC",
        1e-4,
        crop=(6, 12),
        out_of_bounds_policy=policy,
        fill_values=5.0,
        pad_output=pad_output,
        output_layout=output_layout,
        mirror=mirror,
        mean=MEAN,
        std=STD,
    )


@pytest.mark.parametrize("policy", ["error", "pad"])
@pytest.mark.parametrize("values", [7.0, [1.0, 2.0, 3.0, 4.0]])
def test_added_channels(values, policy):
    arguments = {"pad_output": True, "out_of_bounds_policy": policy, "fill_values": values}
    compare([pixels(8, 9, 3)], "HWC", 1e-4, output_layout="HWC", mean=MEAN, **arguments)


@pytest.mark.parametrize(("dtype", "tolerance"), [("UINT8", 1), ("INT8", 1), ("FLOAT16", 0.13)])
@pytest.mark.parametrize("source", ["uint8", "float32"])
@pytest.mark.parametrize("output_layout", ["CHW", "HWC"])
def test_other_result_types(output_layout, source, dtype, tolerance):
    sample = pixels(16, 17, 3, dtype=source)
    compare(
        [sample],
        "HWC",
        tolerance,
        dtype,
        mean=MEAN,
        std=STD,
        scale=64.0,
        shift=100.0,
        output_layout=output_layout,
    )


@pytest.mark.parametrize("dtype", ["UINT8", "INT8", "FLOAT16"])
def test_exact_numbers_are_rounded_alike(dtype):
    sample = (np.arange(512, dtype=np.float32) / 2 - 128).reshape(8, 64, 1)
    compare([sample], "HWC", 0, dtype)


def test_mean_and_std_vary_by_sample():
    nodes = {"mean": np.float32([MEAN, STD]), "std": np.float32([STD, MEAN])}
    compare([pixels(6, 7, 3)] * 2, "HWC", 1e-4, per_sample=nodes)
