"""`fn.crop`: where the window lies, what is outside, and element types."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, source

from ..running import make, pixels, run
from .test_flip import samples

IMAGE = pixels(5, 6, 3)


@pytest.mark.parametrize(
    ("layout", "crop", "expected"),
    [
        ("HWC", (2, 3), np.s_[2:4, 2:5]),
        ("", (2, 3), np.s_[2:4, 2:5]),
        ("CHW", (2, 1), np.s_[:, 2:4, 1:2]),
        ("HWC", (9, 2, 3), np.s_[2:4, 2:5]),  # no depth to crop
        ("HWC", (0, 2), np.s_[:, 2:4]),
        ("HWC", (2.9, 3.9), np.s_[2:4, 2:5]),
    ],
)
def test_the_window_lies_in_the_middle(layout, crop, expected):
    (result,) = run("crop", [IMAGE], layout, crop=crop)
    np.testing.assert_array_equal(result, IMAGE[expected])
    assert np.shares_memory(result, IMAGE)


@pytest.mark.parametrize(("layout", "axis"), [("FHWC", 0), ("DHWC", 0), ("CDHW", 1), ("CFHW", 1)])
def test_depth_is_that_of_volumes_or_the_number_of_frames(device, layout, axis):
    sample = pixels(4, 5, 6, 7)
    (result,) = run(
        "crop", [sample], layout, crop_d=2, crop_h=3, crop_w=1, crop_pos_z=1.0, device=device
    )
    assert result.shape[axis] == 2
    offset = sample.shape[axis] - 2
    (whole,) = run("crop", [sample], layout, crop_h=3, crop_w=1, device=device)
    np.testing.assert_array_equal(result, whole.take([offset, offset + 1], axis))


@pytest.mark.parametrize(
    ("rounding", "room", "position", "start"),
    [
        ("round", 5, 0.5, 3),
        ("round", 5, 0.49, 2),
        ("truncate", 5, 0.5, 2),
        ("round", -3, 0.5, -2),
        ("truncate", -3, 0.5, -1),
        ("truncate", 10, 0.9, 8),  # 0.9 is a little less in float32
    ],
)
def test_rounding(rounding, room, position, start):
    crop = make("crop", "HWC", crop=(1, 20), rounding=rounding, out_of_bounds_policy="pad")
    window = crop.window("HWC", (1, 20 + room, 3), **arguments_of(crop, crop_pos_x=position))
    assert window.start == (0, start, 0)


def arguments_of(operator, **changed):
    given = {k: getattr(operator, k) for k, p in operator.params.items() if p.per_sample}
    return {**given, **changed}


def test_arguments_vary_by_sample(device):
    nodes = {"crop": [(2, 2), (4, 1)], "crop_pos_x": [0.0, 1.0]}
    first, second = run("crop", [IMAGE, IMAGE], "HWC", per_sample=nodes, device=device)
    np.testing.assert_array_equal(first, IMAGE[2:4, :2])
    np.testing.assert_array_equal(second, IMAGE[1:5, 5:])


def test_outside_is_filled(device):
    arguments = {"crop": (7, 6), "out_of_bounds_policy": "pad"}
    (result,) = run("crop", [IMAGE], "HWC", fill_values=[1, 2, 300], **arguments, device=device)
    np.testing.assert_array_equal(result[1:6], IMAGE)
    assert (result[[0, 6]] == (1, 2, 255)).all()
    (result,) = run(
        "crop", [IMAGE], "HWC", fill_values=1.5, dtype=types.FLOAT, **arguments, device=device
    )
    assert (result[0] == 1.5).all()
    assert result.dtype == np.float32


def test_trim_takes_what_there_is(device):
    (result,) = run(
        "crop", [IMAGE], "HWC", crop=(9, 2), out_of_bounds_policy="trim_to_shape", device=device
    )
    np.testing.assert_array_equal(result, IMAGE[:, 2:4])


def test_types_are_converted_by_cutting_off(device):
    sample = np.array([-3.7, 0.9, 254.9, 300, np.nan], np.float32).reshape(1, 5, 1)
    (result,) = run("crop", [sample], "HWC", dtype=types.UINT8, device=device)
    assert result.ravel().tolist() == [0, 0, 254, 255, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"crop": (2, 2), "crop_h": 1}, "exclude one another"),
        ({"crop_h": 1}, "go together"),
        ({"crop_d": 1}, "go together"),
        ({"crop": (2, 2), "rounding": "up"}, "must be 'round' or 'truncate', but is 'up'"),
        ({"crop": (2, 2), "out_of_bounds_policy": "wrap"}, "must be 'error', 'constant', 'pad' or"),
        ({"crop": 2}, "height, width"),
        ({"crop": (0.5, 0.5)}, "fn.crop: the crop has the extent 0.5; extents count pixels"),
        ({"crop_h": 0.2, "crop_w": 5}, "fn.crop: the crop has the extent 0.2"),
        ({"crop": (2, 2), "crop_pos_x": 1.1}, r"along W is 1.1; it must lie in \[0, 1\]"),
        ({"crop": (9, 2)}, "reaches out"),
        (
            {"crop": (9, 9), "out_of_bounds_policy": "pad", "fill_values": (1, 2)},
            "fill_values has 2 values",
        ),
        ({"crop": (1e30, 2)}, "the crop has the extent 1e[+]30; extents count pixels, [0-9]+ at"),
        ({"crop": (1e9, 1e9), "out_of_bounds_policy": "pad"}, "more than 1099511627776 elements"),
    ],
)
def test_bad_arguments(device, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("crop", [IMAGE], "HWC", **arguments, device=device)


@pytest.mark.parametrize(("layout", "shape"), [("", (5,)), ("HWC", (5, 6))])
def test_a_sample_must_fit_its_layout(device, layout, shape):
    with pytest.raises(ArgumentError, match="layout"):
        run("crop", [np.zeros(shape)], layout, crop=(1, 1), device=device)


def test_in_a_pipeline():
    pipe = Pipeline(batch_size=3, num_threads=2)
    with pipe:
        image = types.Constant(IMAGE, layout="HWC")
        pipe.set_outputs(fn.crop(image, crop=(2, 3), crop_pos_x=types.Constant(1.0)))
        (out,) = pipe.run()
        assert out.layout() == "HWC"
        np.testing.assert_array_equal(out.as_array(), [IMAGE[2:4, 3:]] * 3)


# `crop` on the GPU: windows of each sample, what is outside of it, element types, bad rows.
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
