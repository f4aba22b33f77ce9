from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.geometry.windows import Window, WindowBatch
from penstock.operators.indexing.crop import Crop
from penstock.operators.resize.resize import Resize
from penstock.operators.resize.resize_crop_mirror import (
    FastResizeCropMirror,
    ResizeCropMirror,
    crop_and_mirror,
    crop_and_mirror_all,
)
from penstock.operators.resize.sizing import ResizePlan, ResizePlans
from penstock.testing.agreement import agree
from penstock.tests.operators.running import apply

from ..pictures import pictures
from ..twins import assert_twins

RNG = np.random.default_rng(3)
IMAGE = RNG.integers(0, 256, (60, 81, 3), np.uint8)
# The others jump where a sample lies between two pixels, which the last bit decides.
CONTINUOUS = (
    types.INTERP_LINEAR,
    types.INTERP_CUBIC,
    types.INTERP_LANCZOS3,
    types.INTERP_TRIANGULAR,
)
CROP = {"crop": (20, 30), "crop_pos_x": 0.1, "crop_pos_y": 0.77}


def fused(image, layout="HWC", **arguments):
    return apply(ResizeCropMirror, image, layouts=(layout,), **arguments)


def one_by_one(image, layout, crop, **arguments):
    resized = apply(Resize, image, layouts=(layout,), **arguments)
    return apply(Crop, resized, layouts=(layout,), **crop)


def assert_close(result, expected):
    assert result.shape == expected.shape
    assert np.abs(result.astype(int) - expected).max() <= 1


@pytest.mark.parametrize("kind", CONTINUOUS)
@pytest.mark.parametrize(
    "way",
    [
        {"size": (41, 53)},
        {"size": (-41.4, 90)},
        {"resize_shorter": 33.3},
        {"size": (40, -50), "roi_start": (10, 10), "roi_end": (50, 70)},
    ],
    ids=str,
)
@pytest.mark.parametrize("mirror", range(4))
def test_the_same_as_one_by_one(way, mirror, kind):
    expected = one_by_one(IMAGE, "HWC", CROP, interp_type=kind, **way)
    flip = np.s_[:: -1 if mirror & 2 else 1, :: -1 if mirror & 1 else 1]
    result = fused(IMAGE, **CROP, interp_type=kind, mirror=mirror, **way)
    assert_close(result, expected[flip])


@pytest.mark.parametrize("layout", ["CHW", "FHWC", "FCHW", "HW"])
def test_layouts(layout):
    shape = {"F": 3, "H": 60, "W": 81, "C": 2}
    sample = RNG.integers(0, 256, [shape[letter] for letter in layout], np.uint8)
    expected = one_by_one(sample, layout, CROP, size=(41, 53))
    assert_close(fused(sample, layout, size=(41, 53), **CROP), expected)


def test_volume():
    volume = RNG.integers(0, 256, (6, 30, 40, 2), np.uint8)
    crop = {"crop": (2, 10, 12), "crop_pos_z": 1.0}
    expected = one_by_one(volume, "DHWC", crop, size=(4, 20, 30))
    assert_close(fused(volume, "DHWC", size=(4, 20, 30), mirror=4, **crop), expected[::-1])


def test_a_window_beyond_the_image_repeats_the_border():
    result = fused(IMAGE, size=(60, 81), crop=(80, 101))
    np.testing.assert_array_equal(result, np.pad(IMAGE, ((10, 10), (10, 10), (0, 0)), "edge"))


def test_values_per_sample():
    arguments = {"crop_pos_x": np.array(0.0), "mirror": np.array(1)}
    result = fused(IMAGE, size=(60, 81), crop=(60, 30), **arguments)
    np.testing.assert_array_equal(result, IMAGE[:, 29::-1])


def test_only_mirrors_without_a_crop():
    np.testing.assert_array_equal(fused(IMAGE, size=(60, 81), mirror=1), IMAGE[:, ::-1])


def test_the_fast_one_does_not_antialias():
    expected = apply(Resize, IMAGE, layouts=("HWC",), size=(20, 30), antialias=False)
    result = apply(FastResizeCropMirror, IMAGE, layouts=("HWC",), size=(20, 30))
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"crop": (20, 30)}, "exactly one way"),
        ({"size": 5, "crop": (20, 30), "crop_w": 4, "crop_h": 4}, "exclude one another"),
        ({"size": 5, "crop_w": 4}, "go together"),
        ({"size": 5, "save_attrs": True}, "no argument 'save_attrs'"),
    ],
)
def test_arguments_that_make_no_sense(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        ResizeCropMirror(layouts=("HWC",), **arguments)


# `resize_crop_mirror` on the GPU.
@pytest.mark.parametrize("mirror", [0, 1, 2, 3])
def test_constant_arguments(device_stage, mirror):
    agree(
        "resize_crop_mirror",
        pictures(30, 45),
        layout="HWC",
        largest=1,
        mean=0.05,
        resize_shorter=20,
        crop=(15, 17),
        crop_pos_x=0.3,
        mirror=mirror,
    )


def test_arguments_of_each_sample(device_stage):
    images = pictures(30, 45)
    rng = np.random.default_rng(1)
    agree(
        "resize_crop_mirror",
        images,
        layout="HWC",
        largest=1,
        mean=0.05,
        per_sample={
            "size": [rng.integers(20, 60, 2) for _ in images],
            "crop_w": [np.float32(10 + i) for i in range(len(images))],
            "crop_h": [np.float32(9)] * len(images),
            "crop_pos_y": list(rng.random(len(images)).astype(np.float32)),
            "mirror": [np.int32(i % 4) for i in range(len(images))],
        },
    )


def test_without_antialiasing_and_as_floats(device_stage):
    agree(
        "fast_resize_crop_mirror",
        pictures(30, 45),
        layout="HWC",
        largest=0.03,
        size=(12, 13),
        crop=(40, 10),
        dtype=types.FLOAT,
    )


def test_volumes(device_stage):
    volumes = [volume.transpose(2, 0, 1) for volume in pictures(14, 11)]
    agree("resize_crop_mirror", volumes, layout="DHW", largest=1, size=9, crop=(4, 5, 6), mirror=7)


def test_rows_that_cannot_be_cropped(device_stage):
    position = [np.float32(v) for v in (0.1, 1.5, 0.9)]
    arguments = {
        "layout": "HWC",
        "size": 20,
        "crop": (9, 9),
        "per_sample": {"crop_pos_x": position},
    }
    with pytest.raises(ValueError, match="position along W is"):
        agree("resize_crop_mirror", pictures(30, 45)[:3], **arguments)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 50), st.floats(-5, 60), st.floats(-5, 60), st.integers(-3, 9),
            st.integers(1, 50), st.booleans(),
        ),
        min_size=1, max_size=5,
    )
)  # fmt: skip
def test_plans_are_those_of_the_cpu(samples):
    def one(sample):
        size, start, end, first, extent, mirrored = ((value, value) for value in sample)
        return crop_and_mirror(ResizePlan(size, start, end), Window(first, extent), mirrored)

    def every(samples):
        columns = (np.array(column) for column in zip(*samples, strict=True))
        size, start, end, first, extent, mirrored = (np.stack([c, c], 1) for c in columns)
        whole = ResizePlans(size, start, end, np.ones(len(samples), bool))
        plans = crop_and_mirror_all(whole, WindowBatch(first, extent), mirrored)
        return plans[:3], plans.possible

    assert_twins(samples, one, every)
