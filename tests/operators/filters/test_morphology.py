"""`experimental.dilate` and `experimental.erode`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

IMAGES = [pixels(10 + i, 12 - i, 3, seed=i) for i in range(3)]


class TestDilate(OperatorConformance):
    operator = "experimental.dilate"
    layouts = (*OperatorConformance.layouts, "WHC")
    inputs = (IMAGES,)
    per_sample = {
        "mask_size": [np.int32([3]), np.int32([5, 2]), np.int32([1, 40])],
        "anchor": [np.int32([0, 2]), np.int32([-1, 1]), np.int32([-1])],
    }
    bad = (
        ({"mask_size": (2, 5), "anchor": (2, 0)}, "mask_size is \\(2, 5\\) and anchor is \\(2, 0"),
        ({"mask_size": [np.int32([0])] * 3}, "mask_size is \\(0, 0\\)"),
        ({"mask_size": (3, 3, 3)}, "give \\(width, height\\)"),
        ({"border_mode": "none"}, "must be 'constant', 'replicate'"),
        ({"iterations": -1}, "from 0 to"),
    )


class TestErode(OperatorConformance):
    operator = "experimental.erode"
    layout = "FCHW"
    inputs = ([pixels(2, 3, 6, 7 + i, seed=i).astype(np.float32) for i in range(3)],)
    arguments = {"mask_size": (4, 3), "iterations": 2, "border_mode": "reflect"}
    bad = (({"anchor": (4, 0)}, "anchor is \\(4, 0"),)


@pytest.mark.parametrize("border", ["constant", "replicate", "reflect", "reflect_101", "wrap"])
@pytest.mark.parametrize("name", ["dilate", "erode"])
def test_against_the_definition(device_stage, name, border):
    modes = {"replicate": "edge", "reflect": "symmetric", "reflect_101": "reflect", "wrap": "wrap"}
    sample, extreme = pixels(6, 7, 2).astype(np.int8), np.max if name == "dilate" else np.min
    nothing = {"constant_values": -128 if name == "dilate" else 127}
    more = {"mode": modes[border]} if border in modes else nothing
    padded = np.pad(sample, ((3, 1), (1, 1), (0, 0)), **more)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (5, 3), (0, 1))
    arguments = {"mask_size": (3, 5), "anchor": (1, 3), "border_mode": border}
    ((result,),) = agree(f"experimental.{name}", [sample], layout="HWC", **arguments)
    np.testing.assert_array_equal(result, extreme(windows, axis=(3, 4)))


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i4", "f2", "f8"])
def test_types(device_stage, dtype):
    agree("experimental.erode", [pixels(9, 8, 5).astype(dtype)], layout="HWC", mask_size=4)


def test_iterations_widen_the_mask(device):
    (image,) = run(
        "experimental.dilate", [IMAGES[0]], "HWC", mask_size=(3, 2), iterations=3, device=device
    )
    wide = {"mask_size": (7, 4), "anchor": (3, 3)}
    np.testing.assert_array_equal(
        image, run("experimental.dilate", [IMAGES[0]], "HWC", **wide, device=device)[0]
    )
    (same,) = run("experimental.dilate", [IMAGES[0]], "HWC", iterations=0, device=device)
    np.testing.assert_array_equal(same, IMAGES[0])


def test_only_images(device):
    with pytest.raises(ArgumentError, match="takes HW, HWC and CHW"):
        run("experimental.dilate", [pixels(4, 5, 6)], "DHW", device=device)
    assert run("experimental.dilate", [pixels(0, 5, 3)], "HWC", device=device)[0].shape == (0, 5, 3)
