import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.common.number_arguments import check_numbers

from ..running import make


@pytest.mark.parametrize("name", ["noise.salt_and_pepper", "grid_mask"])
def test_defaults_are_within_their_limits(name):
    operator = make(name)
    declared = operator.params.items()
    check_numbers(operator, {k: p.default for k, p in declared if isinstance(p.default, float)})


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_are_finite(number):
    with pytest.raises(ArgumentError, match=f"^fn.hue: hue is {number}; it must be finite"):
        check_numbers(make("hue"), {"hue": number})


@pytest.mark.parametrize(
    ("operator", "name", "number", "wanted"),
    [
        ("noise.salt_and_pepper", "prob", -0.1, "from 0 to 1"),
        ("noise.salt_and_pepper", "prob", 1.5, "from 0 to 1"),
        ("grid_mask", "tile", 0, "at least 1"),
    ],
)
def test_numbers_outside_of_their_limits(operator, name, number, wanted):
    with pytest.raises(
        ArgumentError, match=f"^fn.{operator}: {name} is {number}; it must be {wanted}"
    ):
        check_numbers(make(operator), {name: number})


def test_each_of_several_numbers_is_checked():
    blur = make("gaussian_blur")
    for numbers in ((1.0, 2.0), np.array([[1.0], [2.0]])):
        check_numbers(blur, {"sigma": numbers})
    for numbers in ((1.0, -2.0), np.array([1.0, -2.0])):
        with pytest.raises(ArgumentError, match=r"sigma is -2.0; it must be at least 0"):
            check_numbers(blur, {"sigma": numbers})
