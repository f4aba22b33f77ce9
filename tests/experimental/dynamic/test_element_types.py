"""Element types: names, numbers of bits, and what they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, types
from penstock.experimental import dynamic as ndd

NAMES = {
    "int8": ("i8", types.INT8),
    "int16": ("i16", types.INT16),
    "int32": ("i32", types.INT32),
    "int64": ("i64", types.INT64),
    "uint8": ("u8", types.UINT8),
    "uint16": ("u16", types.UINT16),
    "uint32": ("u32", types.UINT32),
    "uint64": ("u64", types.UINT64),
    "float16": ("f16", types.FLOAT16),
    "float32": ("f32", types.FLOAT),
    "float64": ("f64", types.FLOAT64),
    "bool": ("bool", types.BOOL),
}


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    short, type_id = NAMES[name]
    made = getattr(ndd, name)
    assert (made.name, str(made), made.type_id) == (short, short, type_id)
    assert made.bytes == np.dtype(name).itemsize
    for value in (short, name, type_id, np.dtype(name), getattr(np, name, bool), made):
        assert ndd.dtype(value) is made
    assert ndd.type_id(made) == ndd.type_id(type_id) == type_id


def test_bits_of_floating_point_numbers():
    bits = [(t.exponent_bits, t.significand_bits) for t in (ndd.float16, ndd.float32, ndd.float64)]
    assert bits == [(5, 10), (8, 23), (11, 52)]
    assert (ndd.bfloat16.exponent_bits, ndd.bfloat16.significand_bits) == (8, 7)
    assert ndd.int8.exponent_bits is None
    assert ndd.dtype("f16e8m7") is ndd.bfloat16
    assert ndd.dtype("f16e5m10") is ndd.float16
    assert ndd.dtype("f8e4m3").bits == 8
    assert ndd.dtype(ndd.DType.Kind.float, 32) == ndd.float32


def test_types_of_names():
    assert ndd.dtype("InterpType") is ndd.InterpType != ndd.ImageType
    assert ndd.DataType.bytes == 4
    assert len({ndd.InterpType, ndd.ImageType, ndd.DataType, ndd.int32}) == 4
    assert ndd.tensor(types.INTERP_LINEAR, dtype=ndd.InterpType).item() == 1


def test_torch_types():
    torch = pytest.importorskip("torch")
    assert ndd.dtype(torch.float16) is ndd.float16
    assert ndd.cast(ndd.tensor([1]), dtype=torch.int64).dtype is ndd.int64


def test_what_is_no_type():
    with pytest.raises(ValueError, match="no element type 'f99x'"):
        ndd.dtype("f99x")
    with pytest.raises(ArgumentError, match="no element type"):
        ndd.dtype(np.complex64)
    with pytest.raises(ValueError, match="no element type that tensors"):
        ndd.type_id(ndd.bfloat16)
    with pytest.raises(ValueError, match="needs exponent_bits"):
        ndd.DType(ndd.DType.Kind.float, 24)
    with pytest.raises(ValueError, match="leave dtype out"):
        ndd.int8([1], dtype=ndd.int8)
    assert ndd.int8 != "i8"
    assert repr(ndd.uint8) == "ndd.dtype('u8')"
