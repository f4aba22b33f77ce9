"""The public module `types`: its names, and the numbers that DALI gives them."""

from __future__ import annotations

import numpy as np
import pytest

import penstock
from penstock.engine import types


def test_it_is_the_public_module():
    assert penstock.types is types
    assert len(set(types.__all__)) == len(types.__all__)
    assert all(hasattr(types, name) for name in types.__all__)


@pytest.mark.parametrize(
    ("name", "number", "dtype"),
    [
        ("UINT8", 0, np.uint8),
        ("UINT16", 1, np.uint16),
        ("UINT32", 2, np.uint32),
        ("UINT64", 3, np.uint64),
        ("INT8", 4, np.int8),
        ("INT16", 5, np.int16),
        ("INT32", 6, np.int32),
        ("INT64", 7, np.int64),
        ("FLOAT16", 8, np.float16),
        ("FLOAT", 9, np.float32),
        ("FLOAT64", 10, np.float64),
        ("BOOL", 11, np.bool_),
    ],
)
def test_data_types_have_the_numbers_of_dali(name, number, dtype):
    member = getattr(types, name)
    assert member is types.DALIDataType(number)
    assert types.to_numpy_type(member) == dtype
    assert types.to_dali_type(np.dtype(dtype)) is member


def test_image_types_and_filters_have_the_numbers_of_dali():
    assert [int(image_type) for image_type in (types.RGB, types.BGR, types.GRAY, types.YCbCr)] == [
        0,
        1,
        2,
        3,
    ]
    assert [int(types.INTERP_NN), int(types.INTERP_LINEAR), int(types.INTERP_CUBIC)] == [0, 1, 2]
    assert isinstance(types.INTERP_LANCZOS3, types.DALIInterpType)
    assert isinstance(types.ANY_DATA, types.DALIImageType)


def test_a_constant_is_the_same_in_every_sample():
    with penstock.Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(types.Constant(np.array([1, 2], np.int16), device="cpu"))
        assert pipe.run()[0].as_array().tolist() == [[1, 2]] * 2
