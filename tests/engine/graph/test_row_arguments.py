"""Arguments and errors of single samples."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.engine.graph.operator import OPERATORS
from penstock.engine.graph.row_arguments import (
    arguments_of_row,
    array_of,
    fit_arguments,
    try_rows,
    value_of_row,
    values_of,
)
from penstock.engine.tensors import TensorListCPU

from ...operators.running import batch_of

DENSE = TensorListCPU(np.float32([[1, 2], [3, 4]]))
RAGGED = TensorListCPU([np.float32([1, 2]), np.float32([3])])


def operator():
    return OPERATORS["rotate"]("cpu", ("angle",), ("HWC",))


def test_values_a_sample_and_values_for_all():
    operator = OPERATORS["decoders.audio"]("cpu", ("offset",), ("",))
    offsets = TensorListCPU([np.float32(0.5), np.float32(1.5)])
    found = arguments_of_row(operator, {"offset": offsets, "duration": -1.0}, 1)
    assert found == {"offset": 1.5, "duration": -1.0}


def test_values_of_each_sample():
    assert values_of(operator(), "angle", 5.0, 2) == [5.0, 5.0]
    assert [list(value) for value in values_of(operator(), "angle", RAGGED, 2)] == [[1, 2], [3]]


def test_arrays_of_values():
    assert array_of(operator(), "angle", 5.0, 2).tolist() == [[5], [5]]
    assert array_of(operator(), "angle", DENSE, 2).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="inhomogeneous"):
        array_of(operator(), "angle", RAGGED, 2)


def test_values_of_another_type_are_refused():
    flip = OPERATORS["flip"]("cpu", ("horizontal",), ("HWC",))
    assert value_of_row(flip, "horizontal", np.float32(1)) == 1
    for value, problem in ((0.5, "not a whole number"), (np.nan, "whole"), (2.0**63, "64 bits")):
        message = f"fn.flip: the argument 'horizontal' must be int, but is .*{problem}"
        with pytest.raises(ArgumentError, match=message):
            value_of_row(flip, "horizontal", np.array(value))


@pytest.mark.parametrize(
    ("name", "argument", "rows", "kept"),
    [
        ("flip", "horizontal", [np.float32(1), np.float32(0.5), np.float32(-1)], [1, 0, -1]),
        ("flip", "horizontal", np.uint64([1, 2**63, 7]), [1, 0, 7]),
        (
            "brightness",
            "brightness",
            [np.float32([2]), np.float32([3, 4]), np.float32([5])],
            [[2], [0], [5]],
        ),
        ("brightness", "brightness", np.float32([2, np.inf, 5]), [2, 0, 5]),
        (
            "erase",
            "anchor",
            [np.float32([1, 2]), np.float32([3, np.nan]), np.float32([4])],
            [[1, 2], [0, 0], [4]],
        ),
        ("squeeze", "axes", np.float32([[1, 2], [1, np.nan], [0, 1]]), [[1, 2], [0, 0], [0, 1]]),
    ],
)
def test_samples_with_values_of_another_type_get_errors_and_zeros(name, argument, rows, kept):
    operator, batch = OPERATORS[name]("cpu", (argument,), ("",)), batch_of(3)
    given = {argument: TensorListCPU(rows), "other": 7}
    fit = fit_arguments(operator, batch, given)
    assert list(batch.errors) == [1]
    assert fit["other"] == 7
    assert [row.tolist() for row in fit[argument].rows()] == kept


def test_values_of_the_type_stay_as_they_are():
    batch = batch_of(3)
    for name, argument, rows in (
        ("flip", "horizontal", np.int32([0, 1, 2])),
        ("flip", "horizontal", np.float32([[0], [1], [2]])),
        ("brightness", "brightness", np.float32([0, 1, 1e30])),
        ("pad", "fill_value", np.float32([0, np.inf, np.nan])),
    ):
        operator, values = OPERATORS[name]("cpu", (argument,), ("HWC",)), TensorListCPU(rows)
        assert fit_arguments(operator, batch, {argument: values})[argument] is values
    assert not batch.errors


def test_other_samples_are_computed_beside_one_with_a_wrong_value(device):
    images = np.arange(24, dtype=np.uint8).reshape(3, 2, 4, 1)
    with Pipeline(batch_size=3, num_threads=1, on_error="skip") as pipe:
        data = fn.external_source(lambda: [*images], layout="HWC")
        mirrored = fn.external_source(lambda: np.float32([1, 0.5, 0]))
        flipped = fn.flip(data if device == "cpu" else data.gpu(), horizontal=mirrored)
        pipe.set_outputs(flipped)
    (rows,) = pipe.run()
    assert rows.valid.tolist() == [True, False, True]
    for i, wanted in ((0, images[0][:, ::-1]), (2, images[2])):
        assert_array_equal(rows.as_cpu().at(i), wanted)


def test_errors_of_rows_are_entered():
    batch = batch_of(3)
    assert try_rows(batch, [0, 1, 2], lambda row: 1 / (row - 1)) == [1]
    assert isinstance(batch.errors[1], ZeroDivisionError)
