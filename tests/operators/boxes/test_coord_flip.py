"""`fn.coord_flip`: axes by their letters, and wrong points."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError

from ..box_samples import outputs

POINTS = np.float32([[0.25, 0.5, 1], [0, 0.125, 2]])


def test_axes_are_named_by_letters():
    ((flipped,),) = outputs("coord_flip", [POINTS], layout="zyx", flip_z=1, center_z=1.0)
    np.testing.assert_array_equal(flipped, [[1.75, 0.5, 0], [2, 0.125, -1]])


def test_the_default_letters_follow_the_number_of_coordinates():
    for count in (1, 2, 3):
        ((flipped,),) = outputs("coord_flip", [POINTS[:, :count]])
        np.testing.assert_array_equal(flipped[:, 0], [0.75, 1])
        np.testing.assert_array_equal(flipped[:, 1:], POINTS[:, 1:count])


@pytest.mark.parametrize("shape", [(3,), (2, 4), (2, 0), (1, 2, 2)])
def test_other_points_are_refused(shape):
    with pytest.raises(ArgumentError, match="points must have the shape"):
        outputs("coord_flip", [np.zeros(shape, np.float32)])
