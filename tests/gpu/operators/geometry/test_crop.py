"""`crop` on the GPU: windows of each sample, what is outside of it, element types, bad rows."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.testing.agreement import agree, source

from .test_flip import samples

LAYOUTS = ["HWC", "CHW", "HW", "DHWC", "CDHW", "FHWC", ""]
TYPES = ["u1", "i2", "f2", "f4", "f8", "bool"]


def rows(seed, layout, dtype="u1", count=6, most=30, least=1):
    rng, channels = np.random.default_rng(seed), layout.find("C") if layout else -1
    return samples(rng, len(layout) or 3, dtype, count, most, channels, least)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("policy", ["pad", "trim_to_shape"])
def test_windows_of_each_sample(device_stage, layout, policy):
    rng = np.random.default_rng(5)
    varying = {"crop_pos_x": rng.random(6), "crop_pos_y": rng.random(6).astype(np.float32)}
    varying |= {"crop_h": rng.integers(0, 20, 6), "crop_w": rng.integers(1, 40, 6) + 0.5}
    if "F" in layout or "D" in layout:
        varying |= {"crop_pos_z": rng.random(6), "crop_d": rng.integers(0, 9, 6)}
    agree(
        "crop",
        rows(2, layout),
        layout=layout,
        per_sample=varying,
        out_of_bounds_policy=policy,
        fill_values=[7],
    )


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_every_pair_of_types(device_stage, source, target):
    extremes = [-1e300, -1e5, -2.6, -0.4, 0, 0.5, 1.5, 254.7, 300, 70000, 1e300, np.nan, np.inf]
    with np.errstate(all="ignore"):
        numbers = np.array(extremes) if source[0] == "f" else np.arange(-3, 300, 7)
        row = numbers.astype(source)[None]
    options = {"layout": "HW", "crop": (2, 12), "out_of_bounds_policy": "pad", "fill_values": [2.5]}
    agree("crop", [row, row], dtype=types.to_dali_type(np.dtype(target)), **options)


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
def test_a_fill_value_a_channel(device_stage, layout):
    shape = (5, 6, 3) if layout == "HWC" else (3, 5, 6)
    row = np.arange(90, dtype=np.uint8).reshape(shape)
    options = {"out_of_bounds_policy": "pad", "fill_values": [1, 300, -2], "layout": layout}
    agree("crop", [row, row], crop=(9, 3), **options)
    agree("crop", [row], crop=(4, 3), **options)
    agree("crop", [row], crop=(9, 8), dtype=types.INT16, **options)


@pytest.mark.parametrize("offset", range(17))
def test_every_alignment(device_stage, offset):
    rng = np.random.default_rng(offset)
    row = rng.integers(0, 255, (3, 90 + offset), np.uint8)
    for width in (1, 15, 16, 17, 40, 64):
        agree("crop", [row] * 3, layout="HW", crop=(2, width), crop_pos_x=offset / 16)


def test_the_usual_crop(device_stage):
    row = np.random.default_rng(0).integers(0, 255, (375, 500, 3), np.uint8)
    for dtype in (None, types.FLOAT, types.FLOAT16):
        agree("crop", [row] * 2, layout="HWC", crop=(224, 224), dtype=dtype)
        agree("crop", [row] * 2, layout="HWC", crop=(101, 223), crop_pos_x=0.37, dtype=dtype)


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_a_bad_row_is_replaced_and_the_others_are_right(device_stage, on_error):
    images = [np.full((8 + i, 8, 3), i, np.uint8) for i in range(4)]
    with Pipeline(batch_size=4, on_error=on_error) as pipe:
        data = source(images, "HWC").gpu()
        pipe.set_outputs(fn.crop(data, crop_h=source([4, 99, 5, 6]), crop_w=2))
        (output,) = pipe.run()
        assert output.valid.tolist() == [True, False, True, True]
        for i, height in ((0, 4), (2, 5), (3, 6)):
            np.testing.assert_array_equal(output.as_cpu().at(i), np.full((height, 2, 3), i))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"crop": (9, 2)}, r"starts at \(-1, 0, 0\) with the shape \(9, 2, 3\) reaches out"),
        ({"crop": (2, 2), "crop_pos_x": 1.5}, "position along W is 1.5"),
        ({"crop": (1, 2, 3, 4)}, "give \\(height, width\\)"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, arguments, message):
    for device in ("cpu", "gpu"):
        with Pipeline(batch_size=1) as pipe:
            data = source([np.zeros((8, 2, 3), "u1")], "HWC")
            data = data.gpu() if device == "gpu" else data
            pipe.set_outputs(fn.crop(data, **arguments))
            with pytest.raises(ValueError, match=message):
                pipe.run()


def test_float64_is_rounded_to_float16_once(device_stage):
    above_a_tie = 1 + 2**-11 + 2**-40
    samples = [np.array([[above_a_tie, -above_a_tie, 1e300]]).reshape(1, 3, 1)]
    (results,) = agree("crop", samples, layout="HWC", crop=(1, 3), dtype=types.FLOAT16)
    assert results[0].reshape(-1).tolist() == [1 + 2**-10, -1 - 2**-10, 65504]
