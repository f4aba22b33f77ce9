"""`fn.random_crop_generator`: windows of `fn.random_resized_crop`, as numbers."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.geometry.random_crop import CropRanges, random_window

from ..box_samples import outputs


def test_windows_are_those_of_the_shared_rule():
    numbers = np.random.default_rng(0).random(22)  # the first that `outputs` draws
    (anchor,), (shape,) = outputs("random_crop_generator", [np.int64([100, 150, 3])])
    window = random_window(100, 150, CropRanges((0.08, 1.0), (3 / 4, 4 / 3), 10), numbers)
    assert (*anchor, *(anchor + shape)) == window
    assert anchor.dtype == shape.dtype == np.int32


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (np.int64([5]), r"\(height, width\)"),
        (np.float32([5, 5]), r"\(height, width\)"),
        (np.int64([0, 5]), "no windows"),
    ],
)
def test_other_inputs_are_refused(shape, message):
    with pytest.raises(ArgumentError, match=message):
        outputs("random_crop_generator", [shape])
