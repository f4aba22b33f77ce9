"""`grid_mask`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run


class TestGridMask(OperatorConformance):
    operator = "grid_mask"
    inputs = ([pixels(20 + i, 31 - i, 3, seed=i) for i in range(3)],)
    arguments = {"tile": 7, "angle": 0.3}
    per_sample = {
        "tile": [5, 9, 12],
        "ratio": np.float32([0.3, 0.5, 1.5]),
        "shift_x": np.float32([1, 2.5, -40]),
        "shift_y": np.float32([1, 2.5, -40]),
        "angle": np.float32([0, 1, -2]),
    }
    bad = (
        ({"tile": 0}, "at least 1"),
        ({"tile": [1, 0, 5]}, "tile is 0; it must be at least 1"),
        ({"ratio": [np.float32(np.nan)] * 3}, "'ratio' .*not finite"),
    )


class TestPlanesOfVideos(OperatorConformance):
    operator = "grid_mask"
    layout = "FCHW"
    inputs = ([pixels(2, 5, 9 + i, 8, seed=i).astype(np.float32) for i in range(3)],)
    arguments = {"tile": 4, "ratio": 0.4}


def test_squares(device):
    (result,) = run("grid_mask", [np.ones((8, 12), np.uint8)], tile=4, ratio=0.5, device=device)
    wanted = np.ones((2, 4, 3, 4), np.uint8)
    wanted[:, :2, :, :2] = 0
    np.testing.assert_array_equal(result, wanted.reshape(8, 12))


@pytest.mark.parametrize(
    ("shape", "layout"),
    [((8, 9), "HW"), ((8, 9, 1), "HWC"), ((8, 9, 7), "HWC"), ((3, 8, 9), "CHW")],
)
def test_the_mask_is_the_same_for_all_channels(device, shape, layout):
    (result,) = run(
        "grid_mask", [np.ones(shape, np.int16)], layout, tile=5, angle=0.5, device=device
    )
    (plain,) = run("grid_mask", [np.ones((8, 9), np.int16)], "HW", tile=5, angle=0.5, device=device)
    first = layout.index("H")
    planes = np.moveaxis(result, (first, first + 1), (-2, -1))
    np.testing.assert_array_equal(planes, np.broadcast_to(plain, planes.shape))


@pytest.mark.parametrize("shape", [(0, 4, 3), (1, 1, 3), (2, 0, 5, 3)])
def test_small_and_empty_images(device, shape):
    (result,) = run("grid_mask", [np.ones(shape, np.uint8)], ratio=0.0, device=device)
    assert result.tolist() == np.ones(shape).tolist()


def test_images_of_other_layouts_are_refused(device):
    with pytest.raises(ArgumentError, match="needs W right after H"):
        run("grid_mask", [np.ones((2, 2))], "WH", device=device)
    with pytest.raises(ArgumentError, match="not bool"):
        run("grid_mask", [np.ones((2, 2), bool)], "HW", device=device)
