"""The base of the resizing operators: filters, result types, layouts and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, types
from penstock.operators.resize.resampling_operator import FilterChoice, ResamplingOperator

from ..running import RubbishWorkspace, make, pixels


def resized(image, layout="HWC", **arguments):
    operator = make("resize", layout, **{"size": (3, 5), **arguments})
    assert isinstance(operator, ResamplingOperator)
    values = {name: getattr(operator, name) for name in operator.params}
    return operator.sample(RubbishWorkspace(), image, **values)


def test_the_choice_of_filters():
    choice = FilterChoice(interp_type="linear", min_filter=None, mag_filter="cubic")
    assert choice.each() == ("linear", "cubic")
    assert FilterChoice("linear", "nearest", None).each() == ("nearest", "linear")
    values = {"interp_type": 1, "min_filter": 2, "mag_filter": 3, "antialias": True}
    assert FilterChoice.of(values) == FilterChoice(1, 2, 3)


def test_the_filter_of_an_axis_depends_on_whether_it_shrinks():
    image = pixels(9, 2, 1)
    mixed = resized(image, min_filter=types.INTERP_NN, mag_filter=types.INTERP_LINEAR)
    rows = resized(image, size=(3, 2), interp_type=types.INTERP_NN)
    assert mixed.tolist() == resized(rows, interp_type=types.INTERP_LINEAR).tolist()


@pytest.mark.parametrize(
    ("layout", "shape", "axes"),
    [
        ("CHW", (3, 8, 9), (1, 2, 0)),
        ("HW", (8, 9), (0, 1)),
    ],
)
def test_layouts_give_the_same_images(layout, shape, axes):
    image = pixels(*shape)
    last = np.ascontiguousarray(image.transpose(axes))
    result = resized(image, layout).transpose(axes)
    np.testing.assert_array_equal(result, resized(last, "HWC" if last.ndim == 3 else "HW"))


def test_frames_are_resized_one_by_one():
    video = pixels(4, 8, 9, 3)
    result = resized(video, "FHWC")
    assert result.shape == (4, 3, 5, 3)
    for frame, image in zip(result, video, strict=True):
        np.testing.assert_array_equal(frame, resized(image))


def test_without_a_layout_the_number_of_dimensions_tells_it():
    image = pixels(8, 9, 3)
    np.testing.assert_array_equal(resized(image, ""), resized(image, "HWC"))
    np.testing.assert_array_equal(resized(image[None], "")[0], resized(image, "HWC"))


def test_the_type_of_the_result():
    image = pixels(8, 9, 3)
    assert resized(image).dtype == np.uint8
    exact = resized(image, dtype=types.FLOAT)
    assert exact.dtype == np.float32
    assert np.abs(exact - resized(image)).max() <= 0.5
    with pytest.raises(ArgumentError, match=r"dtype must be FLOAT .* but is int16; use fn\.cast"):
        resized(image, dtype=types.INT16)


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [
        ((0, 9, 3), (4, 5), (0, 5, 3)),
        ((8, 0, 3), (4, 5), (4, 0, 3)),
        ((0, 0, 3), (4, 5), (0, 0, 3)),
        ((8, 9, 0), (4, 5), (4, 5, 0)),
    ],
)
def test_a_sample_without_pixels_stays_empty(shape, size, expected):
    assert resized(pixels(*shape), size=size).shape == expected


def test_a_type_without_resampling_is_refused():
    with pytest.raises(ArgumentError, match=r"fn\.resize.*int64"):
        resized(pixels(8, 9, 3, dtype=np.int64))
