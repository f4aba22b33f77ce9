"""`numba_function`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types
from penstock.plugin import numba as plugin

pytest.importorskip("numba")

ROWS = [np.arange(n * 3, dtype=np.int32).reshape(n, 3) for n in (2, 5, 1)]
ONE: dict[str, Any] = {
    "out_types": types.INT32,
    "in_types": types.INT32,
    "outs_ndim": 2,
    "ins_ndim": 2,
}


def applied(run_fn, rows=ROWS, inputs=1, **options):
    """Return the outputs of a function of samples."""
    with Pipeline(batch_size=len(rows), num_threads=1) as pipe:
        data = [fn.external_source(lambda: rows) for _ in range(inputs)]
        results = plugin.fn.experimental.numba_function(*data, run_fn=run_fn, **ONE | options)
        pipe.set_outputs(*(results if isinstance(results, list | tuple) else [results]))
        return [[np.array(row) for row in output.rows()] for output in pipe.run()]


def doubled(out, given):
    for i in range(given.shape[0]):
        for j in range(given.shape[1]):
            out[i, j] = 2 * given[i, j]


def doubled_batch(outs, ins):
    for out, given in zip(outs, ins):  # noqa: B905  (Numba knows no `strict`)
        out[:] = 2 * given


def transposed(out, given):
    out[:] = given.T


def swap_shapes(outs, ins):
    for k in range(len(ins[0])):
        outs[0][k][0] = ins[0][k][1]
        outs[0][k][1] = ins[0][k][0]


@pytest.mark.slow
def test_shapes_are_those_of_the_inputs():
    (result,) = applied(doubled, blocks=[1, 1, 1], threads_per_block=[1, 1, 1])
    for row, given in zip(result, ROWS, strict=True):
        np.testing.assert_array_equal(row, 2 * given, strict=True)


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1] * 3])
def test_whole_batches(rows):
    (result,) = applied(doubled_batch, rows, batch_processing=True)
    for row, given in zip(result, rows, strict=True):
        np.testing.assert_array_equal(row, 2 * given)


def test_shapes_from_a_function():
    (result,) = applied(transposed, setup_fn=swap_shapes)
    for row, given in zip(result, ROWS, strict=True):
        np.testing.assert_array_equal(row, given.T)


def test_several_inputs_and_outputs():
    def both(total, exact, first, second):
        for i in range(first.shape[0]):
            for j in range(first.shape[1]):
                total[i, j] = first[i, j] + second[i, j]
                exact[i, j] = first[i, j] / 2

    two = {"in_types": [types.INT32] * 2, "ins_ndim": [2, 2], "outs_ndim": [2, 2]}
    total, exact = applied(both, inputs=2, out_types=[types.INT32, types.FLOAT], **two)
    np.testing.assert_array_equal(total[1], 2 * ROWS[1])
    np.testing.assert_array_equal(exact[1], (ROWS[1] / 2).astype(np.float32), strict=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"in_types": types.FLOAT}, "input 0 is declared as float32 with 2 dimensions, but is int"),
        ({"ins_ndim": 3, "outs_ndim": 3}, "with 3 dimensions, but is int32 with 2"),
        ({"outs_ndim": 1}, "without setup_fn, output i has the shape of input i"),
        ({"ins_ndim": (1, 2)}, "there are 1 inputs, 1 in_types and 2 ins_ndim"),
        ({"setup_fn": lambda outs, ins: None}, "setup_fn did not write the shapes of output 0"),
    ],
)
def test_declarations_that_do_not_fit(options, message):
    with pytest.raises(ArgumentError, match=message):
        applied(doubled, **options)
