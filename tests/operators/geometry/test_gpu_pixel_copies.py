"""Plans of copies of single pixels: which pixels the kernel can read together."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.geometry.gather_plan import plan_gather
from penstock.operators.geometry.gpu_copies import copy_views
from penstock.operators.geometry.gpu_pixel_copies import pixels_of
from penstock.operators.geometry.strided_views import StridedViews

SHAPES = np.array([[6, 9, 3], [6, 9, 3]])
BYTES = np.dtype(np.uint8)


def view_of(shapes, dtype=BYTES):
    return StridedViews.at(np.zeros(len(shapes), np.int64), np.array(shapes), dtype)


def mirrored(shapes=SHAPES):
    return view_of(shapes).flipped(np.array([[False, True, False]] * len(shapes)))


def test_mirrored_pixels_stay_together():
    plan, macros = pixels_of(plan_gather(SHAPES, [mirrored()]), 1)
    assert plan.extents.tolist() == [[6, 27]] * 2
    assert macros == {
        "PARTS": "1",
        "BOUNDS": "WHOLE",
        "GRAIN": "1",
        "PIXEL": "3",
        "WIDTHS": "3ull",
        "STEPS": "3ull",
    }
    assert plan.strides[:, 0].tolist() == [[27, -3]] * 2


def test_channels_in_another_order_are_parts_of_a_pixel():
    turned = view_of(SHAPES).flipped(np.array([[False, False, True]] * 2))
    plan, macros = pixels_of(plan_gather(SHAPES, [turned]), 1)
    assert (macros["PARTS"], macros["WIDTHS"], macros["STEPS"]) == ("3", "65793ull", "197379ull")
    assert plan.first.tolist() == [[2, 1, 0]] * 2


@pytest.mark.parametrize(
    ("view", "size"),
    [
        (view_of(SHAPES).axes((2, 0, 1)), 1),  # planes
        (mirrored([[6, 9, 3], [6, 9, 2]]), 1),  # pixels differ
    ],
)
def test_other_copies_are_left_to_other_kernels(view, size):
    plan = plan_gather(view.shapes, [view])
    assert pixels_of(plan, size) is None


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_the_kernel_copies_them(gpu_batch, dtype, channels):
    rows = [(np.arange(6 * 9 * channels) % 251).astype(dtype).reshape(6, 9, channels)] * 2
    batch, [data] = gpu_batch(rows)
    flips = np.array([[False, True, False], [True, True, False]])
    result = copy_views(batch, StridedViews.of(data).flipped(flips)).as_cpu().rows()
    np.testing.assert_array_equal(result[0], rows[0][:, ::-1])
    np.testing.assert_array_equal(result[1], rows[1][::-1, ::-1])
