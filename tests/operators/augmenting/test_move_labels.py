"""`_augment_boxes` and `_augment_masks`: labels that move with augmented images."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from penstock import types
from penstock.testing.agreement import on_device
from penstock.testing.operators import OperatorConformance

from ..pictures import pictures
from ..running import pixels
from .test_augment import CHAINS, PARAMETERS, step, steps

BOXES = [
    np.float32([[0.1, 0.2, 0.5, 0.6], [0, 0, 1, 1]]),
    np.float32([]).reshape(0, 4),
    np.float32([[0.9, 0.9, 1.0, 1.0]]),
    np.float32([[0.4, 0.4, 0.6, 0.7]] * 3),
]
MOVES = ("shear", "translate", "translate_relative", "rotate")
MASKS = [image[..., :1].astype(np.int32) * 1000 for image in pictures(19, 26)]


class TestBoxes(OperatorConformance):
    operator = "_augment_boxes"
    layout = ""
    inputs = (BOXES, CHAINS)
    arguments = MappingProxyType({"image_shape": (30, 40, 3)})
    per_sample = MappingProxyType({"shape": [(20.0, 30.0), (9.5, 30.0), (5.0, 5.0), (1.0, 2.0)]})
    bad = (
        ({"shape": (3,)}, r"give \(height, width\)"),
        ({"image_shape": (3, 4)}, "boxes need images HWC or FHWC"),
    )


class TestMasks(OperatorConformance):
    operator = "_augment_masks"
    inputs = (MASKS, CHAINS)
    per_sample = MappingProxyType({"shape": [(20.0, 30.0), (9.5, 30.0), (5.0, 5.0), (1.0, 2.0)]})
    bad = (({"shape": (3,)}, r"give \(height, width\)"),)


class TestMasksOfVideos(OperatorConformance):
    operator = "_augment_masks"
    layout = "FHW"
    inputs = ([np.stack([mask[..., 0]] * 2).astype(np.uint8) for mask in MASKS], CHAINS)


def moved(name, rows, chosen, device="cpu", layout="HWC", **arguments):
    layouts = [layout, ""]
    return on_device(device, name, rows, chosen, layout=layouts, **arguments).outputs[0]


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "i8", "f4", "?"])
@pytest.mark.parametrize("names", [*((name,) for name in MOVES), ("rotate", "equalize", "shear")])
def test_masks_move_as_images_of_nearest_pixels_do(names, dtype, device):
    mask = (pixels(21, 30, 2) > 100).astype(np.uint8) * 200
    moves = [name for name in names if name in MOVES]
    nearest = {"interp_type": types.INTERP_NN, "fill_value": 0}
    (wanted,) = moved("_augment", [mask], [steps(*moves)], device, **nearest)
    (row,) = moved("_augment_masks", [mask.astype(dtype)], [steps(*names)], device)
    np.testing.assert_array_equal(row, wanted.astype(dtype))


@pytest.mark.parametrize("names", [*((name,) for name in MOVES), ("translate", "rotate")])
def test_boxes_hold_what_they_held(names):
    extent = 120, 160
    box = np.float32([[0.4, 0.35, 0.6, 0.5]])
    image = np.zeros((*extent, 1), np.uint8)
    image[42:60, 64:96] = 255
    chain = [steps(*names)]
    (moved_image,) = moved("_augment", [image], chain, fill_value=0)
    (row,) = moved("_augment_boxes", [box], chain, layout="", image_shape=image.shape)
    y, x = np.nonzero(moved_image[..., 0] > 127)
    around = np.array([x.min(), y.min(), x.max() + 1, y.max() + 1]) / [160, 120, 160, 120]
    assert np.abs(row[0] - around).max() < 3 / 120


def test_a_box_that_leaves_the_image_has_no_area():
    chain = [np.float32([step("translate", (500, 0))])]
    (row,) = moved("_augment_boxes", BOXES[:1], chain, layout="", image_shape=(30, 40, 3))
    assert ((row[:, 2] - row[:, 0]) == 0).all()
    assert (row[:, 0] == 1).all()


def test_effects_that_move_nothing_leave_labels_alone(device):
    chain = [steps(*(name for name in PARAMETERS if name not in MOVES))]
    (mask,) = moved("_augment_masks", MASKS[:1], chain, device)
    np.testing.assert_array_equal(mask, MASKS[0])
    (boxes,) = moved("_augment_boxes", BOXES[:1], chain, layout="", image_shape=(4, 5, 3))
    np.testing.assert_allclose(boxes, BOXES[0], atol=1e-6)
