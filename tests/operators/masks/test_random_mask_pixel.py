"""`fn.segmentation.random_mask_pixel`: uniform over the foreground, or over all."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError

from ..box_samples import outputs

NAME = "segmentation.random_mask_pixel"
MASK = np.arange(24).reshape(2, 3, 4).astype(np.uint8)


def values(mask=MASK, **arguments):
    """Return the mask's values at many drawn elements."""
    (indices,) = outputs(NAME, [mask] * 400, **arguments)
    assert {(index.dtype, index.shape) for index in indices} == {(np.dtype(np.int64), (mask.ndim,))}
    return [mask[tuple(index)].item() for index in indices]


def test_elements_are_uniform():
    counts = np.bincount(values(), minlength=24)
    assert 5 <= counts.min() <= counts.max() <= 35


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"threshold": 19.5}, {20, 21, 22, 23}),
        ({"value": 7}, {7}),
        ({}, set(range(1, 24))),
        ({"value": 300}, set(range(24))),
        ({"value": -1}, set(range(24))),
        ({"threshold": 23.0}, set(range(24))),
    ],
)
def test_the_foreground(arguments, wanted):
    drawn = set(values(foreground=1, **arguments))
    assert drawn <= wanted
    assert len(drawn) > 0.8 * len(wanted)


def test_arguments_by_sample():
    nodes = {"foreground": [np.int32(1)] * 2, "value": [np.int32(5), np.int32(9)]}
    (indices,) = outputs(NAME, [MASK] * 2, per_sample=nodes)
    assert [MASK[tuple(index)] for index in indices] == [5, 9]


def test_all_elements_are_above_minus_infinity():
    lowest = np.float32([-np.inf, -1e38])
    nodes = {"threshold": [np.float32(-np.inf)] * 20, "foreground": [np.int32(1)] * 20}
    (indices,) = outputs(NAME, [lowest] * 20, per_sample=nodes)
    assert {index.item() for index in indices} == {1}


def test_wrong_input_is_refused():
    for shape in ((0, 3), (), (4, 0)):
        with pytest.raises(ArgumentError, match="no elements to draw from"):
            outputs(NAME, [np.zeros(shape, np.uint8)])
    with pytest.raises(ArgumentError, match="either threshold or value"):
        outputs(NAME, [MASK], threshold=1.0, value=2)
