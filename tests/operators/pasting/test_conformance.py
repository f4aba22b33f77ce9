"""`paste` and `multi_paste` under the suite that every operator must pass."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np

from penstock.testing.operators import OperatorConformance

from ..running import pixels

IMAGES = [pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)]
ALIKE = [pixels(6, 8, 3, seed=i) for i in range(4)]


class TestPaste(OperatorConformance):
    operator = "paste"
    inputs = (IMAGES,)
    arguments = {"ratio": 1.7, "fill_value": (7, 8, 9)}
    per_sample = {"ratio": [1.0, 2.0, 3.0, 1.5], "paste_x": [0.0, 1.0, 0.5, 0.25]}
    bad = (
        ({"ratio": 0.5}, "ratio must be at least 1"),
        ({"paste_y": 1.5}, "positions from 0 to 1"),
        ({"fill_value": (1, 2)}, "one for each of the 3 channels"),
        ({"ratio": 1e9}, "larger than"),
    )


class TestMultiPaste(OperatorConformance):
    operator = "multi_paste"
    inputs = (ALIKE, [image[::-1] for image in ALIKE])
    arguments = {"output_size": (11, 13), "out_anchors": np.array([[0, 1], [4, 5]])}
    per_sample = {
        "output_size": [(11, 13), (12, 14), (20, 20), (11, 14)],
        "out_anchors": [np.int32([[i, 0], [0, i]]) for i in range(4)],
    }
    bad = (
        ({"output_size": (5, 5)}, "reaches out of the canvas"),
        ({"in_ids": (0,)}, "there is one input"),
        ({"shapes": np.int32([[9, 9], [1, 1]])}, "reaches out of its source"),
        ({"out_anchors_rel": 0.5}, "either out_anchors or out_anchors_rel"),
        ({"shapes": np.int32([[1, 1]])}, "for each of the 2 regions"),
    )
    bad_inputs = (([ALIKE, [image[..., :1] for image in ALIKE]], "cannot be pasted together"),)


class TestMultiPasteOfVideos(OperatorConformance):
    operator = "multi_paste"
    layout = "FHWC"
    inputs = ([pixels(2 + i % 2, 6, 8, 1, seed=i) for i in range(4)],) * 2
    arguments = {"output_size": (11, 13), "shapes": 4, "dtype": "int16"}
    per_sample = {
        "out_anchors": [np.arange(2 * 2 * (2 + i % 2)).reshape(-1, 2, 2) % 5 for i in range(4)]
    }
