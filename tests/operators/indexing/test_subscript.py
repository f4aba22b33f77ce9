from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline
from penstock.engine.errors import ArgumentError
from penstock.engine.graph.index_keys import newaxis, split_key
from penstock.operators.indexing.subscript import Indices, Subscript
from penstock.testing.agreement import source
from penstock.tests.operators.running import (
    RubbishWorkspace,
    apply,
    array,
    batch_of,
    dense,
    tensors,
)

from .test_crop import rows

VOLUME = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


class Data:
    """Stands for a node: split_key only asks what is data."""


def make(key, layout="", data=False):
    constant, found = split_key(key, lambda value: isinstance(value, Data))
    assert bool(found) == data
    return Subscript("cpu", ("indices",) if data else (), (layout,), key=constant)


def taken(key, *indices):
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
def test_constant_keys(key):
    np.testing.assert_array_equal(taken(key), VOLUME[key])


def test_data_in_keys():
    node = Data()
    np.testing.assert_array_equal(taken(node, 1), VOLUME[1])
    np.testing.assert_array_equal(taken((slice(None), node), -1), VOLUME[:, -1])
    key = (slice(node, None), 0, slice(None, node, node))
    np.testing.assert_array_equal(taken(key, 1, 4, 2), VOLUME[1:, 0, :4:2])


@pytest.mark.parametrize("key", [2, -3, (0, 3), (0, 0, 0, 0), slice(None, None, 0)])
def test_out_of_range(key):
    with pytest.raises(IndexError, match=r"of a sample of shape \(2, 3, 4\)"):
        taken(key)


def test_error_shows_the_key():
    with pytest.raises(IndexError, match=r"^\[0:1, \.\.\., 9\] of a sample"):
        taken((slice(0, 1), ..., 9))


@pytest.mark.parametrize("key", [1.5, "x", [0, 1], (0, slice(0.5, None))])
def test_what_cannot_be_a_key(key):
    with pytest.raises(TypeError, match="indexed with whole numbers"):
        split_key(key, lambda value: False)


def test_two_ellipses():
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
def test_layouts(key, layout):
    assert make(key, "HWC").output_layouts() == (layout,)
    assert make(key).output_layouts() == ("",)


def test_axis_names_are_letters():
    with pytest.raises(ArgumentError, match="single letter"):
        newaxis("AB")


def test_dense_batch():
    result = make((slice(None), -1), "HWC").batch(
        batch_of(2), dense([VOLUME, VOLUME + 100]), indices=()
    )
    np.testing.assert_array_equal(result.as_array(), [VOLUME[:, -1], VOLUME[:, -1] + 100])
    assert result.layout() == "HC"


def test_batch_with_data():
    indices = dense([[1], [0]])
    result = make(slice(Data(), None), data=True).batch(
        batch_of(2), tensors(VOLUME, VOLUME[:, :2]), indices=indices
    )
    np.testing.assert_array_equal(result.at(0), VOLUME[1:])
    np.testing.assert_array_equal(result.at(1), VOLUME[:, :2])


def test_indices():
    assert apply(Indices, np.int32(3), np.uint8(1)).tolist() == [3, 1]
    result = Indices("cpu", (), ("", "")).batch(batch_of(2), dense([1, 2]), dense([3, 4]))
    assert result.tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("bad", [np.float32(1), array("int32", [1]), np.bool_(True)])
def test_indices_must_be_integer_scalars(bad):
    with pytest.raises(ArgumentError, match="integer scalar"):
        apply(Indices, bad)


# Indexing on the GPU: every kind of key, also with indices of each sample.
KEYS = [
    np.s_[0],
    np.s_[-1],
    np.s_[..., 0],
    np.s_[:, 1:3],
    np.s_[2:-1, :-2, ::-1],
    np.s_[::2],
    np.s_[:, ::3],
    np.s_[::-2, 5:0:-2],
    np.s_[:, -100:100],
    np.s_[50:],
    np.s_[None, :, None, 0],
    np.s_[newaxis("F"), ..., 1:],
    np.s_[0, 0, 0],
    np.s_[0, 0, 0, ...],
    np.s_[...],
    np.s_[::-7, ::7, ::-1],
    np.s_[4:2],
]


def run(device, key, data, layout, *numbers):
    """Return the results and their layout; `key` is one, or makes one of nodes."""
    with Pipeline(batch_size=len(data)) as pipe:
        node = source(data, layout)
        node = node.gpu() if device == "gpu" else node
        pipe.set_outputs(node[key(*map(source, numbers)) if callable(key) else key])
        (output,) = pipe.run()
        return [np.array(row) for row in output.as_cpu().rows()], output.layout()


def check(key, data, *numbers, layout="HWC"):
    wanted, wanted_layout = run("cpu", key, data, layout, *numbers)
    found, found_layout = run("gpu", key, data, layout, *numbers)
    assert found_layout == wanted_layout
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_steps_of_pixels(device_stage, channels, dtype):
    image = np.random.default_rng(1).integers(0, 255, (21, 83, channels)).astype(dtype)
    for key in (np.s_[:, ::2], np.s_[1:, 80:3:-3], np.s_[..., 0], np.s_[:, 1:, -1:]):
        check(key, [image, image])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_keys(device_stage, key):
    for dtype in ("u1", "f4"):
        data = [row[:, :, :2] for row in rows(5, "HWC", dtype, most=40)]
        data = [np.tile(row, (1, 1, 2))[:, :, :2] for row in data]
        check(key, data)
        check(key, data[:1] * 3)


@pytest.mark.parametrize(
    "key",
    [
        lambda a, b: a,
        lambda a, b: np.s_[a:b],
        lambda a, b: np.s_[:, b:a:-1],
        lambda a, b: np.s_[..., a:],
        lambda a, b: np.s_[a, b],
        lambda a, b: np.s_[:b, :, :a],
    ],
)
def test_indices_of_each_sample(device_stage, key):
    data = [np.arange(200 + 40 * n).reshape(-1, 10, 4).astype(np.int16) for n in range(4)]
    check(key, data, [0, 1, 2, -1], [-2, 4, 3, -3])


def test_steps_of_each_sample(device_stage):
    data = [np.arange(60).reshape(6, 10)] * 4
    check(lambda a: np.s_[:, ::a], data, [1, -1, 3, -4], layout="HW")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (np.s_[5], r"\[5\] of a sample of shape \(2, 3\)"),
        (np.s_[0, 0, 0], "too many indices"),
        (np.s_[::0], "cannot be zero"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, key, message):
    for device in ("cpu", "gpu"):
        with pytest.raises(IndexError, match=message):
            run(device, key, [np.zeros((2, 3))] * 2, "")


def test_an_index_that_one_sample_does_not_have(device_stage):
    with Pipeline(batch_size=3, on_error="replace") as pipe:
        data = source([np.arange(n) for n in (5, 2, 4)]).gpu()
        pipe.set_outputs(data[3])
        (output,) = pipe.run()
        assert output.valid.tolist() == [True, False, True]
        assert [int(row) for row in output.as_cpu().rows()][::2] == [3, 3]
