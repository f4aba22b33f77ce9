"""`fn.transforms.crop`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np

from ..running import run
from .plane_maps import PLANE, MatrixConformance


class TestCrop(MatrixConformance):
    operator = "transforms.crop"
    arguments = {"from_start": (1.0, 2.0), "from_end": (5.0, 4.0), "to_end": 2.0}
    per_sample = {"to_start": [(1.0, 2.0), (0.5, 0.5), (-1.0, 0.0), (0.0, 0.0)]}
    bad = (({"to_end": (1, 2, 3)}, "has 2 values for a map of 3"),)


def test_numbers_that_are_not_finite_go_through():
    (result,) = run("transforms.crop", [PLANE[0]], from_start=(1, 2), from_end=(1, 3))
    assert not np.isfinite(result).all()
