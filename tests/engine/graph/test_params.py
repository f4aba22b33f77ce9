"""What users may pass as arguments, and what they are told when it does not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, types
from penstock.engine.graph import params
from penstock.engine.graph.params import REQUIRED, Param, convert, from_row


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        (params.INT, 3.0, 3),
        (params.INT, np.int64(3), 3),
        (params.FLOAT, 2, 2.0),
        (params.BOOL, 1, True),
        (params.BOOL, np.bool_(False), False),
        (params.STR, Path("a/b"), "a/b"),
        (params.INTS, 5, (5,)),
        (params.INTS, np.array([[1, 2], [3, 4]]), (1, 2, 3, 4)),
        (params.FLOATS, [1, 2], (1.0, 2.0)),
        (params.STRS, "one", ("one",)),
        (params.STRS, ["one", "two"], ("one", "two")),
        (params.DTYPE, np.float16, types.FLOAT16),
        (params.DTYPE, types.INT8, types.INT8),
        (params.IMAGE_TYPE, 2, types.GRAY),
        (params.INTERP, types.INTERP_NN, types.INTERP_NN),
        (params.CALLABLE, len, len),
        (params.BOOL, 0.0, False),
        (params.ANY_FLOAT, float("inf"), float("inf")),
        (params.ANY_FLOATS, [1, -np.inf], (1.0, -np.inf)),
        (params.LAYOUT, "HWC", "HWC"),
        (params.INT, np.array(4), 4),
    ],
)
def test_values_that_fit(kind, value, wanted):
    result = convert("fn.x", "a", Param(kind, None, ""), value)
    assert result == wanted
    assert type(result) is type(wanted)


def test_choices():
    form = params.param(params.STR, "linear", "Its form.", choices=("linear", "cubic"))
    assert convert("fn.x", "form", form, "cubic") == "cubic"
    assert convert("fn.x", "form", form, None) == "linear"
    assert form.annotation == "Literal['linear', 'cubic']"
    message = r"fn\.x: the argument 'form' must be 'linear' or 'cubic', but is "
    with pytest.raises(ArgumentError, match=message + r"'cubik' \(did you mean 'cubic'\?\)"):
        convert("fn.x", "form", form, "cubik")
    with pytest.raises(ArgumentError, match=message + r"'' \(no such choice\)"):
        convert("fn.x", "form", form, "")
    with pytest.raises(ArgumentError, match=message + "3"):
        convert("fn.x", "form", form, 3)


def test_choices_of_converted_values():
    kinds = types.INTERP_NN, types.INTERP_LINEAR
    interpolation = params.param(params.INTERP, types.INTERP_NN, "Its kind.", choices=kinds)
    assert interpolation.annotation == "DALIInterpType"
    with pytest.raises(ArgumentError, match=r"INTERP_NN or INTERP_LINEAR, but is INTERP_CUBIC \("):
        convert("fn.x", "a", interpolation, types.INTERP_CUBIC)
    flag = params.param(params.ANY, "no", "", choices=("no", True, 3))
    assert convert("fn.x", "a", flag, 1) == 1
    with pytest.raises(ArgumentError, match="must be 'no', True or 3, but is array"):
        convert("fn.x", "a", flag, np.array([1, 2]))


def test_an_argument_of_each_sample_has_no_choices():
    with pytest.raises(TypeError, match="choices or is per_sample"):
        params.param(params.INT, 1, "", per_sample=True, choices=(1, 2))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (params.INT, 2.5),
        (params.INT, "many"),
        (params.INT, float("inf")),
        (params.INT, [1, 2]),
        (params.FLOAT, "wide"),
        (params.BOOL, "False"),
        (params.STR, 5),
        (params.INTS, ["a"]),
        (params.FLOATS, "ab"),
        (params.STRS, [1]),
        (params.ARRAY, object()),
        (params.DTYPE, "no type"),
        (params.IMAGE_TYPE, 77),
        (params.CALLABLE, 5),
        (params.INT, "5"),
        (params.INT, 2**70),
        (params.FLOAT, "5"),
        (params.FLOAT, float("nan")),
        (params.FLOATS, [1.0, float("inf")]),
        (params.INTS, b"abc"),
        (params.FLOATS, bytearray(b"abc")),
        (params.STR, b"abc"),
        (params.LAYOUT, "HHC"),
        (params.BOOL, object()),
        (params.BOOL, 2),
        (params.BOOL, "no"),
    ],
)
def test_values_that_do_not_fit_are_shown_with_what_is_wanted(kind, value):
    with pytest.raises(ArgumentError, match=r"fn\.x: the argument 'size' must be ") as caught:
        convert("fn.x", "size", Param(kind, None, ""), value)
    assert kind.annotation in str(caught.value)
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize(
    ("limits", "fitting", "others", "text"),
    [
        ({"minimum": 0}, (0, 5), (-1,), "at least 0"),
        ({"above": 0, "maximum": 1}, (0.5, 1), (0, 1.5), "above 0 and at most 1"),
        ({"minimum": 0, "maximum": 1}, (0, 1), (-0.1, 1.1), "from 0 to 1"),
    ],
)
def test_limits(limits, fitting, others, text):
    declared = params.param(params.FLOATS, None, "Doc.", **limits)
    for value in fitting:
        assert convert("fn.x", "a", declared, [value, value]) == (value, value)
    for value in others:
        with pytest.raises(ArgumentError, match=rf"must be .*, {text}, but is \[\d"):
            convert("fn.x", "a", declared, [fitting[0], value])
    assert from_row(declared, np.array(others[0])) == (others[0],)  # operators check data


def test_none_means_the_default():
    assert convert("fn.x", "a", Param(params.INT, 7, ""), None) == 7
    assert convert("fn.x", "a", Param(params.FLOATS, 0, ""), None) == (0.0,)
    assert convert("fn.x", "a", Param(params.FLOATS, None, ""), None) is None
    with pytest.raises(ArgumentError, match=r"'a' must be int, but is 2\.5"):
        convert("fn.x", "a", Param(params.INT, 2.5, ""), None)
    with pytest.raises(ArgumentError, match="'a' must be given: how many"):
        convert("fn.x", "a", Param(params.INT, REQUIRED, "how many"), None)
    assert repr(REQUIRED) == "<required>"


def test_rows_of_data_as_arguments():
    assert from_row(Param(params.INT, 0, ""), np.array([3.0])) == 3
    assert from_row(Param(params.FLOAT, 0, ""), np.array(2.5)) == 2.5
    assert from_row(Param(params.FLOATS, 0, ""), np.array([1, 2])) == (1.0, 2.0)
    assert from_row(Param(params.FLOATS, 0, ""), np.array([4])) == (4.0,)
    assert from_row(Param(params.ANY_FLOATS, 0, ""), np.array([4, np.inf])) == (4.0, np.inf)
    with pytest.raises(ValueError, match="not finite"):
        from_row(Param(params.FLOATS, 0, ""), np.array([4, np.inf]))
