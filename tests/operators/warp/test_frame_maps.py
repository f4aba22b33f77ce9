"""Arguments of the maps of a whole batch."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.tensors import TensorListCPU
from penstock.operators.warp.frame_maps import (
    FrameMaps,
    canvases_fit,
    every_frame,
    given_sizes,
    per_frame,
)

FRAMES = np.array([1, 3])


def test_one_angle_serves_all_frames():
    degrees, possible = per_frame(30.0, FRAMES)
    assert degrees[:, 0].tolist() == [30] * 4
    assert possible.all()


def test_angles_of_each_frame():
    rows = [np.float32([5]), np.float32([1, 2, 3])]
    degrees, possible = per_frame(TensorListCPU(rows), FRAMES)
    assert degrees[:, 0].tolist() == [5, 1, 2, 3]
    assert possible.all()


def test_a_wrong_number_of_angles():
    degrees, possible = per_frame((1.0, 2.0, 3.0), FRAMES)
    assert possible.tolist() == [False, True]
    assert degrees[:, 0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((), [0, 0]),
        ((4.5, 5.4), [5, 5]),
        ((4.0,), [4, 4]),
        ((4.0, 5.0, 6.0), [-1, -1]),
        ((0.0, np.nan), [-1, -1]),
    ],
)
def test_sizes(size, expected):
    assert given_sizes(size, 2).tolist() == [expected] * 2


def test_which_canvases_fit():
    extents, canvas = np.array([[1, 2], [0, 5]]), np.array([[3, 3], [3, 3]])
    assert canvases_fit(extents, canvas).tolist() == [True, False]


def test_samples_with_a_frame_that_failed():
    assert every_frame(np.array([False, False, True, False]), FRAMES).tolist() == [True, False]


def test_frames_know_their_samples():
    extents = np.array([[4, 6], [4, 6]])
    maps = FrameMaps(FRAMES, np.ones(2, bool), extents, extents, np.zeros((4, 6)))
    assert maps.samples.tolist() == [0, 1, 1, 1]
    assert maps.first.tolist() == [0, 1]
