"""`random_resized_crop` on the GPU: the same windows, and pixels within rounding."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.testing.agreement import agree

from ..pictures import pictures


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
