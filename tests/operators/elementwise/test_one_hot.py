"""`one_hot`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError, LayoutError
from penstock.testing.operators import OperatorConformance

from ..running import make, pixels, run


class TestMasks(OperatorConformance):
    operator = "one_hot"
    layout = "HW"
    inputs = ([pixels(4 + i, 5 - i, seed=i).astype(np.int32) % 9 - 2 for i in range(3)],)
    arguments = {"num_classes": 5, "axis": 0, "axis_name": "C", "dtype": types.UINT8}
    bad = (
        ({"axis": 3}, "give an axis from -1 to 2"),
        ({"axis_name": "CC"}, "give a single letter"),
        ({"axis_name": "H"}, "has an axis 'H' already"),
        ({"on_value": np.inf}, "not finite"),
    )


class TestLabels(OperatorConformance):
    operator = "one_hot"
    layout = ""
    inputs = ([np.int32([i]) for i in range(4)],)
    arguments = {"num_classes": 3, "on_value": 2.5, "off_value": -0.5}


class TestFloats(OperatorConformance):
    operator = "one_hot"
    layout = "X"
    inputs = ([np.float32([0.5, 1.9, -0.5, -1, i]) for i in range(3)],)
    arguments = {"num_classes": 3}


def test_the_new_axis_can_be_anywhere(device):
    classes = np.array([[0, 2], [3, 1]])
    wanted = np.eye(4, dtype=np.float32)[classes]
    for axis in (-1, 0, 1, 2):
        (result,) = run("one_hot", [classes], num_classes=4, axis=axis, device=device)
        np.testing.assert_array_equal(result, np.moveaxis(wanted, -1, axis))


def test_layouts():
    def layout(given, **arguments):
        return make("one_hot", given, num_classes=2, **arguments).output_layouts()

    assert layout("HW") == ("",)
    assert layout("HW", axis_name="C") == ("HWC",)
    assert layout("HW", axis_name="C", axis=1) == ("HCW",)
    assert layout("", axis_name="C") == ("C",)  # of scalars


def test_a_name_of_the_new_axis_needs_names_of_the_others(device):
    with pytest.raises(LayoutError, match="2 dimensions need a layout"):
        run("one_hot", [np.ones((2, 3), np.int32)], num_classes=2, axis_name="C", device=device)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_element_is_a_scalar(device, shape):
    sample = np.full(shape, 1, np.int64)
    assert run("one_hot", [sample], num_classes=3, device=device)[0].tolist() == [0, 1, 0]
    assert run("one_hot", [sample], "", num_classes=3, axis=0, device=device)[0].shape == (
        3,
        *shape,
    )


def test_integers_lose_fractions_of_values(device):
    arguments = {"num_classes": 2, "on_value": 2.7, "off_value": -1.0, "dtype": types.UINT8}
    assert run("one_hot", [np.int32([0, 1])], **arguments, device=device)[0].tolist() == [
        [2, 0],
        [0, 2],
    ]


def test_an_axis_that_does_not_exist(device):
    with pytest.raises(ArgumentError, match="axis is 2"):
        run("one_hot", [np.int32([0, 1])], num_classes=2, axis=2, device=device)
