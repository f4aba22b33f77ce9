"""The table of operators that the GPU's benchmark and the sanitizers run."""

from __future__ import annotations

import pytest

from penstock.benchmarks.operator_cases import CASES
from penstock.engine.graph.operator import OPERATORS
from penstock.operators.common.whole_batches import UploadedOperator


@pytest.mark.parametrize("name", CASES)
def test_each_case_is_an_operator_of_the_gpu(name):
    case = CASES[name]
    assert "gpu" in OPERATORS[case.name].devices
    assert (
        OPERATORS[case.name].batch_gpu is not UploadedOperator.batch_gpu
    )  # which copies what the CPU computes
    layouts = (case.layout,) * len(case.shapes)
    operator = OPERATORS[case.name]("gpu", tuple(case.varying), layouts, **case.arguments)
    assert all(operator.params[varying].per_sample for varying in case.varying)
