"""Results of operators become tuples of batches."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.engine.tensors import TensorListCPU
from penstock.engine.tensors.results import as_results, as_tensor_list


def test_results_are_counted():
    assert as_results(None, 0) == ()
    assert as_results(5, 1) == (5,)
    assert as_results((5, 6), 2) == (5, 6)
    for result, count in [((), 1), ((1, 2), 1), (1, 2), (1, 0)]:
        with pytest.raises(ArgumentError, match=f"has {count} outputs"):
            as_results(result, count)


def test_what_batch_operators_return_becomes_a_list():
    given = TensorListCPU(np.zeros(4), "X")
    assert as_tensor_list(given, 4, "Y") is given
    assert as_tensor_list(np.zeros((4, 2)), 4, "Y").layout() == "Y"
    assert as_tensor_list([np.zeros(i) for i in range(4)], 4, "").shape()[3] == (3,)
    with pytest.raises(ArgumentError, match="3 samples for a batch of 4"):
        as_tensor_list(np.zeros(3), 4, "")
