import numpy as np
import pytest

from penstock.operators.elementwise.saturation import saturated
from penstock.tests.operators.running import array

FRACTIONS = [-0.5, 0.5, 1.5, 2.5, -1.5, 0.49999997, 254.5, 255.5, 300, -3, 1e20, -1e20]


@pytest.mark.parametrize("source", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "target", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
)
def test_fractions(source, target):
    numbers = array("float64", FRACTIONS)
    numbers = numbers[np.abs(numbers) < 60000] if source == "float16" else numbers
    numbers = numbers.astype(source)
    result = saturated(numbers, np.dtype(target))
    assert result.dtype == target
    exact = [float(x) for x in numbers]
    limits = np.iinfo(target)
    for value, converted in zip(exact, result.tolist(), strict=True):
        nearest = int(np.sign(value)) * int(np.floor(abs(value) + 0.5))
        if abs(value) < 0.5:
            nearest = 0
        assert converted == min(max(nearest, limits.min), limits.max), value


@pytest.mark.parametrize("target", ["uint8", "int8", "int32", "uint64", "int64"])
def test_what_is_no_number_and_infinity(target):
    limits = np.iinfo(target)
    result = saturated(array("float32", [np.nan, np.inf, -np.inf]), np.dtype(target))
    assert result.tolist() == [limits.min, limits.max, limits.min]


@pytest.mark.parametrize("target", ["uint8", "int64"])
def test_single_numbers(target):
    for value, result in ((np.nan, np.iinfo(target).min), (7.5, 8), (np.inf, np.iinfo(target).max)):
        assert saturated(np.asarray(np.float32(value)), np.dtype(target)) == result


def test_every_fraction_near_a_half():
    halves = np.arange(-300, 300, dtype=np.float32) + np.float32(0.5)
    below = np.nextafter(halves, np.float32(0))
    rounded = saturated(below, np.dtype("int16"))
    np.testing.assert_array_equal(rounded, np.trunc(halves))
    away = saturated(halves, np.dtype("int16"))
    np.testing.assert_array_equal(away, np.trunc(halves) + np.sign(halves))


@pytest.mark.parametrize(
    ("source", "target", "numbers", "result"),
    [
        ("int64", "uint8", [-1, 255, 256, 2**40], [0, 255, 255, 255]),
        ("int64", "int32", [-(2**63), 2**63 - 1, 7], [-(2**31), 2**31 - 1, 7]),
        ("uint64", "int64", [2**64 - 1, 5], [2**63 - 1, 5]),
        ("int8", "uint64", [-1, 127], [0, 127]),
        ("uint8", "int32", [255], [255]),
        ("int64", "bool", [-1, 0, 2], [True, False, True]),
        ("float32", "bool", [0.5, 0.4, -0.6, np.nan], [True, False, True, True]),
        ("bool", "float32", [True, False], [1, 0]),
        ("int64", "float16", [70000, -70000, 3], [np.inf, -np.inf, 3]),
        ("float64", "float32", [1e300, 0.5], [np.inf, 0.5]),
    ],
)
def test_other_conversions(source, target, numbers, result):
    converted = saturated(array(source, numbers), np.dtype(target))
    assert converted.dtype == target
    assert converted.tolist() == result


def test_same_type_is_not_copied():
    numbers = array("uint8", [1])
    assert saturated(numbers, np.dtype("uint8")) is numbers
