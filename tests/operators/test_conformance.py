"""Operators under the suite that every operator must pass."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np

from penstock import types
from penstock.testing.operators import OperatorConformance

from .running import pixels

IMAGES = [pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)]
ALIKE = [pixels(5, 4, 3, seed=i) for i in range(4)]


class TestCrop(OperatorConformance):
    operator = "crop"
    inputs = (IMAGES,)
    arguments = {"crop": (4, 5)}
    per_sample = {"crop_pos_x": [0.0, 0.25, 0.5, 1.0], "crop_pos_y": [1.0, 0.5, 0.2, 0.0]}
    bad = (({"crop": (40, 5)}, "reaches out of the sample"), ({"crop": (np.nan, 5)}, "not finite"))


class TestFlip(OperatorConformance):
    operator = "flip"
    inputs = (IMAGES,)
    per_sample = {"horizontal": [0, 1, 0, 1], "vertical": [0, 0, 1, 1]}
    bad = (({"vertical": "up"}, "'vertical' must be int"),)


class TestResize(OperatorConformance):
    operator = "resize"
    inputs = (IMAGES,)
    arguments = {"size": (8, 5)}
    per_sample = {"size": [(4.0, 5.0), (8.0, 8.0), (3.0, 11.0), (6.0, 6.0)]}
    bad = (({"size": (np.inf, 5)}, "not finite"), ({"size": (1.0, 2.0, 3.0)}, "each of the 2 axes"))
    largest = 1


class TestCast(OperatorConformance):
    operator = "cast"
    inputs = ([image.astype(np.float32) * 3 - 90.5 for image in IMAGES],)
    arguments = {"dtype": types.UINT8}
    bad = (({"dtype": "no type"}, "'dtype' must be"),)


class TestPad(OperatorConformance):
    operator = "pad"
    inputs = (IMAGES,)
    arguments = {"fill_value": 7, "axes": (0, 1), "shape": (10, 12)}
    per_sample = {"fill_value": [0.0, 1.0, 2.0, 255.0]}
    bad = (({"axes": (0, 9)}, "axes|axis"),)


class TestCropMirrorNormalize(OperatorConformance):
    operator = "crop_mirror_normalize"
    inputs = (IMAGES,)
    arguments = {"crop": (4, 4), "mean": (100.0, 110.0, 120.0), "std": (50.0, 60.0, 70.0)}
    per_sample = {"mirror": [0, 1, 1, 0]}
    bad = (({"mean": (np.nan, 0, 0)}, "not finite"), ({"crop": (40, 4)}, "reaches out"))
    largest = 1e-5


class TestCat(OperatorConformance):
    operator = "cat"
    inputs = (ALIKE, [image[::-1] for image in ALIKE])
    arguments = {"axis": 1}
    bad = (({"axis": 5}, "axis 5 is not from -3 to 2"),)


class TestTranspose(OperatorConformance):
    operator = "transpose"
    inputs = (IMAGES,)
    arguments = {"perm": (2, 0, 1)}
    bad = (({"perm": (0, 0, 1)}, "perm"),)
