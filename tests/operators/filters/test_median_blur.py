"""`experimental.median_blur`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.filters import median_blur
from penstock.testing.agreement import agree
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

NAME = "experimental.median_blur"


class TestMedianBlur(OperatorConformance):
    operator = NAME
    layouts = (*OperatorConformance.layouts, "WHC")
    inputs = ([pixels(10 + i, 12 - i, 3, seed=i) for i in range(3)],)
    per_sample = {"window_size": [np.int32([3]), np.int32([5, 1]), np.int32([7, 7])]}
    bad = (
        ({"window_size": 4}, "window_size is \\(4, 4\\); give odd numbers"),
        ({"window_size": [np.int32([300])] * 3}, "window_size is \\(300, 300\\)"),
        ({"window_size": (3, 3, 3)}, "give \\(width, height\\)"),
    )


def medians(image, width, height):
    """Return the medians by the definition."""
    above, left = height // 2, width // 2
    padded = np.pad(image, ((above, above), (left, left), (0, 0)), "edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (height, width), (0, 1))
    return np.sort(windows.reshape(*image.shape, -1))[..., width * height // 2]


@pytest.mark.parametrize("size", [(1, 1), (3, 3), (5, 5), (9, 9), (3, 5), (1, 7)])
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u2", "i2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("channels", [1, 3, 5])
def test_against_the_definition(size, dtype, channels):
    image = (pixels(7, 8, channels).astype(float) - 100).astype(dtype)
    (result,) = run(NAME, [image], "HWC", window_size=size)
    np.testing.assert_array_equal(result, medians(image, *size), strict=True)


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i8", "f2", "f4", "f8"])
def test_both_devices_agree(device_stage, dtype):
    image = ((pixels(9, 8, 2).astype(float) - 100) * 1.5).astype(dtype)
    agree(NAME, [image, image[::-1].copy()], layout="HWC", window_size=(3, 5))
    agree(NAME, [image], layout="CHW", window_size=3)


def test_strips_change_nothing(device, monkeypatch):
    image = pixels(20, 9, 3).astype(np.int16)
    (whole,) = run(NAME, [image], "HWC", window_size=(3, 5), device=device)
    monkeypatch.setattr(median_blur, "STRIP_ELEMENTS", 3000)
    np.testing.assert_array_equal(
        run(NAME, [image], "HWC", window_size=(3, 5), device=device)[0], whole
    )
