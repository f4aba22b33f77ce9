"""Mirrored boxes and points on the GPU: the numbers of the CPU, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.testing.agreement import agree

from ..box_samples import random_boxes

COUNTS = (0, 1, 7, 300)


@pytest.mark.parametrize("ltrb", [False, True])
def test_boxes(device_stage, ltrb):
    boxes = [random_boxes(count, seed=count) for count in COUNTS]
    directions = {"horizontal": np.int32([1, 1, 0, 1]), "vertical": np.int32([1, 0, 1, 1])}
    agree("bb_flip", boxes, per_sample=directions, arguments={"ltrb": ltrb})


@pytest.mark.parametrize("count", [1, 2, 3])
def test_points(device_stage, count):
    points = [np.random.default_rng(n).random((n, count), np.float32) for n in COUNTS]
    numbers = {"flip_y": np.int32([1, 0, 1, 1]), "center_x": np.float32([0.5, 0.3, -1.7, 9])}
    agree("coord_flip", points, per_sample=numbers, arguments={"flip_z": 1, "center_z": 0.1})


def test_numbers_that_are_not_finite(device_stage):
    agree("bb_flip", [np.float32([[np.nan, 0, np.inf, 1]])], arguments={"vertical": 1})
