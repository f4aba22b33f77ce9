"""`jpeg_compression_distortion`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree
from penstock.testing.operators import OperatorConformance

from ..pictures import picture
from ..running import pixels, run

IMAGES = [np.repeat(picture(20 + i, 31 - i, 1, seed=i), 3, axis=2) for i in range(3)]


class TestJpegDistortion(OperatorConformance):
    operator = "jpeg_compression_distortion"
    inputs = (IMAGES,)
    per_sample = {"quality": [5, 50, 1000]}
    bad = (({"quality": "high"}, "'quality' must be int"),)


def test_a_lower_quality_is_further_from_the_image(device):
    errors = [
        np.abs(result.astype(int) - IMAGES[0]).mean()
        for quality in (-5, 20, 60, 100)
        for result in run(
            "jpeg_compression_distortion", IMAGES[:1], "HWC", quality=quality, device=device
        )
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 2


@pytest.mark.parametrize("shape", [(1, 1, 3), (0, 4, 3), (2, 9, 5, 3), (0, 9, 5, 3)])
def test_frames_and_small_images(device, shape):
    (result,) = run("jpeg_compression_distortion", [np.full(shape, 128, np.uint8)], device=device)
    assert (result == 128).all()
    assert result.shape == shape


@pytest.mark.parametrize(
    ("sample", "layout"),
    [(np.zeros((4, 4, 1), np.uint8), ""), (np.zeros((4, 4, 3)), ""), (IMAGES[0], "DHW")],
)
def test_other_samples_are_refused(device, sample, layout):
    with pytest.raises(ArgumentError, match="needs RGB images of uint8"):
        run("jpeg_compression_distortion", [sample], layout, device=device)


@pytest.mark.parametrize("extent", [(16, 16), (17, 33), (1, 1), (2, 3), (5, 4), (31, 6), (40, 57)])
def test_the_gpu_gives_the_same_pixels(device_stage, extent):
    images = [picture(*extent, seed=3), pixels(*extent, 3), np.full((*extent, 3), 250, np.uint8)]
    for quality in (1, 10, 49, 50, 75, 95, 100):
        agree("jpeg_compression_distortion", images, layout="HWC", quality=quality)


def test_videos_on_the_gpu(device_stage):
    videos = [np.stack([picture(9, 13, seed=i), pixels(9, 13, 3)]) for i in range(3)]
    per_sample = {"quality": [np.int32(3), np.int32(60), np.int32(200)]}
    agree("jpeg_compression_distortion", videos, layout="FHWC", per_sample=per_sample)
