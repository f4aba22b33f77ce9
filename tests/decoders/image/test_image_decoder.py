"""The image decoder in pipelines."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, fn, ops, types

from .pipelines import run


def test_fit_gives_smaller_images_that_resize_alike(files):
    full, small = run(
        files,
        lambda encoded: (
            fn.resize(fn.decoders.image(encoded), size=(48, 64)),
            fn.resize(fn.decoders.image(encoded, fit=(48, 64)), size=(48, 64)),
        ),
    )
    difference = np.abs(np.stack(full).astype(int) - np.stack(small)).mean()
    assert 0 < difference < 3


def test_shapes_come_from_the_headers(files):
    shapes, images = run(
        files, lambda encoded: (fn.peek_image_shape(encoded), fn.decoders.image(encoded))
    )
    assert [tuple(shape) for shape in shapes] == [image.shape for image in images]


def test_class_form_and_old_names_make_the_same_operators(files):
    new, old = run(
        files,
        lambda encoded: (
            ops.decoders.Image(device="cpu", output_type=types.GRAY)(encoded),
            ops.ImageDecoder(output_type=types.GRAY)(encoded),
        ),
    )
    for one, other in zip(new, old, strict=True):
        assert one.shape[2] == 1
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dtype": types.INT64}, "dtype must be one of"),
        ({"fit": (1, 2, 3)}, "fit must be"),
        ({"output_type": 77}, "output_type"),
    ],
)
def test_arguments_are_checked(files, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run(files, lambda encoded: fn.decoders.image(encoded, **arguments))
