"""Element types, and their way to NumPy and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import penstock.types
from penstock import ArgumentError, types
from penstock.engine.tensors.dtypes import ELEMENT_TYPES

from ..toys import make, run


@pytest.mark.parametrize("kind", ELEMENT_TYPES)
def test_every_type_has_one_of_numpy(kind):
    assert types.to_dali_type(types.to_numpy_type(kind)) is kind
    assert getattr(types, kind.name) is kind


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(bool, "bool"), (int, "int32"), (float, "float32"), ("uint8", "uint8"), (np.int64, "int64")],
)
def test_other_names_of_types(given, wanted):
    assert types.to_numpy_type(given) == np.dtype(wanted)


@pytest.mark.parametrize("kind", [types.IMAGE_TYPE, types.DATA_TYPE, types.INTERP_TYPE])
def test_values_of_enumerations_are_numbers(kind):
    assert types.to_dali_type(kind) is types.INT32
    pipe = make(
        lambda: (
            types.Constant([1, 0], dtype=kind),
            penstock.fn.random.choice([types.INTERP_LINEAR, types.INTERP_LINEAR]),
            penstock.fn.cast(types.Constant(types.FLOAT, dtype=types.UINT8), dtype=kind),
        )
    )
    with pipe:
        outputs = pipe.run()
    assert [output.dtype for output in outputs] == [types.INT32] * 3
    assert [output.as_array()[0].tolist() for output in outputs] == [[1, 0], 1, 9]


@pytest.mark.parametrize(
    "wrong", [types.NO_TYPE, types.STRING, types.RGB, types.INTERP_LINEAR, "U3", object, 7]
)
def test_what_is_no_type(wrong):
    with pytest.raises(ArgumentError, match="use one of types"):
        types.to_numpy_type(wrong)


def test_the_values_are_dali_s():
    assert [types.UINT8, types.FLOAT, types.BOOL] == [0, 9, 11]
    assert [types.RGB, types.GRAY, types.INTERP_TRIANGULAR] == [0, 2, 4]
    assert penstock.types is types


def test_the_names_are_dali_s():
    values = (types.FLOAT, types.YCbCr, types.INTERP_NN)
    expected = ["DALIDataType.FLOAT", "DALIImageType.YCbCr", "DALIInterpType.INTERP_NN"]
    assert list(map(str, values)) == [f"{value}" for value in values] == expected
    assert f"{types.FLOAT:>20}" == "  DALIDataType.FLOAT"
    assert json.dumps(types.FLOAT) == "9"


def constants():
    return (
        types.Constant(3),
        types.Constant([1.5, 2.5], layout="X"),
        types.Constant(7, dtype=types.UINT8, shape=(2, 2)),
        types.Constant(np.arange(3)),
    )


def test_constants():
    whole, halves, sevens, array = run(constants, 1)[0]
    assert all(row.dtype == np.int32 and row == 3 for row in whole)
    assert all(row.dtype == np.float32 and row.tolist() == [1.5, 2.5] for row in halves)
    assert all(row.dtype == np.uint8 and row.tolist() == [[7, 7]] * 2 for row in sevens)
    assert all(row.dtype == np.int32 and row.tolist() == [0, 1, 2] for row in array)
    with make(constants) as pipe:
        assert [output.layout() for output in pipe.run()] == ["", "X", "", ""]


def test_constants_leave_the_pipeline_as_batches_like_others():
    torch = pytest.importorskip("torch")
    with make(constants) as pipe:
        for output in pipe.run():
            assert torch.from_dlpack(output).shape[0] == 4
            output.as_array()[0] += 1  # the user's own memory
        assert pipe.run()[0].as_array().tolist() == [3] * 4
