"""`fn.transforms.scale`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

from ..running import run
from .plane_maps import PLANE, MatrixConformance, without_input


class TestScale(MatrixConformance):
    operator = "transforms.scale"
    arguments = {"scale": (2.0, 3.0), "center": (5.0, 6.0)}
    per_sample = {"scale": [(2.0, 0.5), (1.0, 1.0), (0.0, 3.0), (-1.0, 2.0)]}
    bad = (
        ({"scale": (1, 2), "ndim": 3}, "ndim is 3, but scale has 2"),
        ({"center": (1, 2, 3)}, "center has 3 values for a map of 2"),
    )


def test_a_single_factor_serves_all_dimensions():
    assert run("transforms.scale", [PLANE[0]], scale=2.0)[0].shape == (2, 3)
    assert without_input("transforms.scale", scale=2.0, ndim=3).shape == (1, 3, 4)
    assert without_input("transforms.scale", scale=2.0).shape == (1, 1, 2)
    assert without_input("transforms.scale", scale=2.0, center=(1, 1)).shape == (1, 2, 3)
