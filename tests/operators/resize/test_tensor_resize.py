"""`tensor_resize`: which axes, which sizes, and both devices."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, on_device
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run


class TestTensorResize(OperatorConformance):
    operator = "tensor_resize"
    layout = "ABC"
    inputs = ([pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)],)
    arguments = {"sizes": (8.0, 5.0), "axis_names": "AB"}
    per_sample = {
        "sizes": [*map(np.float32, ([4.0, 5.5], [8.0], [-3, 11], [0, 6]))],
        "alignment": [*map(np.float32, ([0.0], [1.0], [0.3, 0.9], [2]))],
        "interp_type": [*map(np.int32, (0, 1, 2, 1))],
    }
    bad = (
        ({"sizes": (np.inf, 5)}, "not finite"),
        ({"sizes": (1.0, 2.0, 3.0)}, "'sizes' has 3 values for 2 axes"),
        ({"sizes": [np.float32([1, 2, 3])] * 4}, "'sizes' has 3 values for 2 axes"),
        ({"scales": (0.5, 0.5)}, "give either sizes or scales"),
        ({"axes": (0, 1)}, "exclude one another"),
        ({"mode": "none"}, "must be 'default', 'stretch'"),
        ({"size_rounding": "up"}, "must be 'round', 'truncate' or 'ceil'"),
        ({"roi_start": 0.0}, "together, or neither"),
        ({"axis_names": "AX"}, "there is no axis 'X'"),
    )
    largest = 1


class TestScales(OperatorConformance):
    operator = "tensor_resize"
    layout = ""
    inputs = ([pixels(2, 6 + i, 9 - i, 3, seed=i).astype(np.float32) for i in range(4)],)
    arguments = {"scales": (0.4, 1.7), "axes": (-3, -2), "size_rounding": "ceil"}
    per_sample = {"scales": [*map(np.float32, ([0.5], [-1, 2], [1], [3]))]}
    bad = (({"mode": "not_larger"}, "scales do not go with the mode"),)
    largest = 1e-3


def test_one_axis_of_any_place(device_stage):
    sample = pixels(4, 5, 6, 3, 2).astype(np.float32)
    for axis in range(sample.ndim):
        options = {"sizes": 7.0, "axes": axis, "interp_type": types.INTERP_NN}
        ((result,),) = agree("tensor_resize", [sample], **options)
        nearest = ((np.arange(7) + 0.5) * sample.shape[axis] / 7).astype(int)
        np.testing.assert_array_equal(result, sample.take(nearest, axis))


def test_it_resizes_images_as_resize_does(device):
    image = pixels(20, 30, 3)
    for size, options in (((9, 14), {}), ((33, 40.5), {"interp_type": types.INTERP_CUBIC})):
        (wanted,) = run("resize", [image], "HWC", size=size, **options, device=device)
        (result,) = run(
            "tensor_resize", [image], "HWC", sizes=size, axes=(0, 1), **options, device=device
        )
        np.testing.assert_array_equal(result, wanted)
        (result,) = run("tensor_resize", [image], sizes=(*size, 3), **options, device=device)
        np.testing.assert_array_equal(result, wanted)


def test_axes_that_stay_may_be_many(device_stage):
    sample = pixels(2, 3, 4, 5, 2)
    ((result,),) = agree("tensor_resize", [sample], scales=(1.0, 1, 2, 2, 1), largest=1)
    assert result.shape == (2, 3, 8, 10, 2)
    ((result,),) = agree("tensor_resize", [sample], sizes=(2, 3, 4, 5, 2))
    np.testing.assert_array_equal(result, sample)
    for device in ("cpu", "gpu"):
        with pytest.raises(ArgumentError, match="the axes 0 to 3 would be resized"):
            on_device(device, "tensor_resize", [sample], sizes=(4.0, 9), axes=(0, 3))


def test_samples_that_are_refused(device):
    with pytest.raises(ArgumentError, match="no axis that could be resized"):
        on_device(device, "tensor_resize", [np.uint8(3)], sizes=4.0)
