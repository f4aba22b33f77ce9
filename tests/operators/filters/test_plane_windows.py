"""What the operators share whose windows are rectangles."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.filters.plane_windows import two_numbers
from penstock.testing.agreement import agree

from ..running import pixels, run


def test_width_comes_first():
    assert two_numbers("mask_size", (3, 5)) == (5, 3)
    assert two_numbers("mask_size", (4,)) == (4, 4)
    with pytest.raises(ArgumentError, match=r"mask_size is \(1, 2, 3\); give \(width, height\)"):
        two_numbers("mask_size", (1, 2, 3))


@pytest.mark.parametrize("name", ["experimental.dilate", "experimental.median_blur"])
@pytest.mark.parametrize(
    ("layout", "shape"), [("", (6, 7)), ("CHW", (2, 6, 7)), ("FHWC", (2, 6, 7, 3))]
)
def test_layouts(device_stage, name, layout, shape):
    agree(name, [pixels(*shape)], layout=layout)


@pytest.mark.parametrize("name", ["experimental.erode", "experimental.median_blur"])
def test_only_images(device, name):
    with pytest.raises(ArgumentError, match="takes HW, HWC and CHW"):
        run(name, [pixels(4, 5, 6)], "DHW", device=device)
    assert run(name, [pixels(0, 5, 3)], "HWC", device=device)[0].shape == (0, 5, 3)
    assert run(name, [np.zeros((1, 1), np.uint8)], device=device)[0].tolist() == [[0]]
