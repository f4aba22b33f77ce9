from typing import Any

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.graph.index_keys import newaxis, split_key
from penstock.operators.geometry.subscript import Indices, Subscript
from penstock.tests.operators.running import (
    RubbishWorkspace,
    apply,
    array,
    batch_of,
    dense,
    tensors,
)

VOLUME = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


class Data:
    """Stands for a node: split_key only asks what is data."""


def make(key: Any, layout: Any = "", data: Any = False) -> Any:
    constant, found = split_key(key, lambda value: isinstance(value, Data))
    assert bool(found) == data
    return Subscript("cpu", ("indices",) if data else (), (layout,), key=constant)


def taken(key: Any, *indices: Any) -> Any:
    operator = make(key, data=bool(indices))
    return operator.sample(RubbishWorkspace(), VOLUME, indices=indices)


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        (1, 2, 3),
        (slice(None), 1),
        (0, slice(None), slice(1, 3)),
        (slice(None), slice(None, None, -1)),
        (slice(None), slice(None, None, 2)),
        slice(0, 50),
        slice(-50, 1),
        slice(1, 0),
        (..., 0),
        (0, ..., 1),
        (None, 0),
        (0, None, ..., None),
        np.int64(1),
    ],
)
def test_constant_keys(key: Any) -> None:
    np.testing.assert_array_equal(taken(key), VOLUME[key])


def test_data_in_keys() -> None:
    node = Data()
    np.testing.assert_array_equal(taken(node, 1), VOLUME[1])
    np.testing.assert_array_equal(taken((slice(None), node), -1), VOLUME[:, -1])
    key = (slice(node, None), 0, slice(None, node, node))
    np.testing.assert_array_equal(taken(key, 1, 4, 2), VOLUME[1:, 0, :4:2])


@pytest.mark.parametrize("key", [2, -3, (0, 3), (0, 0, 0, 0), slice(None, None, 0)])
def test_out_of_range(key: Any) -> None:
    with pytest.raises(IndexError, match=r"of a sample of shape \(2, 3, 4\)"):
        taken(key)


def test_error_shows_the_key() -> None:
    with pytest.raises(IndexError, match=r"^\[0:1, \.\.\., 9\] of a sample"):
        taken((slice(0, 1), ..., 9))


@pytest.mark.parametrize("key", [1.5, "x", [0, 1], (0, slice(0.5, None))])
def test_what_cannot_be_a_key(key: Any) -> None:
    with pytest.raises(TypeError, match="indexed with whole numbers"):
        split_key(key, lambda value: False)


def test_two_ellipses() -> None:
    with pytest.raises(IndexError, match="one ellipsis"):
        split_key((..., ...), lambda value: False)


@pytest.mark.parametrize(
    ("key", "layout"),
    [
        (0, "WC"),
        ((slice(None), 1), "HC"),
        ((slice(None), slice(None), 1), "HW"),
        (slice(1, 2), "HWC"),
        ((..., 0), "HW"),
        ((0, ..., 0), "W"),
        (newaxis("F"), "FHWC"),
        ((0, ..., newaxis("X")), "WCX"),
        (newaxis, ""),
        ((newaxis("F"), None), ""),
    ],
)
def test_layouts(key: Any, layout: Any) -> None:
    assert make(key, "HWC").output_layouts() == (layout,)
    assert make(key).output_layouts() == ("",)


def test_axis_names_are_letters() -> None:
    with pytest.raises(ArgumentError, match="single letter"):
        newaxis("AB")


def test_dense_batch() -> None:
    result = make((slice(None), -1), "HWC").batch(
        batch_of(2), dense([VOLUME, VOLUME + 100]), indices=()
    )
    np.testing.assert_array_equal(result.as_array(), [VOLUME[:, -1], VOLUME[:, -1] + 100])
    assert result.layout() == "HC"


def test_batch_with_data() -> None:
    indices = dense([[1], [0]])
    result = make(slice(Data(), None), data=True).batch(
        batch_of(2), tensors(VOLUME, VOLUME[:, :2]), indices=indices
    )
    np.testing.assert_array_equal(result.at(0), VOLUME[1:])
    np.testing.assert_array_equal(result.at(1), VOLUME[:, :2])


def test_indices() -> None:
    assert apply(Indices, np.int32(3), np.uint8(1)).tolist() == [3, 1]
    result = Indices("cpu", (), ("", "")).batch(batch_of(2), dense([1, 2]), dense([3, 4]))
    assert result.tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("bad", [np.float32(1), array("int32", [1]), np.bool_(True)])
def test_indices_must_be_integer_scalars(bad: Any) -> None:
    with pytest.raises(ArgumentError, match="integer scalar"):
        apply(Indices, bad)
