from __future__ import annotations

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError
from penstock.geometry.random_crop import CropRanges, random_window
from penstock.operators.resize.cpu_resample import resample
from penstock.operators.resize.filters import Filter
from penstock.operators.resize.random_resized_crop import RandomResizedCrop
from penstock.testing.agreement import agree
from penstock.tests.operators.running import RubbishWorkspace

from ..pictures import pictures

RNG = np.random.default_rng(5)
IMAGE = RNG.integers(0, 256, (60, 80, 3), np.uint8)
VIDEO = RNG.integers(0, 256, (3, 60, 80, 3), np.uint8)
RANGES = CropRanges((0.08, 1.0), (3 / 4, 4 / 3), 10)


def cropped(image, seed=0, layout="HWC", **arguments):
    operator = RandomResizedCrop(layouts=(layout,), **arguments)
    constants = {k: getattr(operator, k) for k, p in operator.params.items() if p.per_sample}
    row = RubbishWorkspace()
    row.random = np.random.default_rng(seed).random(operator.random_count)
    return operator.sample(row, image, **constants)


@pytest.mark.parametrize("seed", range(10))
def test_the_window_fills_the_result(seed):
    numbers = np.random.default_rng(seed).random(22)
    window = random_window(60, 80, RANGES, numbers)
    expected = resample(IMAGE, (32, 24), roi=window)
    np.testing.assert_array_equal(cropped(IMAGE, seed, size=(32, 24)), expected)


def test_whole_image():
    arguments = {"random_area": (1, 1), "random_aspect_ratio": (4 / 3, 4 / 3)}
    np.testing.assert_array_equal(cropped(IMAGE, size=(60, 80), **arguments), IMAGE)


def test_one_number_stands_for_both():
    assert cropped(IMAGE, size=32).shape == (32, 32, 3)
    assert cropped(IMAGE, size=(32,)).shape == (32, 32, 3)


def test_filters_and_type():
    window = random_window(60, 80, RANGES, np.random.default_rng(1).random(22))
    expected = resample(
        IMAGE, (90, 10), roi=window, min_filter=Filter.CUBIC, mag_filter=Filter.NEAREST,
        antialias=False, dtype=np.float32,
    )  # fmt: skip
    result = cropped(
        IMAGE, 1, size=(90, 10), interp_type=types.INTERP_CUBIC, mag_filter=types.INTERP_NN,
        antialias=False, dtype=types.FLOAT,
    )  # fmt: skip
    np.testing.assert_array_equal(result, expected)


def test_frames_and_channels_show_the_same_window():
    video = cropped(VIDEO, 2, "FHWC", size=(20, 30))
    for frame, result in zip(VIDEO, video, strict=True):
        np.testing.assert_array_equal(result, cropped(frame, 2, size=(20, 30)))
    planes = cropped(IMAGE.transpose(2, 0, 1), 2, "CHW", size=(20, 30))
    np.testing.assert_array_equal(planes.transpose(1, 2, 0), cropped(IMAGE, 2, size=(20, 30)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "'size' must be given"),
        ({"size": (0, 5)}, "size must be"),
        ({"size": (5, -5)}, "size must be"),
        ({"size": (5, 6, 7)}, "size must be"),
        ({"size": 5, "random_area": (-0.1, 1)}, "random_area"),
        ({"size": 5, "random_aspect_ratio": (2, 1)}, "random_aspect_ratio"),
        ({"size": 5, "num_attempts": 0}, "num_attempts"),
    ],
)
def test_arguments_that_make_no_sense(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        RandomResizedCrop(layouts=("HWC",), **arguments)


def test_volumes_are_refused():
    with pytest.raises(ArgumentError, match="no volumes"):
        cropped(VIDEO, 0, "DHWC", size=5)
    with pytest.raises(ArgumentError, match="no volumes"):
        cropped(VIDEO[None], 0, "", size=5)


def test_in_a_pipeline(photo_tree):
    @pipeline_def(batch_size=8, num_threads=2, seed=3)
    def pictures():
        encoded, _ = fn.readers.file(file_root=photo_tree.root)
        return fn.random_resized_crop(fn.decoders.image(encoded), size=(48, 64), seed=9)

    def first(**options):
        with pictures(**options) as pipeline:
            return np.array(pipeline.run()[0].as_array())

    batch = first()
    assert batch.shape == (8, 48, 64, 3)
    assert batch.std() > 10
    np.testing.assert_array_equal(first(num_threads=1), batch)


# `random_resized_crop` on the GPU: the same windows, and pixels within rounding.
@pytest.mark.parametrize("antialias", [True, False])
def test_photographs(device_stage, antialias):
    images = pictures(60, 90) * 4
    agree(
        "random_resized_crop",
        images,
        layout="HWC",
        largest=1,
        mean=0.05,
        seed=5,
        size=(24, 32),
        antialias=antialias,
    )


def test_windows_are_the_same(device_stage):
    places = [np.arange(60 * 90, dtype=np.int32).reshape(60, 90)] * 16
    for area in ((0.08, 1), (0.9, 1), (0.0, 1.25), (2, 3)):
        agree(
            "random_resized_crop",
            places,
            layout="HW",
            seed=5,
            size=16,
            random_area=area,
            num_attempts=2,
            interp_type=types.INTERP_NN,
        )


def test_videos(device_stage):
    videos = [np.stack([image, image[::-1]]) for image in pictures(30, 40)]
    agree("random_resized_crop", videos, layout="FHWC", largest=1, mean=0.05, seed=5, size=(20, 10))


def test_errors(device_stage):
    with pytest.raises(ValueError, match="no volumes"):
        agree("random_resized_crop", [np.zeros((4, 5, 6), np.uint8)], layout="DHW", size=3)
    with pytest.raises(ValueError, match="has no pixels"):
        agree("random_resized_crop", [np.zeros((4, 0), np.uint8)], layout="HW", size=3)
