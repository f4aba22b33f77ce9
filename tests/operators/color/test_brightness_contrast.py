"""`brightness`, `contrast` and `brightness_contrast`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

IMAGES = [pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)]
VIDEOS = [pixels(2, 6 + i, 9 - i, 3, seed=i) for i in range(3)]


class TestBrightnessContrast(OperatorConformance):
    operator = "brightness_contrast"
    inputs = (IMAGES,)
    arguments = {"brightness": 1.3}
    per_sample = {
        "brightness": np.float32([0.5, 1.5, 0, 3]),
        "brightness_shift": np.float32([0.1, -0.1, 0, 1]),
        "contrast": np.float32([0.5, 2, 0, -1]),
        "contrast_center": np.float32([0, 100, 128, 255]),
    }
    bad = (
        ({"contrast": np.nan}, "not finite"),
        ({"contrast": [np.float32(np.inf)] * 4}, "'contrast' .*not finite"),
        ({"brightness": (1.0, 2.0)}, "'brightness' must be float"),
    )


class TestBrightness(OperatorConformance):
    operator = "brightness"
    layout = "FHWC"
    inputs = (VIDEOS,)
    arguments = {"brightness_shift": 0.1, "dtype": types.FLOAT16}
    per_sample = {"brightness": np.float32([0.5, 1.5, 3])}


class TestContrast(OperatorConformance):
    operator = "contrast"
    inputs = ([image.astype(np.int16) * 50 for image in IMAGES],)
    arguments = {"dtype": types.UINT8}
    per_sample = {"contrast": np.float32([0.5, 2, 0, -1])}


class TestNumbersOfEightBytes(OperatorConformance):
    operator = "brightness_contrast"
    layout = ""
    inputs = ([image.astype(np.int64) * 10**12 for image in IMAGES],)
    arguments = {"brightness": 1.25, "contrast_center": 1e13, "contrast": 0.5}


@pytest.mark.parametrize("source", ["u1", "i2", "i4", "i8", "u2", "f2", "f4", "f8"])
@pytest.mark.parametrize("target", ["u1", "i2", "u4", "f2", "f4", "f8"])
def test_every_dtype_follows_the_formula(source, target):
    image = np.linspace(0, 120, 24).reshape(2, 4, 3).astype(source)
    dtype = types.to_dali_type(np.dtype(target))
    arguments = {"brightness": 1.5, "contrast": 0.5, "contrast_center": 100.0}
    (result,) = run("brightness_contrast", [image], "HWC", dtype=dtype, **arguments)
    exact = 0.75 * image.astype(float) + 75
    assert result.dtype == target
    rounding = {"f": 0.1 if target == "f2" else 1e-4}.get(result.dtype.kind, 0.5001)
    assert np.abs(result.astype(float) - exact).max() <= rounding


def test_shifts_are_in_units_of_the_results_range(device):
    image = np.zeros((1, 1, 1), np.uint8)
    for dtype, largest in (("u1", 255), ("i2", 32767), ("f4", 1)):
        (result,) = run(
            "brightness", [image], "HWC", dtype=np.dtype(dtype), brightness_shift=1.0, device=device
        )
        assert result.item() == largest


@pytest.mark.parametrize(("dtype", "center"), [("u1", 128), ("i2", 16384), ("f4", 0.5)])
def test_the_center_is_half_of_the_inputs_range(device, dtype, center):
    (result,) = run("contrast", [np.ones((2, 2, 1), dtype)], "HWC", contrast=0.0, device=device)
    assert (result == np.dtype(dtype).type(center)).all()


@pytest.mark.parametrize("shape", [(0, 4, 3), (1, 1, 1), (5,), (2, 3, 4, 5)])
def test_any_shape(device, shape):
    (result,) = run("brightness", [np.ones(shape, np.uint8)], brightness=2.0, device=device)
    assert result.tolist() == np.full(shape, 2).tolist()
