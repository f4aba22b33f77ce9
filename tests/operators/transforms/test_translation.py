"""`fn.transforms.translation`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

from .plane_maps import MatrixConformance


class TestTranslation(MatrixConformance):
    operator = "transforms.translation"
    arguments = {"offset": (1.0, -2.0)}
    per_sample = {"offset": [(1.0, 2.0), (3.0, 4.0), (0.0, 0.0), (-1.0, 5.5)]}
    bad = (({"offset": (1, 2, 3)}, "a map of 2 dimensions, but the arguments are those of 3"),)
