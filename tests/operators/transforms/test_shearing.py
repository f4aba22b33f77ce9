"""`fn.transforms.shear`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

from .plane_maps import MatrixConformance


class TestShear(MatrixConformance):
    operator = "transforms.shear"
    arguments = {"shear": (0.5, -2.0), "center": (3.0, 4.0)}
    per_sample = {"shear": [(1.0, 2.0), (0.0, 0.0), (-1.0, 2.0), (0.1, 0.2)]}
    bad = (
        ({"shear": (1, 2, 3)}, "but there are 3"),
        ({"angles": (1, 2)}, "exclude one another"),
        ({"shear": None}, "needs shear or angles"),
        ({"shear": None, "angles": (91, 0)}, "from -90 to 90"),
    )
