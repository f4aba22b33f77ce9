"""`color_space_conversion`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

SPACES = [types.RGB, types.BGR, types.GRAY, types.YCbCr]


class TestToYCbCr(OperatorConformance):
    operator = "color_space_conversion"
    inputs = ([pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)],)
    arguments = {"image_type": types.RGB, "output_type": types.YCbCr}
    bad = (
        ({"image_type": types.GRAY}, "has 1 channels, such as HWC, but the sample is 'HWC' with 3"),
        ({"output_type": types.ANY_DATA}, "'output_type' must be .* but is ANY_DATA"),
    )
    largest = 1


class TestVideosToGray(OperatorConformance):
    operator = "color_space_conversion"
    layout = "FHWC"
    inputs = ([pixels(2, 6 + i, 9 - i, 3, seed=i) for i in range(3)],)
    arguments = {"image_type": types.BGR, "output_type": types.GRAY}
    largest = 1


class TestFromGray(OperatorConformance):
    operator = "color_space_conversion"
    inputs = ([pixels(6 + i, 9 - i, 1, seed=i) for i in range(3)],)
    arguments = {"image_type": types.GRAY, "output_type": types.RGB}


@pytest.mark.parametrize("source", SPACES)
@pytest.mark.parametrize("target", SPACES)
def test_there_and_back(device, source, target):
    rgb = np.full((2, 3, 3), (90, 120, 100), np.uint8)
    (image,) = run(
        "color_space_conversion",
        [rgb],
        "HWC",
        image_type=types.RGB,
        output_type=source,
        device=device,
    )
    (there,) = run(
        "color_space_conversion",
        [image],
        "HWC",
        image_type=source,
        output_type=target,
        device=device,
    )
    (back,) = run(
        "color_space_conversion",
        [there],
        "HWC",
        image_type=target,
        output_type=source,
        device=device,
    )
    assert there.shape == (2, 3, 1 if target == types.GRAY else 3)
    if target != types.GRAY:
        assert np.abs(back.astype(int) - image).max() <= 2


@pytest.mark.parametrize("shape", [(1, 1, 3), (0, 4, 3), (2, 2, 3, 3), (1, 2, 3, 3, 3)])
def test_any_layout_that_ends_in_channels(device, shape):
    for target in (types.GRAY, types.YCbCr):
        arguments = {"image_type": types.RGB, "output_type": target}
        (result,) = run(
            "color_space_conversion", [np.zeros(shape, np.uint8)], **arguments, device=device
        )
        assert result.shape == (*shape[:-1], 1 if target == types.GRAY else 3)


def test_only_bytes_are_converted(device):
    arguments = {"image_type": types.RGB, "output_type": types.GRAY}
    with pytest.raises(ArgumentError, match="converts uint8 images, not float32"):
        run("color_space_conversion", [np.zeros((2, 2, 3), np.float32)], **arguments, device=device)
