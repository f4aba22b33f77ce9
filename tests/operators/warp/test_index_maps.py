"""Affine maps between indices of pixels."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.warp.index_maps import index_maps


def test_centers_of_pixels_are_at_half_coordinates():
    (half,), good = index_maps(np.array([[0.5, 0, 0, 0, 0.5, 0]]), True, False)
    assert good.all()
    np.testing.assert_allclose(half.reshape(2, 3) @ [0.5, 0.5, 1], [0, 0])


@pytest.mark.parametrize("ndim", [2, 3])
def test_inverses(ndim):
    stack = np.random.default_rng(1).normal(size=(5, ndim, ndim + 1))
    forth, _ = index_maps(stack.reshape(5, -1), True, False)
    back, good = index_maps(stack.reshape(5, -1), False, False)
    assert good.all()
    point = np.arange(1.0, ndim + 1)
    for a, b in zip(forth.reshape(stack.shape), back.reshape(stack.shape), strict=True):
        np.testing.assert_allclose(b @ [*(a @ [*point, 1]), 1], point)


def test_wrong_maps():
    maps = np.array([[1.0, 2, 3, 2, 4, 5], [1, 0, np.nan, 0, 1, 0], [1, 0, 0, 0, 1, 0]])
    assert index_maps(maps, False, False)[1].tolist() == [False, False, True]
    assert index_maps(maps, True, False)[1].tolist() == [True, False, True]
