"""`erase`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run


class TestErase(OperatorConformance):
    operator = "erase"
    inputs = ([pixels(10, 12 + i, 3, seed=i) for i in range(3)],)
    arguments = {"anchor": (2.0, 3.0, 6.0, -4.0), "shape": (3.5, 4.0, 2.0, 99.0)}
    per_sample = {
        "fill_value": [np.float32([1, 2, 300]), np.float32([7.9, 0, 0]), np.float32([-1, 0, 5])]
    }
    bad = (
        ({"shape": (3.0,)}, "anchor has 4 values and shape 1; give both 2 for each region"),
        ({"shape": [np.float32([np.nan] * 4)] * 3}, "all numbers must be finite"),
        ({"fill_value": (1.0, 2.0)}, "fill_value has 2 values"),
        ({"normalized": True, "normalized_shape": True}, "exclude one another"),
    )


class TestRegionsOfEachSample(OperatorConformance):
    operator = "erase"
    layout = "CHW"
    inputs = ([pixels(3, 10, 12 + i, seed=i).astype(np.float16) for i in range(3)],)
    arguments = {"shape": (0.5, 0.5), "normalized": True, "fill_value": (1.5, 2.5, 3.5)}
    per_sample = {
        "anchor": [np.float32([0.1, 0.2]), np.float32([0.0, 0.9]), np.float32([-0.2, 0.3])]
    }


class TestVideos(OperatorConformance):
    operator = "erase"
    layout = "FHWC"
    inputs = ([pixels(2, 5, 6 + i, 1, seed=i).astype(np.int32) for i in range(3)],)
    arguments = {"anchor": (1.0,), "shape": (2.0,), "axes": (2,), "centered_anchor": True}


def erased(extents=(10, 12, 3), layout="HWC", **arguments):
    (result,) = run("erase", [np.ones(extents, np.uint8)], layout, **arguments)
    return result


def test_axes_that_are_not_named_are_filled_in_their_extent():
    wanted = np.ones((10, 12, 3))
    wanted[:, 2:6] = 0
    for arguments in ({"axis_names": "W"}, {"axes": (1,)}):
        np.testing.assert_array_equal(erased(anchor=(2.0,), shape=(4.0,), **arguments), wanted)


def test_axes_have_the_order_of_the_argument():
    result = erased(anchor=(2.0, 3.0), shape=(4.0, 5.0), axes=(1, 0))
    assert (result[3:8, 2:6] == 0).all()
    assert result.sum() == 360 - 60


def test_frames_are_erased_alike():
    result = erased((2, 10, 12, 3), "FHWC", anchor=(2.0, 3.0), shape=(4.0, 5.0), axis_names="HW")
    assert (result[:, 2:6, 3:8] == 0).all()
    assert result.sum() == 720 - 120


def test_regions_are_of_all_axes_but_channels():
    result = erased((2, 10, 12, 3), "FHWC", anchor=(1.0, 2.0, 3.0), shape=(1.0, 4.0, 5.0))
    assert (result[1, 2:6, 3:8] == 0).all()
    assert result.sum() == 720 - 60


@pytest.mark.parametrize("shape", [(0.0, 5.0), (-1.0, 5.0)])
def test_empty_regions_have_no_effect(shape):
    assert erased(anchor=(2.0, 3.0), shape=shape).all()
    assert erased().all()


def test_the_anchor_is_0_by_default():
    assert (erased(shape=(4.0, 5.0))[:4, :5] == 0).all()


def test_no_layout_needs_axes():
    with pytest.raises(ArgumentError, match="give axes"):
        run("erase", [np.ones(4)], shape=(1.0,))
    assert run("erase", [np.ones(4)], shape=(1.0,), axes=(0,))[0].tolist() == [0, 1, 1, 1]
