"""`clahe`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree
from penstock.testing.operators import OperatorConformance

from ..pictures import picture, pictures
from ..running import pixels, run

TILES = {"tiles_x": 4, "tiles_y": 3, "clip_limit": 2.0}


class TestClahe(OperatorConformance):
    operator = "clahe"
    inputs = (pictures(20, 31),)
    arguments = TILES
    bad = (({"tiles_y": -1}, "at least 1"), ({"tiles_x": 0}, "at least 1"))


class TestEachChannel(OperatorConformance):
    operator = "clahe"
    inputs = (pictures(33, 24),)
    arguments = {"luma_only": False, "tiles_x": 1, "tiles_y": 2, "clip_limit": 1e9}


class TestVideosOfGray(OperatorConformance):
    operator = "clahe"
    layout = "FHWC"
    inputs = ([np.stack([picture(9, 8 + i, 1, seed=f) for f in range(2)]) for i in range(3)],)
    arguments = {"tiles_x": 3, "tiles_y": 1, "clip_limit": 0.01}


class TestTinyImages(OperatorConformance):
    operator = "clahe"
    inputs = ([pixels(*size, 3, seed=1) for size in ((1, 1), (2, 1), (1, 5))],)
    arguments = {"tiles_x": 3, "tiles_y": 2, "clip_limit": 2.0}


class TestEveryColor(OperatorConformance):
    """Colors far and near, so that the conversion to Lab and back agrees everywhere."""

    operator = "clahe"
    inputs = ([pixels(70, 70, 3, seed=i) // step for i, step in enumerate((1, 3, 12))],)
    arguments = {"tiles_x": 2, "tiles_y": 2, "clip_limit": 3.0}


class TestOtherSamples(OperatorConformance):
    operator = "clahe"
    inputs = ([pixels(4, 4, channels) for channels in (1, 3, 2)],)
    arguments = TILES
    bad = (({}, "HWC with 1 or 3 channels, but the sample is uint8, 'HWC' of the shape"),)
    test_rows_agree_in_dtype_dimensions_and_layout = None
    test_results_depend_on_neither_threads_nor_batch_size = None
    test_views_give_what_contiguous_samples_give = None
    test_other_layouts_give_the_same_or_are_refused = None
    test_the_gpu_agrees = None
    test_batches_are_right_beside_queued_work = None


def test_images_of_one_and_of_three_channels_share_a_batch(device_stage):
    images = [picture(20, 31, 1), picture(31, 20, 3), np.zeros((0, 4, 3), np.uint8)]
    agree("clahe", images, layout="HWC", arguments=TILES)


def test_a_limit_above_all_pixels_cuts_nothing(device):
    image = picture(24, 32)
    (wanted,) = run("clahe", [image], "HWC", **TILES | {"clip_limit": 256.0}, device=device)
    for limit in (1e12, 0.0, -1.0):
        (result,) = run("clahe", [image], "HWC", **TILES | {"clip_limit": limit}, device=device)
        np.testing.assert_array_equal(result, wanted)


def test_gray_images_and_single_channels_are_equalized_alike(device):
    image = picture(24, 32)
    (result,) = run("clahe", [image], "HWC", luma_only=False, **TILES, device=device)
    for channel in range(3):
        (alone,) = run("clahe", [image[..., channel : channel + 1]], "HWC", **TILES, device=device)
        np.testing.assert_array_equal(result[..., channel], alone[..., 0])


def test_the_contrast_of_tiles_grows(device):
    image = picture(24, 32, 1) // 8 + 100
    (result,) = run("clahe", [image], "HWC", **TILES | {"clip_limit": 10.0}, device=device)
    assert result.std() > 2 * image.std()


@pytest.mark.parametrize("shape", [(0, 4, 3), (1, 1, 3), (2, 1, 1)])
def test_small_and_empty_images(device, shape):
    assert (
        run("clahe", [np.full(shape, 9, np.uint8)], "HWC", **TILES, device=device)[0].shape == shape
    )


@pytest.mark.parametrize(("shape", "dtype"), [((4, 4, 2), "u1"), ((4, 4, 3), "f4"), ((4, 4), "u1")])
def test_other_samples_are_refused(device, shape, dtype):
    with pytest.raises(ArgumentError, match="HWC with 1 or 3 channels"):
        run("clahe", [np.zeros(shape, dtype)], **TILES, device=device)
