"""`fn.crop_mirror_normalize` against the formula, for every way that the pixels can take."""

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.pipeline.pipeline import Pipeline

from ..running import pixels, run

MEAN, STD = (123.7, 116.3, 103.5, 99.0, 98.0), (58.4, 57.1, 57.4, 50.0, 51.0)


def expected(sample, layout, output_layout, mean, std, mirror, scale=1.0, shift=0.0):
    channels = layout.index("C")
    shape = [-1 if letter == "C" else 1 for letter in layout]
    mean, std = (np.reshape(np.array(v, np.float64), shape) for v in (mean, std))
    result = scale * (sample - mean) / std + shift
    assert result.shape[channels] == sample.shape[channels]
    if mirror:
        result = np.flip(result, layout.index("W"))
    return result.transpose([layout.index(letter) for letter in output_layout])


@pytest.mark.parametrize(
    ("dtype", "channels"),
    [
        *(("uint8", 1), ("uint8", 3), ("uint8", 5), ("int16", 3), ("int32", 1), ("float32", 5)),
        *(("float64", 3), ("uint32", 3)),
    ],
)
@pytest.mark.parametrize(
    ("layout", "output_layout"),
    [
        *(("HWC", "CHW"), ("HWC", "HWC"), ("CHW", "CHW"), ("CHW", "HWC"), ("HWC", "WCH")),
        *(("FHWC", "FCHW"), ("FHWC", "FHWC"), ("DHWC", "CDHW"), ("FDHWC", "FDCHW")),
    ],
)
def test_the_formula(device, layout, output_layout, dtype, channels):
    sizes = {"F": 2, "D": 3, "H": 7, "W": 10, "C": channels}
    sample = pixels(*(sizes[letter] for letter in layout), dtype=dtype)
    mean, std = MEAN[:channels], STD[:channels]
    for mirror in (0, 1):
        arguments = {"mean": mean, "std": std, "mirror": mirror, "scale": 2.0, "shift": 3.0}
        options = arguments | {"output_layout": output_layout}
        (result,) = run("crop_mirror_normalize", [sample], layout, device=device, **options)
        assert result.dtype == np.float32
        wanted = expected(sample, layout, output_layout, **arguments)
        np.testing.assert_allclose(result, wanted, atol=1e-4)


@pytest.mark.parametrize("source", ["uint8", "int16"])
@pytest.mark.parametrize("output_layout", ["CHW", "HWC"])
@pytest.mark.parametrize("dtype", [types.UINT8, types.INT8, types.FLOAT16])
@pytest.mark.parametrize("mean", [(110.0,), (100.0, 110.0, 120.0)])
def test_other_types_are_rounded_and_clamped(device, dtype, output_layout, source, mean):
    sample = pixels(6, 7, 3, dtype=source)
    arguments = {"mean": mean, "std": (0.3,), "mirror": 1}
    (result,) = run(
        "crop_mirror_normalize",
        [sample],
        "HWC",
        output_layout=output_layout,
        dtype=dtype,
        **arguments,
        device=device,
    )
    exact = expected(sample, "HWC", output_layout, **arguments)
    if dtype == types.FLOAT16:
        np.testing.assert_allclose(result, exact, rtol=1e-3, atol=1e-4)
        return
    limits = np.iinfo(result.dtype)
    rounded = np.trunc(exact + np.copysign(0.5, exact)).clip(limits.min, limits.max)
    assert np.abs(result - rounded).max() <= 1
    assert (result == rounded).mean() > 0.95
    assert {limits.min, limits.max} <= set(result.ravel().tolist())


def test_halves_are_rounded_away_from_zero(device):
    sample = np.array([1, 3, 5], np.uint8).reshape(1, 3, 1)
    (result,) = run(
        "crop_mirror_normalize", [sample], "HWC", mean=4, std=2, dtype=types.INT8, device=device
    )
    assert result.ravel().tolist() == [-2, -1, 1]


def test_one_pixel_wide_images(device):
    sample = pixels(9, 1, 3)
    for layout in ("CHW", "HWC"):
        (result,) = run(
            "crop_mirror_normalize", [sample], "HWC", output_layout=layout, mirror=1, device=device
        )
        np.testing.assert_array_equal(result, expected(sample, "HWC", layout, 0.0, 1.0, 1))


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[:, ::-1], np.s_[::2, ::2], np.s_[..., ::-1]])
def test_inputs_may_be_views(device, view):
    sample = pixels(8, 10, 3)[view]
    sample.flags.writeable = False
    for mirror in (0, 1):
        (result,) = run("crop_mirror_normalize", [sample], "HWC", mirror=mirror, device=device)
        np.testing.assert_array_equal(result, expected(sample, "HWC", "CHW", 0.0, 1.0, mirror))


@pytest.mark.parametrize("dtype", [types.FLOAT, types.UINT8])
@pytest.mark.parametrize("output_layout", ["CHW", "HWC"])
@pytest.mark.parametrize("mirror", [0, 1])
def test_outside_is_filled_and_not_normalised(device, mirror, output_layout, dtype):
    sample = pixels(4, 5, 3)
    (result,) = run(
        "crop_mirror_normalize",
        [sample],
        "HWC",
        crop=(6, 9),
        crop_pos_x=0.25,
        out_of_bounds_policy="pad",
        fill_values=(1, 2, 3),
        output_layout=output_layout,
        dtype=dtype,
        mirror=mirror,
        device=device,
    )
    image = result if output_layout == "HWC" else result.transpose(1, 2, 0)
    left = 3 if mirror else 1
    assert image.shape == (6, 9, 3)
    np.testing.assert_array_equal(
        image[1:5, left : left + 5], sample[:, ::-1] if mirror else sample
    )
    outside = np.ones((6, 9), bool)
    outside[1:5, left : left + 5] = False
    assert (image[outside] == (1, 2, 3)).all()


@pytest.mark.parametrize("output_layout", ["CHW", "HWC"])
@pytest.mark.parametrize("fill", [0.0, 7.0])
def test_channels_are_added(device, output_layout, fill):
    sample = pixels(4, 5, 3)
    for dtype in (types.FLOAT, types.UINT8):
        (result,) = run(
            "crop_mirror_normalize",
            [sample],
            "HWC",
            pad_output=True,
            out_of_bounds_policy="pad",
            fill_values=fill,
            output_layout=output_layout,
            dtype=dtype,
            device=device,
        )
        image = result if output_layout == "HWC" else result.transpose(1, 2, 0)
        assert image.shape == (4, 5, 4)
        np.testing.assert_array_equal(image[..., :3], sample)
        assert (image[..., 3] == fill).all()


def test_added_channels_are_zero_unless_the_policy_pads(device):
    options = {"pad_output": True, "fill_values": 7.0, "output_layout": "HWC"}
    (result,) = run("crop_mirror_normalize", [pixels(4, 5, 3)], "HWC", **options, device=device)
    assert (result[..., 3] == 0).all()


def test_mean_and_mirror_vary_by_sample(device):
    sample = pixels(4, 5, 3)
    nodes = {"mean": [(1, 2, 3), (4, 5, 6)], "mirror": [1, 0], "std": [2.0, 4.0]}
    results = run("crop_mirror_normalize", [sample] * 2, "HWC", per_sample=nodes, device=device)
    for i, result in enumerate(results):
        wanted = expected(
            sample, "HWC", "CHW", nodes["mean"][i], nodes["std"][i], nodes["mirror"][i]
        )
        np.testing.assert_allclose(result, wanted, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mean": (1, 2)}, "mean and std have 2 values, but the sample has 3 channels"),
        ({"mean": (1, 2), "std": (1, 2, 3)}, "mean has 2 values, but std has 3"),
        ({"std": (1, 0, 1)}, "no value may be 0"),
        ({"dtype": types.INT32}, "use one of float32"),
        ({"output_layout": "CWW"}, "a letter names two dimensions"),
        ({"output_layout": "FCHW"}, "the same letters"),
        ({"crop": (9, 9), "out_of_bounds_policy": "edge"}, "must be 'error'"),
    ],
)
def test_bad_arguments(device, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("crop_mirror_normalize", [pixels(4, 5, 3)], "HWC", **arguments, device=device)


def test_a_layout_that_comes_to_light_late_is_checked(device):
    with pytest.raises(ArgumentError, match="the input is 'DHWC'"):
        run("crop_mirror_normalize", [pixels(2, 4, 5, 3)], device=device)


def test_in_a_pipeline():
    image = pixels(20, 24, 3)
    pipe = Pipeline(batch_size=3, num_threads=2)
    with pipe:
        node = types.Constant(image, layout="HWC")
        pipe.set_outputs(fn.crop_mirror_normalize(node, crop=(8, 9), mean=MEAN[:3], std=STD[:3]))
        (out,) = pipe.run()
        assert out.layout() == "CHW"
        wanted = expected(image[6:14, 8:17], "HWC", "CHW", MEAN[:3], STD[:3], 0)
        np.testing.assert_allclose(out.as_array(), [wanted] * 3, atol=1e-4)


def test_added_channels_have_fill_values_of_their_own(device):
    (result,) = run(
        "crop_mirror_normalize",
        [pixels(1, 1, 3)],
        "HWC",
        crop=(1, 2),
        crop_pos_x=1.0,
        pad_output=True,
        out_of_bounds_policy="pad",
        fill_values=(1, 2, 3, 4),
        device=device,
    )
    assert result[:, 0, 0].tolist() == [1, 2, 3, 4]
    assert result[3].tolist() == [[4, 4]]
    with pytest.raises(ArgumentError, match="fill_values has 2 values"):
        run(
            "crop_mirror_normalize",
            [pixels(1, 1, 1)],
            "HWC",
            crop=(1, 2),
            out_of_bounds_policy="pad",
            fill_values=(1, 2),
            device=device,
        )
