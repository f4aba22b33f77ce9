from typing import Any

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.geometry.dimensions import ExpandDims, Squeeze
from penstock.tests.operators.running import apply, array

SAMPLE = np.zeros((2, 1, 3, 1))


def test_squeeze() -> None:
    assert apply(Squeeze, SAMPLE, axes=[1, 3]).shape == (2, 3)
    assert apply(Squeeze, SAMPLE, axes=-1).shape == (2, 1, 3)
    assert apply(Squeeze, SAMPLE, axes=array("int32", [1])).shape == (2, 3, 1)


def test_squeeze_by_name() -> None:
    operator = Squeeze("cpu", (), ("FHWC",), axis_names="CH")
    assert operator.output_layouts() == ("FW",)
    assert apply(Squeeze, SAMPLE, layouts=("FHWC",), axis_names="H").shape == (2, 3, 1)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "either axes or axis_names"),
        ({"axes": 1, "axis_names": "H"}, "either axes or axis_names"),
        ({"axes": 0}, "not of extent 1"),
        ({"axes": 4}, r"axis 4 is outside of \[-4, 3\]"),
        ({"axes": [1, -3]}, "twice"),
        ({"axis_names": "X"}, "no axis 'X' in the layout 'FHWC'"),
    ],
)
def test_bad_squeezes(arguments: Any, text: Any) -> None:
    with pytest.raises(ArgumentError, match=text):
        apply(Squeeze, SAMPLE, layouts=("FHWC",), **arguments)


def test_squeeze_layout_of_data_axes_is_unknown() -> None:
    assert Squeeze("cpu", ("axes",), ("FHWC",)).output_layouts() == ("",)


def test_expand() -> None:
    assert apply(ExpandDims, SAMPLE, axes=[0, 5]).shape == (1, 2, 1, 3, 1, 1)
    operator = ExpandDims("cpu", (), ("HW",), axes=[3, 0], new_axis_names="CF")
    assert operator.output_layouts() == ("FHWC",)


def test_names_of_the_axes_of_single_numbers() -> None:
    operator = ExpandDims("cpu", (), ("",), axes=[1, 0], new_axis_names="XY")
    assert operator.output_layouts() == ("YX",)
    assert apply(ExpandDims, np.array(5), axes=[0], new_axis_names="X").shape == (1,)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "'axes' must be given"),
        ({"axes": -1}, "from 0"),
        ({"axes": [0, 0]}, "distinct"),
        ({"axes": 5}, "none can stand at 5"),
        ({"axes": [0, 1], "new_axis_names": "F"}, "a letter for each"),
        ({"axes": 0, "new_axis_names": "F"}, "needs an input with a layout"),
    ],
)
def test_bad_expansions(arguments: Any, text: Any) -> None:
    with pytest.raises(ArgumentError, match=text):
        apply(ExpandDims, SAMPLE, **arguments)
