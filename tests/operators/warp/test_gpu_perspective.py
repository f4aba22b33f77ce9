"""`warp_perspective` on the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.testing.agreement import agree, on_device

from ..pictures import pictures
from ..running import pixels

NAME = "experimental.warp_perspective"
IMAGES = pictures(20, 31)
SLANT = (1.1, 0.2, -3.0, 0.1, 0.9, 1.0, 0.003, -0.002, 1.0)


@pytest.mark.parametrize(
    ("interp", "border"),
    [
        (types.INTERP_LINEAR, "constant"),
        (types.INTERP_LINEAR, "replicate"),
        (types.INTERP_LINEAR, "reflect"),
        (types.INTERP_LINEAR, "reflect_101"),
        (types.INTERP_LINEAR, "wrap"),
        (types.INTERP_NN, "wrap"),
        (types.INTERP_CUBIC, "constant"),
    ],
)
def test_both_devices_agree(device_stage, interp, border):
    cubic = interp == types.INTERP_CUBIC  # whose positions are rounded on the CPU
    options = {"interp_type": interp, "border_mode": border, "matrix": SLANT, "layout": "HWC"}
    agree(NAME, IMAGES, largest=12 if cubic else 1, mean=1, **options)


@pytest.mark.parametrize("dtype", ["u2", "i2", "f4"])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_types_and_channels(device_stage, dtype, channels):
    images = [image.astype(dtype) for image in pictures(20, 31, channels)]
    agree(NAME, images, layout="HWC", matrix=SLANT, fill_value=3, largest=6, mean=0.5)


@pytest.mark.parametrize("huge", [1e9, 1e300])
def test_huge_coordinates(device_stage, huge):
    for border in ("constant", "replicate", "reflect", "reflect_101", "wrap"):
        matrix = (huge, 0, 0, 0, huge, 0, 0, 0, 1)
        results = agree(NAME, [pixels(5, 6, 3)], matrix=matrix, border_mode=border, largest=255)
        assert results[0][0].shape == (5, 6, 3)


@pytest.mark.parametrize("origin", ["corner", "center"])
@pytest.mark.parametrize("inverse", [False, True])
def test_matrices_on_the_device(device_stage, inverse, origin):
    matrices = [np.float32(SLANT).reshape(3, 3) + i / 500 for i in range(4)]
    options = {"inverse_map": inverse, "pixel_origin": origin}
    agree(NAME, IMAGES, matrices, layout=["HWC", ""], largest=1, **options)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((3, 3)), "is singular"),
        (np.full((3, 3), np.inf), "not finite"),
        (np.zeros((2, 3)), "the matrix has 6 values"),
    ],
)
def test_bad_matrices_on_the_device(device_stage, matrix, message):
    texts = []
    for device in ("cpu", "gpu"):
        with pytest.raises(ValueError, match=message) as caught:
            on_device(device, NAME, IMAGES[:1], [matrix], layout=["HWC", ""], inverse_map=False)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
