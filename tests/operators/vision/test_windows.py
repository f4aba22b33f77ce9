"""Windows as torchvision draws them, and boxes in windows."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import random

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance, RandomConformance

from ...torchvision_library import load_torchvision
from ..running import RubbishWorkspace, make, run

EXTENTS = [np.array([60 + i, 90 - 20 * i, 3]) for i in range(3)]
BOXES = [np.float32([[1, 2, 30, 40], [5, 5, 6 + i, 9]]) for i in range(3)]
DRAWS = 4000


class TestCenter(OperatorConformance):
    operator = "_vision_window"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "center", "size": (31, 75)}


class TestCrop(RandomConformance):
    operator = "_vision_window"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "crop", "size": (61, 75), "pad_if_needed": True, "padding": (1, 2, 3, 4)}
    bad = (({"pad_if_needed": False, "padding": (0, 0, 0, 0)}, "larger than the image"),)


class TestResizedCrop(RandomConformance):
    operator = "_vision_window"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "resized_crop"}


class TestErase(RandomConformance):
    operator = "_vision_window"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "erase", "scale": (0.02, 0.33), "ratio": (0.3, 3.3)}


class TestZoomOut(RandomConformance):
    operator = "_vision_window"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "zoom_out", "scale": (1.0, 4.0)}


class TestBoxes(OperatorConformance):
    operator = "_vision_boxes"
    layout = ""
    inputs = (BOXES, EXTENTS)
    arguments = {"horizontal": 1}
    per_sample = {
        "horizontal": [0, 1, 1],
        "vertical": [1, 0, 1],
        "window": [(2, 3, 20, 30), (0, 0, 9, 9), (-4, -5, 100, 100)],
        "size": [(10, 20), (30, 40), (9, 9)],
    }


def drawn(**arguments):
    """Return many windows of an image of 60 x 90 pixels: (DRAWS, 4)."""
    operator = make("_vision_window", **arguments)
    rng, workspace = np.random.default_rng(3), RubbishWorkspace()
    windows = []
    for _ in range(DRAWS):
        workspace.random = rng.random(operator.random_count)
        windows.append(operator.sample(workspace, np.array([60, 90, 3])))
    return np.array(windows)


def by_torchvision(transform):
    """Return as many windows of torchvision: (DRAWS, 4)."""
    import torch

    torch.manual_seed(5)
    random.seed(5)
    image = torch.zeros(3, 60, 90)
    return np.array(
        [
            [int(values[name]) for name in ("top", "left", "height", "width")]
            for values in (transform.make_params([image]) for _ in range(DRAWS))
        ]
    )


def differ(ours, theirs):
    """Return the largest distance between the distributions of each number, and of the areas."""
    columns = [*ours.T, ours[:, 2] * ours[:, 3]], [*theirs.T, theirs[:, 2] * theirs[:, 3]]
    distances = []
    for a, b in zip(*columns, strict=True):
        places = np.unique(np.concatenate([a, b]))
        below = (np.searchsorted(np.sort(c), places, "right") / len(c) for c in (a, b))
        distances.append(np.abs(np.subtract(*below)).max())
    return max(distances)


@pytest.mark.parametrize(
    ("scale", "ratio"), [((0.08, 1.0), (3 / 4, 4 / 3)), ((0.9, 1.0), (2.0, 3.0))]
)
def test_resized_crops_are_distributed_as_by_torchvision(scale, ratio):
    load_torchvision()
    from torchvision.transforms import v2

    ours = drawn(kind="resized_crop", scale=scale, ratio=ratio)
    theirs = by_torchvision(v2.RandomResizedCrop(8, scale=scale, ratio=ratio))
    assert differ(ours, theirs) < 0.05


def test_crops_are_distributed_as_by_torchvision():
    load_torchvision()
    from torchvision.transforms import v2

    arguments = {"size": (50, 97), "padding": (1, 2, 3, 4), "pad_if_needed": True}
    ours = drawn(kind="crop", **arguments)
    theirs = by_torchvision(v2.RandomCrop((50, 97), padding=[1, 2, 3, 4], pad_if_needed=True))
    theirs[:, :2] -= (2, 1 + 3)  # torchvision counts from the padded image's corner
    assert set(ours[:, 0]) == set(range(-2, 15))
    assert set(ours[:, 1]) == set(range(-4, 0))
    assert differ(ours, theirs) < 0.05


def test_canvases_are_distributed_as_by_torchvision():
    load_torchvision()
    import torch
    from torchvision.transforms import v2

    torch.manual_seed(5)
    image, transform = torch.zeros(3, 60, 90), v2.RandomZoomOut(side_range=(1.2, 3.0))
    theirs = []
    for _ in range(DRAWS):
        left, top, right, bottom = transform.make_params([image])["padding"]
        theirs.append((-top, -left, 60 + top + bottom, 90 + left + right))
    assert differ(drawn(kind="zoom_out", scale=(1.2, 3.0)), np.array(theirs)) < 0.05


def test_erased_regions_stay_inside():
    windows = drawn(kind="erase", scale=(0.02, 0.33), ratio=(0.3, 3.3))
    top, left, height, width = windows.T
    assert (top + height <= 60).all()
    assert (left + width <= 90).all()
    areas = (height * width)[height > 0] / 5400
    assert 0.01 < areas.min() < 0.03
    assert 0.31 < areas.max() < 0.35


def test_no_region_fits():
    assert not drawn(kind="erase", scale=(0.999, 1.0), ratio=(1.0, 1.0)).any()


def test_boxes_need_four_numbers():
    with pytest.raises(ArgumentError, match="left, top, right and bottom"):
        run("_vision_boxes", [np.zeros((2, 5))], inputs=[[np.array([4, 4])]])
