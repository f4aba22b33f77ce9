"""Plans of images on the CPU: ways, types of sums, and refused cases."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.resize.cpu_plan import plan_image, unsupported
from penstock.operators.resize.filters import Filter


def planned(
    shape=(20, 30, 3), size=(10, 15), roi=None, chosen=Filter.LINEAR, antialias=True, dtype="uint8",
    result="uint8",
):  # fmt: skip
    dtypes = np.dtype(dtype), np.dtype(result)
    return plan_image(shape, dtypes[0], size, roi, (chosen, chosen), antialias, dtypes[1])


def test_opencv_does_plain_linear_interpolation_of_bytes():
    assert planned(antialias=False).suits_opencv
    assert planned(size=(40, 60)).suits_opencv  # nothing shrinks
    assert not planned().suits_opencv
    assert not planned(antialias=False, result="float32").suits_opencv
    assert not planned(antialias=False, shape=(20, 30, 5)).suits_opencv
    assert not planned(antialias=False, roi=(0.0, 0.0, 19.0, 30.0)).suits_opencv


def test_axes_that_copy():
    plan = planned(size=(20, 15), chosen=Filter.CUBIC)
    assert (plan.copies_rows, plan.copies_columns) == (True, False)
    nearest = planned(chosen=Filter.NEAREST)
    assert nearest.copies_rows
    assert nearest.copies_columns


@pytest.mark.parametrize(
    ("dtype", "work"), [("uint8", "float32"), ("int16", "float32"), ("int32", "float64")]
)
def test_sums_hold_all_values_of_the_input(dtype, work):
    assert planned(dtype=dtype, result=dtype).work == work


def test_sums_below_the_range():
    assert not planned().overshoots
    assert planned(chosen=Filter.LANCZOS3).overshoots
    assert planned(dtype="int8", result="int8").overshoots


def test_a_known_case_is_planned_once():
    assert planned(size=(7, 9)) is planned(size=(7, 9))


@pytest.mark.parametrize(
    ("case", "error", "message"),
    [
        ({"shape": (20, 30)}, ValueError, "height, width, channels"),
        ({"shape": (20, 0, 3)}, ValueError, "none of them 0"),
        ({"dtype": "int64", "result": "int64"}, TypeError, "cannot resample int64"),
        ({"result": "int16"}, TypeError, "uint8 like the image, or float32"),
        ({"size": (0, 5)}, ValueError, "at least 1"),
        ({"roi": (3.0, 0.0, 3.0, 9.0)}, ValueError, "y0 != y1"),
        ({"roi": (0.0, 0.0, np.inf, 9.0)}, ValueError, "finite"),
    ],
)
def test_cases_that_cannot_be_planned(case, error, message):
    with pytest.raises(error, match=message):
        planned(**case)


def test_the_supported_types_are_listed():
    assert "bool; supported are float16, float32" in unsupported(np.dtype(bool))
