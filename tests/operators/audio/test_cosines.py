"""Matrices of cosine transforms: inverses of one another."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.audio.cosines import CosineTransform


@pytest.mark.parametrize("dct_type", [2, 3, 4])
def test_orthonormal_matrices(dct_type):
    matrix = CosineTransform(dct_type, 99, True, 0).factors(16)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(16), atol=1e-12)


def test_types_2_and_3_are_inverse():
    second, third = (CosineTransform(dct_type, 99, False, 0).factors(9) for dct_type in (2, 3))
    np.testing.assert_allclose(third @ second, np.eye(9) * 4.5, atol=1e-12)


def test_lifter():
    plain, lifted = (CosineTransform(2, 5, True, lifter).factors(9) for lifter in (0, 22.0))
    weights = 1 + 11 * np.sin(np.pi * np.arange(1, 6) / 22)
    np.testing.assert_allclose(lifted, weights[:, np.newaxis] * plain)
