"""Conversion of numbers of signals, full range to full range."""

import numpy as np
import pytest

from penstock.signals.amplitude import DTYPES, from_float, to_float

INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]


def as_floats(values, dtype):
    source = np.array(values, dtype)
    out = np.empty(source.shape, np.float32)
    to_float(source, out)
    return out


def from_floats(values, dtype):
    out = np.empty(len(values), dtype)
    from_float(np.array(values, np.float32), out)
    return out


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_the_range_of_integers_is_that_of_floats(dtype):
    limits = np.iinfo(dtype)
    low = limits.min + bool(limits.min)
    np.testing.assert_allclose(as_floats([low, limits.max], dtype), [-1, 1], atol=1e-6)
    assert from_floats([-1, 1], dtype).tolist() == [low, limits.max]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_numbers_out_of_range_become_the_nearest_and_nan_the_lowest(dtype):
    limits = np.iinfo(dtype)
    found = from_floats([2, -2, np.inf, -np.inf, np.nan], dtype).tolist()
    assert found == [limits.max, limits.min, limits.max, limits.min, limits.min]


def test_the_examples_of_dali_s_documentation():
    assert from_floats([-1.0, 0.0, 1.0], np.uint8).tolist() == [0, 128, 255]
    np.testing.assert_allclose(
        as_floats([0, 32767, 32768, 65535], np.uint16), [-1, -0.000015, 0.000015, 1], atol=1e-6
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16])
def test_integers_come_back(dtype):
    limits = np.iinfo(dtype)
    numbers = np.arange(limits.min, limits.max + 1, 7)
    np.testing.assert_array_equal(from_floats(as_floats(numbers, dtype), dtype), numbers)


def test_floats_are_copied():
    values = np.array([0.5, np.nan, 3], np.float32)
    np.testing.assert_array_equal(as_floats(values, np.float32), values)
    np.testing.assert_array_equal(from_floats(values, np.float32), values)
