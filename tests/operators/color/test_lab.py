"""The tables of Lab colors."""

from __future__ import annotations

import cv2
import numpy as np

from penstock.operators.color.lab import lab_tables


def test_tables_give_the_lab_of_opencv():
    table = {name: lab_tables().array[name][0].astype(np.int64) for name in ("to_xyz", "linear")}
    root = lab_tables().array["root"][0].astype(np.int64)
    grid = np.stack(np.meshgrid(*[np.arange(0, 256, 5)] * 3, indexing="ij"), -1).astype(np.uint8)
    colors = grid.reshape(1, -1, 3)
    linear = table["linear"][colors]
    x, y, z = np.moveaxis(root[linear @ table["to_xyz"].reshape(3, 3).T + 2048 >> 12], -1, 0)
    light = (296 * y - 1336934 + (1 << 14)) >> 15
    a, b = ((k * d + (128 << 15) + (1 << 14)) >> 15 for k, d in ((500, x - y), (200, y - z)))
    wanted = cv2.cvtColor(colors, cv2.COLOR_RGB2LAB)
    np.testing.assert_array_equal(np.stack([light, a, b], -1), wanted)


def test_gray_has_no_color():
    table = lab_tables().array
    assert (table["to_xyz"].reshape(3, 3).sum(axis=1) == 4096).all()
    assert (table["from_xyz"].reshape(3, 3).sum(axis=1) == 4096).all()
    for name in ("linear", "root", "height", "height_root", "gamma"):
        assert (np.diff(table[name][0].astype(int)) >= 0).all(), name
