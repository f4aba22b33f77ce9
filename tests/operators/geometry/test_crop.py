"""`fn.crop`: where the window lies, what is outside, and element types."""

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.run.pipeline import Pipeline

from ..running import make, pixels, run

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
def test_depth_is_that_of_volumes_or_the_number_of_frames(layout, axis):
    sample = pixels(4, 5, 6, 7)
    (result,) = run("crop", [sample], layout, crop_d=2, crop_h=3, crop_w=1, crop_pos_z=1.0)
    assert result.shape[axis] == 2
    offset = sample.shape[axis] - 2
    (whole,) = run("crop", [sample], layout, crop_h=3, crop_w=1)
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


def test_arguments_vary_by_sample():
    nodes = {"crop": [(2, 2), (4, 1)], "crop_pos_x": [0.0, 1.0]}
    first, second = run("crop", [IMAGE, IMAGE], "HWC", per_sample=nodes)
    np.testing.assert_array_equal(first, IMAGE[2:4, :2])
    np.testing.assert_array_equal(second, IMAGE[1:5, 5:])


def test_outside_is_filled():
    arguments = {"crop": (7, 6), "out_of_bounds_policy": "pad"}
    (result,) = run("crop", [IMAGE], "HWC", fill_values=[1, 2, 300], **arguments)
    np.testing.assert_array_equal(result[1:6], IMAGE)
    assert (result[[0, 6]] == (1, 2, 255)).all()
    (result,) = run("crop", [IMAGE], "HWC", fill_values=1.5, dtype=types.FLOAT, **arguments)
    assert (result[0] == 1.5).all()
    assert result.dtype == np.float32


def test_trim_takes_what_there_is():
    (result,) = run("crop", [IMAGE], "HWC", crop=(9, 2), out_of_bounds_policy="trim_to_shape")
    np.testing.assert_array_equal(result, IMAGE[:, 2:4])


def test_types_are_converted_by_cutting_off():
    sample = np.array([-3.7, 0.9, 254.9, 300, np.nan], np.float32).reshape(1, 5, 1)
    for name in ("dtype", "output_dtype"):
        (result,) = run("crop", [sample], "HWC", **{name: types.UINT8})
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
        ({"dtype": types.UINT8, "output_dtype": types.UINT8}, "exclude one another"),
        (
            {"crop": (9, 9), "out_of_bounds_policy": "pad", "fill_values": (1, 2)},
            "fill_values has 2 values",
        ),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("crop", [IMAGE], "HWC", **arguments)


@pytest.mark.parametrize(("layout", "shape"), [("", (5,)), ("HWC", (5, 6))])
def test_a_sample_must_fit_its_layout(layout, shape):
    with pytest.raises(ArgumentError, match="layout"):
        run("crop", [np.zeros(shape)], layout, crop=(1, 1))


def test_in_a_pipeline():
    pipe = Pipeline(batch_size=3, num_threads=2)
    with pipe:
        image = types.Constant(IMAGE, layout="HWC")
        pipe.set_outputs(fn.crop(image, crop=(2, 3), crop_pos_x=types.Constant(1.0)))
        (out,) = pipe.run()
        assert out.layout() == "HWC"
        np.testing.assert_array_equal(out.as_array(), [IMAGE[2:4, 3:]] * 3)
