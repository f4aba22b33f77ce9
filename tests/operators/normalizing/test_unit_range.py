"""Mean and deviation of images from 0 to 1, and bytes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from penstock import fn, pipeline_def, types

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
ARRAYS = {"mean": np.float32([[MEAN]]), "stddev": np.float32([[STD]])}


def batches(function, arguments, dtype, device, count=1):
    """Run a pipeline of one operator on images of a dtype."""

    @pipeline_def(batch_size=2, num_threads=2, device_id=0 if device == "gpu" else None)
    def normalized():
        images = fn.external_source(lambda: np.ones((2, 6, 5, 3), dtype), layout="HWC")
        images = images.gpu() if device == "gpu" else images
        return function(images, **arguments)

    with normalized() as pipe:
        for _ in range(count):
            pipe.run()


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (fn.crop_mirror_normalize, {"mean": MEAN, "std": STD}),
        (fn.normalize, ARRAYS),
    ],
)
def test_one_warning(function, arguments, device):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        batches(function, arguments, np.uint8, device, count=3)
    (warning,) = (each for each in seen if "mean and deviation" in str(each.message))
    assert function.__name__ in str(warning.message)
    assert "255" in str(warning.message)


@pytest.mark.parametrize(
    ("function", "arguments", "dtype"),
    [
        (fn.crop_mirror_normalize, {"mean": MEAN, "std": STD}, np.float32),
        (fn.crop_mirror_normalize, {"mean": MEAN, "std": STD, "scale": 255.0}, np.uint8),
        (fn.crop_mirror_normalize, {"mean": [124.0] * 3, "std": [58.0] * 3}, np.uint8),
        (fn.crop_mirror_normalize, {"mean": [0.5], "std": [0.5]}, np.uint8),
        (fn.crop_mirror_normalize, {"dtype": types.FLOAT}, np.uint8),
        (fn.normalize, ARRAYS, np.float32),
        (fn.normalize, {}, np.uint8),
    ],
)
def test_no_warning(function, arguments, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batches(function, arguments, dtype, "cpu")
