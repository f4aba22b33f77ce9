"""`torch_python_function`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

torch: Any = pytest.importorskip("torch")
pytorch: Any = pytest.importorskip("penstock.plugin.pytorch")

ROWS = [np.arange(n * 3, dtype=np.float32).reshape(n, 3) for n in (2, 5, 1)]


def applied(function, inputs=1, **options):
    """Return the outputs of a function of ROWS."""
    with Pipeline(batch_size=len(ROWS), num_threads=1) as pipe:
        data = [fn.external_source(lambda: ROWS) for _ in range(inputs)]
        results = pytorch.fn.torch_python_function(*data, function=function, **options)
        pipe.set_outputs(*(results if isinstance(results, list | tuple) else [results]))
        return [[np.array(row) for row in output.rows()] for output in pipe.run()]


def test_batches_are_lists_of_tensors():
    def function(tensors):
        assert all(isinstance(tensor, torch.Tensor) for tensor in tensors)
        return [tensor.flip(1) for tensor in tensors]

    (result,) = applied(function, batch_processing=True)
    for row, given in zip(result, ROWS, strict=True):
        np.testing.assert_array_equal(row, given[:, ::-1], strict=True)


def test_samples_several_outputs_and_layouts():
    def function(first, second):
        weight = torch.ones(3, requires_grad=True)
        return (first + second) * weight, first.sum().to(torch.float16)

    options = {"num_outputs": 2, "output_layouts": "AB"}
    with pytest.raises(ArgumentError, match="does not describe a sample of shape"):
        applied(function, 2, **options)
    total, sums = applied(function, 2, **options | {"output_layouts": ["AB"]})
    np.testing.assert_array_equal(total[1], 2 * ROWS[1])
    assert [float(sum) for sum in sums] == [row.sum() for row in ROWS]
    assert sums[0].dtype == np.float16


def test_a_tensor_over_the_samples():
    (result,) = applied(lambda tensors: torch.arange(len(tensors)), batch_processing=True)
    assert [int(row) for row in result] == [0, 1, 2]


def test_mistakes_name_the_function():
    with pytest.raises(ArgumentError, match=r"torch_python_function: the function returned None"):
        applied(lambda tensors: None)
    with pytest.raises(ArgumentError, match=r"plugin.pytorch.fn.torch_python_function has no arg"):
        applied(lambda tensors: tensors, batches=True)
    assert "batch_processing" in pytorch.fn.torch_python_function.__doc__
