"""`hsv`, `hue`, `saturation` and `color_twist`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import source
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

IMAGES = [pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)]
VIDEOS = [pixels(2, 6 + i, 9 - i, 3, seed=i) for i in range(3)]


class TestColorTwist(OperatorConformance):
    operator = "color_twist"
    inputs = (IMAGES,)
    arguments = {"hue": 20.0, "brightness": 1.2}
    per_sample = {
        "hue": np.float32([0, -90, 33, 400]),
        "saturation": np.float32([0, 1, 2, 0.5]),
        "brightness": np.float32([0, 1, 2, 0.5]),
        "contrast": np.float32([0, 1, 2, 0.5]),
    }
    bad = (
        ({"hue": np.nan}, "not finite"),
        ({"hue": [np.float32(np.nan)] * 4}, "'hue' .*not finite"),
        ({"image_type": types.GRAY}, "'image_type' must be RGB or BGR, but is GRAY"),
    )
    largest = 1


class TestHsv(OperatorConformance):
    operator = "hsv"
    layout = "FHWC"
    inputs = (VIDEOS,)
    arguments = {"dtype": types.INT16}
    per_sample = {
        "hue": np.float32([10, 20, -5]),
        "value": np.float32([0.1, 1, 300]),
        "saturation": np.float32([0, 1, 2]),
    }
    largest = 1


class TestHue(OperatorConformance):
    operator = "hue"
    inputs = ([image.astype(np.float32) / 255 for image in IMAGES],)
    arguments = {"hue": 70.0, "image_type": types.BGR}
    largest = 1e-6


class TestSaturation(OperatorConformance):
    operator = "saturation"
    inputs = ([image.astype(np.float16) for image in IMAGES],)
    arguments = {"saturation": 0.3, "dtype": types.UINT8}
    largest = 1


class TestOneChannel(OperatorConformance):
    operator = "hue"
    inputs = ([pixels(4, 4, 1, seed=i) for i in range(3)],)
    bad = (({}, r"fn.hue needs images whose last axis has 3 channels"),)
    test_rows_agree_in_dtype_dimensions_and_layout = None
    test_results_depend_on_neither_threads_nor_batch_size = None
    test_views_give_what_contiguous_samples_give = None
    test_other_layouts_give_the_same_or_are_refused = None
    test_the_gpu_agrees = None
    test_batches_are_right_beside_queued_work = None


def test_nothing_changes_by_default(device):
    for name in ("hsv", "hue", "saturation", "color_twist"):
        (result,) = run(name, [IMAGES[0]], "HWC", device=device)
        np.testing.assert_array_equal(result, IMAGES[0])


@pytest.mark.parametrize("huge", [3e6, 1e30])
def test_huge_factors_of_bytes_give_the_limits(device, huge):
    grays = np.uint8([[[level] * 3 for level in (0, 1, 120, 255)]])
    for name, arguments, wanted in (
        ("hsv", {"value": huge}, [0, 255, 255, 255]),
        ("color_twist", {"brightness": -huge}, [0, 0, 0, 0]),
        ("color_twist", {"contrast": huge}, [0, 0, 0, 255]),
    ):
        (result,) = run(name, [grays], "HWC", device=device, **arguments)
        assert result[0].tolist() == [[level] * 3 for level in wanted]


def test_no_saturation_is_gray(device):
    (result,) = run("saturation", [IMAGES[0]], "HWC", saturation=0.0, device=device)
    assert np.ptp(result.astype(int), axis=-1).max() <= 2  # digits of YIQ


def test_bgr_is_rgb_with_swapped_channels(device):
    arguments = {"hue": 50.0, "contrast": 0.7, "saturation": 1.4}
    (rgb,) = run("color_twist", [IMAGES[0]], "HWC", **arguments, device=device)
    (bgr,) = run(
        "color_twist",
        [IMAGES[0][..., ::-1]],
        "HWC",
        image_type=types.BGR,
        **arguments,
        device=device,
    )
    np.testing.assert_array_equal(bgr[..., ::-1], rgb)


def test_hsv_gives_bytes_unless_told_otherwise(device):
    image = IMAGES[0].astype(np.float32)
    assert run("hsv", [image], "HWC", device=device)[0].dtype == np.uint8
    assert run("hsv", [image], "HWC", dtype=types.FLOAT, device=device)[0].dtype == np.float32
    assert run("hue", [image], "HWC", device=device)[0].dtype == np.float32


def test_each_frame_may_have_its_number(device):
    hues = [np.float32([10, 20, 30]), np.float32([-40, 5])]
    videos = [pixels(len(own), 4, 5, 3, seed=len(own)) for own in hues]
    with Pipeline(batch_size=2, num_threads=2) as pipe:
        data, numbers = source(videos, "FHWC"), source(hues)
        data = data.gpu() if device == "gpu" else data
        pipe.set_outputs(fn.hue(data, hue=fn.per_frame(numbers)))
        rows = [np.array(row) for row in pipe.run()[0].as_cpu().rows()]
    for row, video, own in zip(rows, videos, hues, strict=True):
        for frame, image, hue in zip(row, video, own, strict=True):
            (alone,) = run("hue", [image], "HWC", hue=float(hue))
            assert np.abs(frame.astype(int) - alone).max() <= (device == "gpu")


def test_channels_must_come_last(device):
    with pytest.raises(ArgumentError, match="'CHW'"):
        run("hsv", [pixels(3, 4, 5)], "CHW", device=device)


@pytest.mark.parametrize("shape", [(1, 1, 3), (0, 5, 3), (2, 0, 5, 3), (0, 2, 5, 3)])
def test_small_and_empty_images(device, shape):
    (result,) = run("color_twist", [np.zeros(shape, np.uint8)], hue=10.0, device=device)
    assert result.shape == shape
