import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.indexing.reshape import Reinterpret, Reshape
from penstock.tests.operators.running import apply, array

VOLUME = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        ({"shape": [4, -1]}, (4, 6)),
        ({"shape": array("int64", [3, -1])}, (3, 8)),
        ({"rel_shape": [0.5, 0.5, -1]}, (1, 2, 12)),
        ({"rel_shape": array("float32", [2, -1])}, (4, 6)),
        ({"src_dims": array("int32", [2, -1, 0, 1])}, (4, 1, 2, 3)),
        ({"src_dims": [-1, 1, 0, 2], "rel_shape": [1, 1, 0.5, -1]}, (1, 3, 1, 8)),
    ],
)
def test_shapes(arguments, shape):
    result = apply(Reshape, VOLUME, **arguments)
    assert result.shape == shape
    assert np.shares_memory(result, VOLUME)


def test_shape_as_an_input():
    assert apply(Reshape, VOLUME, array("int32", [6, 4])).shape == (6, 4)


@pytest.mark.parametrize(
    ("kind", "arguments", "text"),
    [
        (Reshape, {}, "give the shape or the layout"),
        (Reshape, {"shape": [24], "rel_shape": [1]}, "exclude each other"),
        (Reshape, {"shape": [24], "src_dims": [0]}, "src_dims goes with rel_shape"),
        (Reshape, {"shape": [5, 5]}, r"shape \(2, 3, 4\) has 24 elements"),
        (Reshape, {"shape": [-1, 5]}, "do not fill the shape"),
        (Reshape, {"shape": [-1, -1]}, "only one extent"),
        (Reshape, {"layout": "HW"}, "has 2 letters"),
        (Reshape, {"rel_shape": [1, 1, 1, 1]}, "4 elements for 3 dimensions"),
        (Reshape, {"src_dims": [0, 3]}, "dimensions 0 to 2"),
        (Reinterpret, {}, "give the shape or the layout"),
        (Reinterpret, {"dtype": "float64", "shape": [5, 5]}, "do not fill"),
    ],
)
def test_bad_arguments(kind, arguments, text):
    with pytest.raises(ArgumentError, match=text):
        apply(kind, VOLUME, **arguments)


def test_reinterpret():
    result = apply(Reinterpret, VOLUME, dtype="uint8")
    assert result.shape == (2, 3, 16)
    assert result[0, 0, 4] == 1
    strided = apply(Reinterpret, VOLUME[:, ::2], dtype="uint8")
    np.testing.assert_array_equal(strided, result[:, ::2])


@pytest.mark.parametrize("sample", [np.int32(3), np.zeros((2, 3), np.int32)])
def test_last_dimension_must_fit(sample):
    with pytest.raises(ArgumentError, match="no whole number of float64"):
        apply(Reinterpret, sample, dtype="float64")


@pytest.mark.parametrize(
    ("arguments", "layout"),
    [
        ({"shape": [4, 3, 2]}, "HWC"),
        ({"shape": [24]}, ""),
        ({"shape": [24], "layout": "X"}, "X"),
        ({"layout": ""}, ""),
        ({"src_dims": [1, 0, 2]}, "HWC"),
    ],
)
def test_layouts(arguments, layout):
    assert Reshape("cpu", (), ("HWC",), **arguments).output_layouts() == (layout,)


def test_layout_is_unknown_where_samples_decide():
    assert Reshape("cpu", ("shape",), ("HWC",)).output_layouts() == ("",)
