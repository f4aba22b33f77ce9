"""The arguments of a wanted size: contradictions, and the sizes that are known at definition."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.operators.resize.size_arguments import SizeArguments
from penstock.operators.resize.spatial_axes import spatial_axes

from ..running import make

IMAGE = spatial_axes("fn.resize", "HWC")


def resize(layout="HWC", per_sample=(), **arguments):
    operator = make("resize", layout, per_sample=per_sample, **arguments)
    assert isinstance(operator, SizeArguments)
    return operator


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"exactly one way .*none is given"),
        ({"size": 3, "resize_x": 4}, r"resize_x and size are given"),
        ({"resize_shorter": 3, "resize_longer": 4}, r"resize_longer and resize_shorter are given"),
        ({"size": 3, "mode": "squeeze"}, "'mode' must be 'default', .* but is 'squeeze'"),
        ({"resize_shorter": 3, "mode": "stretch"}, r"modes of their own"),
        ({"size": 3, "roi_start": [0, 0]}, r"roi_start and roi_end together"),
        ({"resize_z": 3}, r"resize_z is for volumes, but the layout is HWC"),
        ({"size": [1, 2, 3]}, r"size must have one number, or one for each of the 2 axes"),
        ({"size": 3, "max_size": [1, 2, 3]}, r"max_size must have one number"),
        ({"size": 10**7}, r"fn\.resize"),
    ],
)
def test_arguments_that_contradict_one_another_are_refused_at_definition(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        resize(**arguments)


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        ({"size": [4, 6]}, (4, 6)),
        ({"size": 5}, (5, 5)),
        ({"resize_x": 6, "resize_y": 4}, (4, 6)),
        ({"size": [4, 6], "mode": "stretch"}, (4, 6)),
        ({"size": [4, 0]}, None),
        ({"size": [4, -6]}, None),
        ({"size": [4.5, 6]}, None),
        ({"resize_x": 6}, None),
        ({"resize_shorter": 6}, None),
        ({"size": [4, 6], "mode": "not_larger"}, None),
        ({"size": [4, 6], "max_size": 5}, None),
        ({"size": [4, 6], "roi_start": [0, 0], "roi_end": [1, 1]}, None),
    ],
)
def test_the_constant_size(arguments, size):
    assert resize(**arguments).constant_size() == size


def test_the_size_is_not_constant_without_a_layout_or_if_samples_differ():
    assert resize(layout="", size=[4, 6]).constant_size() is None
    assert resize(per_sample=["size"]).constant_size() is None


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        ({"size": [4, 0]}, (4, 8)),
        ({"resize_shorter": 5}, (5, 10)),
        ({"resize_longer": 5}, (3, 5)),
        ({"resize_shorter": 5, "max_size": 8}, (4, 8)),
        ({"size": 6, "mode": "not_larger"}, (3, 6)),
        ({"size": 6, "mode": "not_smaller"}, (6, 12)),
    ],
)
def test_plans_of_a_sample_and_of_a_batch_have_the_same_size(arguments, size):
    operator = resize(**arguments)
    values = {name: getattr(operator, name) for name in operator.params}
    assert operator.plan_sample(None, IMAGE, (10, 20), values).size == size
    plans = operator.plan_batch(None, IMAGE, np.array([[10, 20]] * 2), values)
    assert plans.size.tolist() == [list(size)] * 2
