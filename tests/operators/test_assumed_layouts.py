"""Images without a layout get the layout that the operator assumes, as in DALI."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn

IMAGES = {
    "crop": lambda x: fn.crop(x, crop=(8, 8)),
    "flip": fn.flip,
    "random_resized_crop": lambda x: fn.random_resized_crop(x, size=(8, 8)),
    "resize": lambda x: fn.resize(x, size=(8, 8)),
    "resize_crop_mirror": lambda x: fn.resize_crop_mirror(x, size=(8, 8), crop=(4, 4)),
    "rotate": lambda x: fn.rotate(x, angle=10.0),
}


def layout_after(operator, *shapes, layout=None):
    rows = [np.zeros(shape, np.uint8) for shape in shapes]
    with Pipeline(len(rows), 1, None) as pipe:
        pipe.set_outputs(operator(fn.external_source(lambda: rows, layout=layout)))
    with pipe:
        return pipe.run()[0].layout()


@pytest.mark.parametrize("operator", IMAGES.values(), ids=IMAGES)
def test_images_become_hwc(operator):
    assert layout_after(operator, (20, 30, 3), (24, 30, 3)) == "HWC"


@pytest.mark.parametrize("name", sorted(IMAGES.keys() - {"rotate"}))  # which takes no planes
def test_a_layout_that_is_known_stays(name):
    assert layout_after(IMAGES[name], (3, 20, 30), layout="CHW") == "CHW"


def test_the_number_of_dimensions_decides():
    assert layout_after(fn.flip, (2, 20, 30, 3)) == "FHWC"
    assert layout_after(IMAGES["crop"], (20, 30)) == "HW"


def test_operators_that_assume_nothing_leave_data_without_a_layout():
    assert layout_after(lambda x: fn.cast(x, dtype="float32"), (20, 30, 3)) == ""
