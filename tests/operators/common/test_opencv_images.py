"""Images of any type and number of channels for functions of OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.operators.common.opencv_images import by_channels, spread
from penstock.operators.elementwise.promotion import exact_type

from ..running import pixels


@pytest.mark.parametrize("channels", [1, 3, 130])
@pytest.mark.parametrize(("source", "target"), [("u1", "u1"), ("i8", "u1"), ("f2", "f4")])
def test_channels_and_types(channels, source, target):
    image = (pixels(4, 5, channels) // 2).astype(source)
    out = np.empty(image.shape, target)
    seen = []

    def compute(some, memory):
        seen.append((some.shape[2:], some.dtype, memory is not None))
        return cv2.add(some, np.ones_like(some), dst=memory)

    by_channels(image, out, compute)
    np.testing.assert_array_equal(out, image.astype(float) + 1)
    whole = source == target and channels <= 128
    assert [direct for *_, direct in seen] == [whole] * (2 if channels > 128 else 1)
    assert {dtype for _, dtype, _ in seen} == {
        np.dtype("u1" if source == "u1" else exact_type(image.dtype))
    }


def test_numbers_of_a_type_are_exact():
    wide = [
        name
        for name in ("u1", "i2", "f2", "f4", "i4", "u4", "i8", "f8")
        if exact_type(np.dtype(name)) == "f8"
    ]
    assert wide == ["i4", "u4", "i8", "f8"]


@pytest.mark.parametrize("channels", [1, 3, 4, 9])
@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (0, 3)])
def test_masks_are_repeated_for_channels(channels, shape):
    mask = np.random.default_rng(1).random(shape) < 0.5
    result = spread(mask, channels)
    assert result.dtype == np.uint8
    np.testing.assert_array_equal(result, np.repeat(mask, channels, axis=1))
