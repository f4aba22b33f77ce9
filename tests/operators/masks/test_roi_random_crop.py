"""`fn.roi_random_crop`: windows hold the region, or lie in it, and stay in the data."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError

from ..box_samples import outputs

NAME = "roi_random_crop"


def starts(count=400, **arguments):
    """Return many starts of windows: (count, axes)."""
    (rows,) = outputs(NAME, count=count, **arguments)
    return np.stack(rows)


@pytest.mark.parametrize("shape", [None, (9, 6, 30)])
def test_windows_hold_the_region_or_lie_in_it(shape):
    crop, first, end = np.array([8, 2, 5]), np.array([2, 1, 10]), np.array([4, 6, 15])
    given = {} if shape is None else {"in_shape": shape}
    drawn = starts(crop_shape=crop, roi_start=first, roi_end=end, **given)
    holds = (drawn <= first) & (drawn + crop >= end)
    inside = (drawn >= first) & (drawn + crop <= end)
    assert (holds[:, 0].all(), inside[:, 1].all(), holds[:, 2].all()) == (True, True, True)
    assert len(np.unique(drawn[:, 1])) == 4
    assert np.unique(drawn[:, 2]).tolist() == [10]
    if shape is not None:
        assert drawn.min() >= 0
        assert (drawn + crop <= shape).all()


def test_the_shape_of_an_input_is_the_limit():
    with Pipeline(batch_size=20, num_threads=1, seed=1) as pipe:
        images = fn.external_source(source=lambda: [np.zeros((5, 6, 3), np.uint8)] * 20)
        window = {"crop_shape": [4, 4, 3], "roi_start": [1, 1, 0], "roi_shape": [1, 1, 3]}
        pipe.set_outputs(fn.roi_random_crop(images, **window))
        (drawn,) = pipe.run()
    assert drawn.as_array().min(axis=0).tolist() == [0, 0, 0]
    assert drawn.as_array().max(axis=0).tolist() == [1, 1, 0]


def test_constants_need_no_input():
    with Pipeline(batch_size=50, num_threads=2, seed=1) as pipe:
        pipe.set_outputs(fn.roi_random_crop(crop_shape=5, roi_start=3, roi_end=4))
        (drawn,) = pipe.run()
    assert set(drawn.as_array()[:, 0].tolist()) == {-1, 0, 1, 2, 3}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"roi_end": (4, 4), "roi_shape": (1, 1)}, "either roi_end or roi_shape"),
        ({}, "either roi_end or roi_shape"),
        ({"roi_end": (4, 4, 4)}, "2 and 2 and 3 axes"),
        ({"roi_end": (1, 4)}, "cannot be negative"),
        ({"roi_shape": (1, -1)}, "cannot be negative"),
        ({"roi_end": (4, 4), "in_shape": (3, 9)}, "does not fit into data"),
        ({"roi_end": (9, 4), "in_shape": (5, 5)}, "reaches out of data"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        starts(1, crop_shape=(4, 4), roi_start=(2, 2), **arguments)
