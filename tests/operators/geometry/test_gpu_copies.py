"""Copies on the GPU that are large: positions beyond 32 bits, several pieces a thread."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.operators.geometry import gather_plan, gpu_copies
from penstock.testing.agreement import agree


@pytest.fixture(params=["positions of 64 bits", "several rounds"])
def large(request, tuned, device_stage):
    """Operators that take small samples for large ones."""
    if request.param == "several rounds":
        tuned(gpu_copies, MANY_BLOCKS=1)
    else:
        tuned(gather_plan, MAX_SHORT_ELEMENTS=0)


IMAGES = [
    np.random.default_rng(height).integers(0, 255, (height, 70, 3), np.uint8)
    for height in (95, 60, 1)
]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("flip", {}),
        ("flip", {"horizontal": 0, "vertical": 1}),
        ("transpose", {"perm": (2, 0, 1)}),
        ("transpose", {"perm": (1, 0, 2)}),
        ("pad", {"align": 16}),
        ("pad", {"axes": [2], "shape": 4}),
    ],
)
def test_operators(large, name, arguments):
    agree(name, IMAGES, layout="HWC", **arguments)


@pytest.mark.parametrize("policy", ["pad", "edge", "wrap", "reflect", "reflect_101"])
@pytest.mark.parametrize("dtype", [None, types.FLOAT])
def test_windows(large, policy, dtype):
    options = {"axis_names": "WH", "out_of_bounds_policy": policy, "dtype": dtype}
    agree("slice", IMAGES, layout="HWC", start=(-75, 3), shape=(230, 101), **options)


def test_joined(large):
    agree("cat", IMAGES, IMAGES, axis=1)
    agree("cat", IMAGES, [image[..., :1] for image in IMAGES], axis=2)
    agree("stack", *([image[..., 0] for image in IMAGES] for _ in range(3)), axis=2)
