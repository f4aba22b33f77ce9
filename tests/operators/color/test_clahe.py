"""`clahe`."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError

from ...gpu.operators.pictures import picture, pictures
from ..conformance import OperatorConformance
from ..running import run

TILES = {"tiles_x": 4, "tiles_y": 3, "clip_limit": 2.0}


class TestClahe(OperatorConformance):
    operator = "clahe"
    inputs = (pictures(20, 31),)
    arguments = TILES
    bad = (({"clip_limit": 0.0}, "above 0"), ({"tiles_x": 0}, "at least 1"))


def test_gray_images_and_single_channels_are_equalized_alike():
    image = picture(24, 32)
    (result,) = run("clahe", [image], "HWC", luma_only=False, **TILES)
    for channel in range(3):
        (alone,) = run("clahe", [image[..., channel : channel + 1]], "HWC", **TILES)
        np.testing.assert_array_equal(result[..., channel], alone[..., 0])


def test_the_contrast_of_tiles_grows():
    image = picture(24, 32, 1) // 8 + 100
    (result,) = run("clahe", [image], "HWC", **TILES | {"clip_limit": 10.0})
    assert result.std() > 2 * image.std()


@pytest.mark.parametrize("shape", [(0, 4, 3), (1, 1, 3), (2, 1, 1)])
def test_small_and_empty_images(shape):
    assert run("clahe", [np.full(shape, 9, np.uint8)], "HWC", **TILES)[0].shape == shape


@pytest.mark.parametrize(("shape", "dtype"), [((4, 4, 2), "u1"), ((4, 4, 3), "f4"), ((4, 4), "u1")])
def test_other_samples_are_refused(shape, dtype):
    with pytest.raises(ArgumentError, match="HWC with 1 or 3 channels"):
        run("clahe", [np.zeros(shape, dtype)], **TILES)
