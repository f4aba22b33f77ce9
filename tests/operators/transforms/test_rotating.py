"""`fn.transforms.rotation`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np

from penstock.testing.operators import OperatorConformance

from .plane_maps import MatrixConformance

SPACE = [np.arange(12, dtype=np.float32).reshape(3, 4) + i for i in range(4)]


class TestRotation(MatrixConformance):
    operator = "transforms.rotation"
    arguments = {"angle": 30.0, "center": (1.0, 2.0)}
    per_sample = {"angle": [0.0, 90.0, -400.0, 12.5]}
    bad = (
        ({"axis": (0, 0, 0)}, "not all 0"),
        ({"axis": (0, 1)}, "axis has 2 values"),
        ({"axis": (0, 0, 1), "center": (1, 2, 3)}, "of 2 dimensions, but the arguments are"),
    )


class TestRotationInSpace(OperatorConformance):
    operator = "transforms.rotation"
    layout = ""
    inputs = (SPACE,)
    arguments = {"angle": 30.0, "axis": (1.0, 2.0, 3.0), "reverse_order": True}
    per_sample = {"axis": [(1.0, 0, 0), (0, -1.0, 0), (1.0, 1.0, 1.0), (5.0, 0, 1e-3)]}
