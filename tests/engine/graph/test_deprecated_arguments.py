"""Older names of arguments, and arguments that are deprecated, in `fn` and `ops`."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from penstock import fn, ops, pipeline_def, types
from penstock.engine.errors import ArgumentError

IMAGE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)


def run(call):
    with pipeline_def(
        lambda: call(types.Constant(IMAGE, layout="HWC")), batch_size=1, num_threads=1
    )() as pipe:
        (data,) = pipe.run()
    return data.at(0)


@pytest.mark.parametrize(
    "call",
    [
        lambda image: fn.crop(image, crop=[2, 2], output_dtype=types.INT16),
        lambda image: ops.Crop(crop=[2, 2], output_dtype=types.INT16)(image),
        lambda image: ops.Crop(crop=[2, 2])(image, output_dtype=types.INT16),
    ],
)
def test_an_older_name_stands_for_the_new_one(call):
    with pytest.warns(
        DeprecationWarning, match="fn.crop: output_dtype is deprecated; use dtype"
    ) as w:
        result = run(call)
    assert {each.filename for each in w} == {__file__}
    assert result.dtype == np.int16


def test_two_names_of_one_argument_are_refused():
    with pytest.raises(ArgumentError, match="output_dtype is an older name of dtype; give dtype"):
        run(lambda x: fn.crop(x, crop=[2, 2], dtype=types.FLOAT, output_dtype=types.FLOAT))


def test_an_older_name_without_a_value_is_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = run(lambda x: fn.crop(x, crop=[2, 2], output_dtype=None, dtype=types.FLOAT))
    assert result.dtype == np.float32


def test_an_argument_without_effect_is_deprecated():
    with pytest.warns(DeprecationWarning, match="image_type is deprecated; leave it out"):
        run(lambda image: fn.resize(image, size=[2, 2], image_type=types.RGB))


def test_the_help_names_older_names():
    assert "Older name: output_dtype." in fn.crop.__doc__
    assert "Deprecated: use `polygon_masks`" in fn.readers.coco.__doc__
    with pytest.raises(ArgumentError, match="has no argument"):
        run(lambda x: fn.flip(x, output_dtype=types.FLOAT))
