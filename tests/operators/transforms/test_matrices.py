"""Formulas of affine maps."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.transforms.matrices import (
    about,
    composed,
    plane_rotations,
    shears,
    space_rotations,
    spread,
)


def test_rotations_about_z_are_those_of_the_plane():
    angles = np.array([0.0, 33.0, -100.0])
    space = space_rotations(angles, np.array([[0.0, 0.0, 2.0]] * 3))
    np.testing.assert_allclose(space[:, :2, :2], plane_rotations(angles))
    np.testing.assert_allclose(space @ space.transpose(0, 2, 1), [np.eye(3)] * 3, atol=1e-12)


def test_the_axis_stays():
    axes = np.random.default_rng(1).normal(size=(5, 3))
    turns = space_rotations(np.linspace(-200, 200, 5), axes)
    np.testing.assert_allclose((turns @ axes[..., None])[..., 0], axes)


def test_the_center_stays():
    center = np.array([[3.0, 4.0]])
    (matrix,) = about(shears(np.array([[1.0, 2.0]])), center)
    np.testing.assert_allclose(matrix @ [3, 4, 1], [3, 4])


def test_composition_is_the_product():
    first, second = np.random.default_rng(1).normal(size=(2, 6, 3, 4))
    last = np.broadcast_to([0.0, 0, 0, 1], (6, 1, 4))
    square = [np.concatenate([matrix, last], axis=1) for matrix in (first, second)]
    np.testing.assert_allclose(composed(first, second), (square[1] @ square[0])[:, :3])


def test_one_value_for_all_dimensions():
    assert spread("scale", np.array([[2.0], [3.0]]), 2).tolist() == [[2, 2], [3, 3]]
    with pytest.raises(ArgumentError, match="scale has 3 values for a map of 2"):
        spread("scale", np.ones((1, 3)), 2)
