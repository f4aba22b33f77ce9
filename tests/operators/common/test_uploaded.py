"""Operators that compute on the CPU on both devices."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.operator import OPERATORS
from penstock.engine.tensors import TensorListGPU
from penstock.operators.common.whole_batches import UploadedOperator


class Doubled(UploadedOperator):
    """Twice the number of each row, of any shape that `shapes` gives."""

    shapes = ((2,), (2,))

    def __init__(self):
        pass

    def output_layouts(self):
        return ("W",)

    def batch(self, batch):
        return [np.full(shape, 2 * row) for row, shape in enumerate(self.shapes)]


@pytest.mark.parametrize("shapes", [((2,), (2,)), ((3,), (1,))])
def test_the_result_of_the_cpu_is_copied_to_the_device(gpu_batch, shapes):
    batch, _ = gpu_batch([np.zeros(1)] * 2)
    operator = Doubled()
    operator.shapes = shapes
    result = operator.batch_gpu(batch)
    assert isinstance(result, TensorListGPU)
    assert result.layout() == "W"
    assert [row.tolist() for row in result.as_cpu().rows()] == [
        row.tolist() for row in operator.batch(batch)
    ]


@pytest.mark.parametrize("name", ["random.uniform", "random.choice", "batch_permutation"])
def test_operators_of_random_numbers_work_so(name):
    assert issubclass(OPERATORS[name], UploadedOperator)
    assert OPERATORS[name].devices == ("cpu", "gpu")
