"""Arguments of operators as JSON."""

from __future__ import annotations

import json
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from penstock import newaxis, tfrecord, types
from penstock.engine.graph.index_keys import IndexFromData
from penstock.engine.graph.portable import NotPortable, decode, encode, portable


def through_json(value, *options):
    return decode(json.loads(json.dumps(encode(value, *options), allow_nan=False)), *options)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 0, -(1 << 70), 0.1, "text", "\N{SNOWMAN}\0"),
        *([], [1, [2.5, "x"]], (), (1, (2,)), {}, {"a": [1], 2: (3,)}),
        *(b"\0\xff", Ellipsis, slice(1, None, -2), types.FLOAT, types.RGB, types.INTERP_CUBIC),
        *(np.dtype("uint16"), IndexFromData(3)),
    ],
)
def test_values_keep_their_types(value):
    again = through_json(value)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize("number", [float("inf"), -float("inf"), -0.0, 5e-324])
def test_floats_keep_every_bit(number):
    assert np.float64(through_json(number)).tobytes() == np.float64(number).tobytes()


def test_nan():
    assert np.isnan(through_json(float("nan")))


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.uint16).reshape(2, 3),
        np.zeros((0, 3), np.float16),
        np.array([True, False]),
        np.array(["a.jpg", "bc.jpg"]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(10)[::3],
    ],
)
def test_arrays(array):
    again = through_json(array)
    np.testing.assert_array_equal(again, array, strict=True)
    assert again.flags.writeable


def test_other_forms_of_values():
    assert through_json(np.float32(0.1)) == np.float32(0.1)
    assert type(through_json(np.int8(3))) is np.int8
    assert through_json(range(3)) == [0, 1, 2]
    assert through_json(Path("a") / "b") == "a/b"
    assert through_json(types.TensorLayout("HWC")) == "HWC"
    assert [through_json(each) for each in (float, int, bool, np.uint8)] == [
        *(np.dtype("float32"), np.dtype("int32"), np.dtype("bool"), np.dtype("uint8"))
    ]
    assert through_json(newaxis("F")).name == "F"


def test_dtypes_and_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    assert through_json(torch.float16) is types.FLOAT16
    assert through_json(torch.arange(3)).tolist() == [0, 1, 2]


def test_features_of_tfrecords():
    fixed = through_json(tfrecord.FixedLenFeature([3], tfrecord.int64, [1, 2, 3]))
    assert (fixed.shape, fixed.dtype, fixed.default_value) == ((3,), tfrecord.int64, [1, 2, 3])
    ragged = through_json(tfrecord.VarLenFeature([2], tfrecord.float32, 0.5))
    assert (ragged.partial_shape, ragged.dtype) == ((2,), tfrecord.float32)
    assert ragged.default_value == 0.5


@portable
def doubled_by_this_test(value, factor=2):
    return value * factor


def test_functions_that_are_entered():
    assert through_json(doubled_by_this_test) is doubled_by_this_test
    assert through_json(partial(doubled_by_this_test, factor=(3,)))(2) == (3, 3)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (lambda: 1, "the function .*<lambda> of the program"),
        (print, "the function print of the program"),
        (object(), "a object of the program"),
        ([1, {2, 3}], "a set of the program"),
        (partial(print), "a partial of the program"),
        (np.array([None]), "a ndarray of the program"),
    ],
)
def test_objects_of_the_program_are_refused_unless_they_may_be_pickled(value, reason):
    with pytest.raises(NotPortable, match=reason):
        encode(value)


def test_what_has_no_form_is_pickled_if_that_is_asked_for():
    stored = encode([1, {2, 3}], pickle.dumps)
    assert stored[0] == 1
    assert decode(stored, pickle.loads) == [1, {2, 3}]
    with pytest.raises(NotPortable, match="a pickled object"):
        decode(stored)
    with pytest.raises(NotPortable, match=r"which cannot be pickled: .*lambda"):
        encode(lambda: 1, pickle.dumps)


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"type": 5},
        {"type": "os.system"},
        {"type": "NewAxis"},
        {"type": "NewAxis", "fields": {"name": "too long"}},
        {"type": "DALIDataType", "name": "HUGE"},
        {"type": "function", "name": "system"},
        {"type": "function", "name": "NewAxis"},
        {"type": "function", "name": ["system"]},
        {"type": "partial", "function": {"type": "function", "name": "eval"}, "keywords": {}},
        {"type": "tuple"},
        {"type": "tuple", "items": 5},
        {"type": "slice", "items": [1]},
        {"type": "dict", "items": [[1]]},
        {"type": "dict", "items": [[[1], 2]]},
        {"type": "float", "text": "many"},
        {"type": "bytes", "data": "?"},
        {"type": "bytes", "data": 7},
        {"type": "dtype", "name": "no dtype"},
        {"type": "array", "dtype": "O", "shape": [1], "data": "AAAAAAAAAAA="},
        {"type": "array", "dtype": "i4,i4", "shape": [1], "data": "AAAAAAAAAAA="},
        {"type": "array", "dtype": "<i4", "shape": [1 << 60, 16], "data": ""},
        {"type": "array", "dtype": "<i4", "shape": [-1], "data": "AAAAAA=="},
        {"type": "array", "dtype": "<i4", "shape": [True], "data": "AAAAAA=="},
        {"type": "array", "dtype": "<i4", "shape": "1", "data": "AAAAAA=="},
        {"type": "array", "dtype": "<i4", "shape": [2], "data": "AAAAAA=="},
        {"type": "pickle", "data": "gASVDAAAAAAAAABdlChLAUsCSwNlLg=="},
    ],
)
def test_json_that_stands_for_no_value(stored):
    with pytest.raises(NotPortable):
        decode(stored)
    with pytest.raises(NotPortable):
        decode([{"type": "dict", "items": [["a", stored]]}])
