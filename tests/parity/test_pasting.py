"""`fn.paste`, `fn.multi_paste` and `fn.segmentation.select_masks` against DALI."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from ..operators.box_samples import outputs
from ..operators.running import pixels, run
from .oracle import dali, dali_types, run_dali

fn: Any = pytest.importorskip("nvidia.dali.fn")
IMAGES = [pixels(7 + i, 9 - i, 3, seed=i) for i in range(3)]
ALIKE = [pixels(6, 8, 3, seed=i) for i in range(3)]


@pytest.mark.parametrize(
    "arguments",
    [
        {"ratio": 2.0, "fill_value": [7, 8, 9]},
        {"ratio": 1.0, "fill_value": 7},
        {"ratio": 1.7, "fill_value": 7, "paste_x": 0.0, "paste_y": 1.0},
        {"ratio": 1.3, "fill_value": 0, "paste_x": 0.37, "min_canvas_size": 20.9},
    ],
)
def test_paste(arguments):
    theirs, layout = run_dali("paste", IMAGES, "HWC", **arguments)
    assert layout == "HWC"
    for row, wanted in zip(run("paste", IMAGES, "HWC", **arguments), theirs, strict=True):
        np.testing.assert_array_equal(row, wanted, strict=True)


REGIONS = {
    "whole": {},
    "anchors": {"in_anchors": [[1, 2], [0, 0]], "out_anchors": [[0, 1], [3, 3]]},
    "shapes": {"shapes": [[2, 3], [4, 4]], "out_anchors": [[5, 5], [4, 4]]},
    "relative": {
        "in_anchors_rel": [[0.3, 0.1], [0.5, 0.5]],
        "out_anchors_rel": [[0.36, 0.64], [0.1, 0.5]],
        "shapes_rel": [[0.37, 0.2], [0.5, 0.1]],
    },
}


def regions(name: str) -> dict[str, list[Any]]:
    """Return the arguments of three equal samples."""
    return {
        key: [np.array(value, np.float32 if key.endswith("rel") else np.int32)] * 3
        for key, value in REGIONS[name].items()
    }


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize("types", [("uint8", None), ("float32", "uint8"), ("int16", "float32")])
def test_multi_paste_of_samples_of_the_batch(name, types):
    dtype, wanted_type = types
    images = [(image.astype(dtype) * 1.5 - 60.25).astype(dtype) for image in ALIKE]
    given = {"in_ids": [2, 0], "output_size": [11, 13]}
    if wanted_type:
        given["dtype"] = getattr(dali_types(), {"uint8": "UINT8", "float32": "FLOAT"}[wanted_type])
    nodes = regions(name)
    theirs, _ = run_dali("multi_paste", images, "HWC", per_sample=nodes, **given)
    given = {k: wanted_type if k == "dtype" else v for k, v in given.items()}
    ours = run("multi_paste", images, "HWC", per_sample=nodes, **given)
    np.testing.assert_array_equal(np.stack(ours), np.stack(theirs), strict=True)


@pytest.mark.parametrize("name", REGIONS)
def test_multi_paste_of_two_inputs(name):
    nodes, given = regions(name), {"output_size": [11, 13]}
    options = {"inputs": [ALIKE[::-1]], "per_sample": nodes}
    theirs, _ = run_dali("multi_paste", ALIKE, "HWC", **options, **given)
    ours = run("multi_paste", ALIKE, "HWC", **options, **given)
    np.testing.assert_array_equal(np.stack(ours), np.stack(theirs), strict=True)


def test_multi_paste_of_ragged_choices():
    nodes = {"in_ids": [np.int32([0]), np.int32([1, 2]), np.int32([])]}
    nodes["output_size"] = [np.int32([6, 8]), np.int32([9, 8]), np.int32([2, 2])]
    theirs, _ = run_dali("multi_paste", ALIKE, "HWC", per_sample=nodes)
    for row, wanted in zip(run("multi_paste", ALIKE, "HWC", per_sample=nodes), theirs, strict=True):
        np.testing.assert_array_equal(row, wanted, strict=True)


POLYGONS = np.int32([[2, 7, 10], [0, 0, 3], [1, 3, 7], [7, 10, 14], [4, 14, 14]])
VERTICES = np.random.default_rng(0).random((14, 2), np.float32)


@pytest.mark.parametrize("chosen", [[1], [2, 0], [0, 2, 1], [], [4, 1]])
@pytest.mark.parametrize("reindex", [False, True])
def test_select_masks(chosen, reindex):
    inputs = [[np.array(chosen, np.int32)], [POLYGONS], [VERTICES]]
    theirs = dali(
        lambda *nodes: fn.segmentation.select_masks(*nodes, reindex_masks=reindex), *inputs
    )
    ours = outputs("segmentation.select_masks", *inputs, reindex_masks=reindex)
    for mine, (others, _) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine[0], others[0], strict=True)
