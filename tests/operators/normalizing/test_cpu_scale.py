"""Scaled pixels, whatever their order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.graph.context import HeapWorkspace
from penstock.operators.normalizing.cpu_scale import make_scaling, write_scaled

MEAN, STD = (100.0, 110.0, 120.0), (50.0, 60.0, 70.0)


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("target_layout", ["".join(axes) for axes in permutations("HWC")])
@pytest.mark.parametrize("dtype", ["f4", "f2", "u1", "i1"])
@pytest.mark.parametrize("source", ["u1", "i2", "f4"])
def test_every_way_gives_the_same(source, dtype, target_layout, mirror):
    image = np.random.default_rng(1).integers(0, 255, (5, 6, 3)).astype(source)
    scaling = make_scaling(MEAN, STD, 20.0, 1.0, np.dtype(dtype))
    order = ["HWC".index(letter) for letter in target_layout]
    seen = image[:, ::-1] if mirror else image
    exact = (20 * (seen - np.array(MEAN)) / STD + 1).transpose(order)
    out = np.empty(exact.shape, dtype)
    write_scaled(HeapWorkspace(), image, "HWC", out, target_layout, scaling, mirror)
    if dtype == "u1":
        exact = exact.clip(0)
    np.testing.assert_allclose(out, exact, atol=0.51 if dtype in ("u1", "i1") else 0.05)


def test_numbers_of_values_must_fit():
    with pytest.raises(ArgumentError, match="mean has 2 values, but std has 3"):
        make_scaling((1.0, 2.0), STD, 1.0, 0.0, np.dtype("f4"))
    with pytest.raises(ArgumentError, match="no value may be 0"):
        make_scaling((1.0,), (0.0,), 1.0, 0.0, np.dtype("f4"))
