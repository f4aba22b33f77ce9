"""`laplacian`: its windows, and both devices."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.operators.filters.laplacian import laplacian_window
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run


class TestLaplacian(OperatorConformance):
    operator = "laplacian"
    inputs = ([pixels(10 + i, 12 - i, 3, seed=i) for i in range(3)],)
    arguments = {"dtype": types.FLOAT}
    per_sample = {
        "window_size": [np.int32([3]), np.int32([5, 7]), np.int32([3, 9])],
        "smoothing_size": [np.int32([1]), np.int32([3, 1]), np.int32([5])],
        "scale": [np.float32([0.5]), np.float32([1, 2]), np.float32([-1, 0])],
    }
    bad = (
        ({"window_size": 4}, "window_size is \\(4, 4\\); give odd numbers from 3 to 31"),
        ({"window_size": [np.int32([1])] * 3}, "window_size is \\(1, 1\\); give odd numbers"),
        ({"window_size": 33}, "from 3 to 31"),
        ({"smoothing_size": 2}, "smoothing_size is \\(2, 2\\); give odd numbers from 1"),
        ({"scale": (1.0, 2.0, 3.0)}, "'scale' has 3 values"),
        ({"scale": 2.0, "normalized_kernel": True}, "exclude one another"),
    )
    largest = 0.1  # of sums up to 1e5


class TestVolumesOfVideos(OperatorConformance):
    operator = "laplacian"
    layout = "FDHWC"
    inputs = ([pixels(2, 4, 5, 6 + i, 2, seed=i) for i in range(3)],)
    arguments = {"window_size": (3, 5, 3), "smoothing_size": 1}
    largest = 1


def test_windows():
    assert laplacian_window((3,), None, (2.0,), False).tolist() == [2, -4, 2]
    assert laplacian_window((3, 3), None, (1.0, 1.0), False).tolist() == [
        [2, 0, 2],
        [0, -8, 0],
        [2, 0, 2],
    ]
    assert laplacian_window((5, 3), (1, 1), (1.0, 10.0), False).tolist() == [
        [0, 1, 0],
        [0, 0, 0],
        [10, -22, 10],
        [0, 0, 0],
        [0, 1, 0],
    ]
    # For two axes and windows of 6 elements in all: 2 ** (2 + 2 - 6).
    normalized = laplacian_window((3, 3), None, (1.0, 1.0), True)
    assert normalized.tolist() == [[0.5, 0, 0.5], [0, -2, 0], [0.5, 0, 0.5]]


@pytest.mark.parametrize(("layout", "shape"), [("W", (9,)), ("FHWC", (2, 6, 7, 3)), ("HW", (6, 7))])
def test_planes_have_no_curvature_and_parabolas_have_one(device, layout, shape):
    axis = layout.index("W")
    sample = np.indices(shape)[axis].astype(np.float32)
    inner = tuple(slice(1, -1) if i == axis else slice(None) for i in range(len(shape)))
    for curve, wanted in ((sample, 0), (sample**2, 2)):
        (result,) = run("laplacian", [curve], layout, smoothing_size=1, device=device)
        np.testing.assert_allclose(result[inner], wanted, atol=1e-4)


def test_sizes_of_data_are_checked(device):
    with pytest.raises(ArgumentError, match=r"smoothing_size is \(33, 33\)"):
        run(
            "laplacian",
            [pixels(4, 5)],
            per_sample={"smoothing_size": [np.int32([33])]},
            device=device,
        )
