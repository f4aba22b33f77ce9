"""`gaussian_blur`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run


class TestGaussianBlur(OperatorConformance):
    operator = "gaussian_blur"
    inputs = ([pixels(10 + i, 12 - i, 3, seed=i) for i in range(3)],)
    arguments = {"sigma": 1.2}
    per_sample = {
        "sigma": [np.float32([0.5]), np.float32([1, 2]), np.float32([4, 0.3])],
        "window_size": [np.int32([3]), np.int32([5, 7]), np.int32([0, 31])],
    }
    bad = (
        ({"sigma": -1.0}, "at least 0"),
        ({"sigma": 0.0}, "neither may be negative, and one must be above 0"),
        ({"sigma": [np.float32([-1.0])] * 3}, "sigma is -1.0 and window_size is 0"),
        ({"sigma": [np.float32([np.nan])] * 3}, "'sigma' .*not finite"),
        ({"window_size": 4}, "must be odd"),
        ({"sigma": (1.0, 2.0, 3.0)}, "'sigma' has 3 values"),
    )
    largest = 1


class TestVolumesOfVideos(OperatorConformance):
    operator = "gaussian_blur"
    layout = "FDHWC"
    inputs = ([pixels(2, 4, 5, 6 + i, 2, seed=i).astype(np.float32) for i in range(3)],)
    arguments = {"window_size": (3, 5, 7)}
    largest = 1e-3


class TestFramesOfPlanes(OperatorConformance):
    operator = "gaussian_blur"
    layout = "FCHW"
    inputs = ([pixels(3, 2, 5, 6 + i, seed=i).astype(np.int16) for i in range(3)],)
    arguments = {"dtype": types.FLOAT}
    per_sample = {"sigma": [np.float32([1, 2]), np.float32([1]), np.float32([2, 1])]}
    largest = 1e-3

    def run(self, inputs, device="cpu", *, threads=2, views=False, **changed):
        changed = changed or {"sigma": 1.0}
        return super().run(inputs, device, threads=threads, views=views, **changed)

    def test_the_gpu_agrees(self, device_stage):
        wanted, _ = self.run(self.inputs)
        rows, _ = self.run(self.inputs, "gpu")
        for row, expected in zip(rows, wanted, strict=True):
            np.testing.assert_allclose(row, expected, atol=1e-3)


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        ("W", (9,)),
        ("WC", (9, 3)),
        ("HW", (7, 9)),
        ("DHW", (4, 5, 6)),
        ("CDHW", (2, 4, 5, 6)),
        ("CFHW", (2, 3, 5, 6)),
        ("HWC", (5, 6, 600)),
        ("", (4, 5)),
        ("", (4, 5, 6)),
        ("HWC", (1, 1, 3)),
        ("HWC", (2, 1, 3)),
        ("FHWC", (0, 4, 5, 3)),
        ("HWC", (0, 5, 3)),
    ],
)
@pytest.mark.parametrize("dtype", ["u1", "f4", "i8"])
def test_constant_samples_stay(layout, shape, dtype):
    sample = np.full(shape, 77, dtype)
    (result,) = run("gaussian_blur", [sample], layout, sigma=2.0)
    assert result.dtype == sample.dtype
    np.testing.assert_allclose(result, sample, 1e-5)


def test_an_impulse_becomes_the_window(device):
    sample = np.zeros((9, 9), np.float32)
    sample[4, 4] = 1
    (result,) = run("gaussian_blur", [sample], "HW", sigma=1.0, device=device)
    distance = np.arange(9) - 4.0
    curve = np.where(abs(distance) <= 3, np.exp(-(distance**2) / 2), 0)
    curve /= curve.sum()
    np.testing.assert_allclose(result, np.outer(curve, curve), atol=1e-7)


@pytest.mark.parametrize("layout", ["HCW", "CC", "F", "DHWX"])
def test_other_layouts_are_refused(device, layout):
    with pytest.raises(ArgumentError, match=r"filters 1 to 3 axes|names"):
        run("gaussian_blur", [np.zeros((2,) * len(layout))], layout, sigma=1.0, device=device)
