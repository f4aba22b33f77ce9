"""Values at and beyond the usual limits of arguments, which NVIDIA DALI takes."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.tests.operators.running import pixels, run
from penstock.tests.parity.oracle import run_dali

IMAGES = [pixels(40, 60, 3, seed=i) // 2 for i in range(3)]
EMPTY = [np.zeros(shape, np.uint8) for shape in ((0, 5, 3), (5, 0, 3), (0, 0, 3), (5, 5, 0))]
WINDOW = np.random.default_rng(1).random((5, 5), np.float32) / 5

CASES = [
    ("laplacian", IMAGES, [], {"window_size": 31, "scale": 1e-16}, 1),
    ("laplacian", IMAGES, [], {"window_size": 5, "smoothing_size": 31, "scale": 1e-16}, 1),
    ("laplacian", IMAGES, [], {"window_size": 25, "normalized_kernel": True}, 1),
    ("laplacian", IMAGES, [], {"scale": 0.5, "normalized_kernel": False}, 1),
    ("clahe", IMAGES, [], {"tiles_x": 2, "tiles_y": 2, "clip_limit": 0.0}, 0),
    ("resize", IMAGES, [], {"size": [20, 30], "max_size": -1.0}, 1),
    ("crop_mirror_normalize", IMAGES, [], {"crop": (9, 9), "output_layout": ""}, 1e-6),
    ("filter", IMAGES, [[WINDOW] * 3], {"border": "reflect"}, 1),
    ("filter", IMAGES, [[WINDOW] * 3], {"border": "edge"}, 1),
    ("filter", IMAGES, [[WINDOW] * 3], {"border": "pad"}, 1),
    *(("resize", EMPTY, [], {"size": [4, 7], "mode": m}, 0) for m in ("default", "not_larger")),
    ("tensor_resize", EMPTY, [], {"sizes": [4, 7, 3]}, 0),
    ("paste", IMAGES, [], {"ratio": 1.5, "fill_value": 123.675}, 0),
]


@pytest.mark.parametrize(("name", "samples", "inputs", "arguments", "tolerance"), CASES)
def test_values(name, samples, inputs, arguments, tolerance):
    ours = run(name, samples, "HWC", inputs=inputs, **arguments)
    theirs, _ = run_dali(name, samples, "HWC", inputs=inputs, **arguments)
    for mine, their in zip(ours, theirs, strict=True):
        assert (mine.dtype, mine.shape) == (their.dtype, their.shape)
        np.testing.assert_allclose(mine.astype(float), their.astype(float), rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("resize", {"size": 1e-10}),
        ("resize", {"resize_shorter": 1e-10}),
        ("resize", {"resize_x": 1e-10}),
        ("resize", {"size": [1e-10, 20]}),
        ("tensor_resize", {"scales": [1e-8, 1.0, 1.0]}),
    ],
)
def test_sizes_below_a_pixel(name, arguments):
    ours = run(name, IMAGES, "HWC", **arguments)
    theirs, _ = run_dali(name, IMAGES, "HWC", **arguments)
    assert [row.shape for row in ours] == [row.shape for row in theirs]
