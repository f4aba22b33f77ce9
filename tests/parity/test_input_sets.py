"""One call on several sets of inputs draws one set of random numbers in NVIDIA DALI, too."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.tests.operators.random.input_sets import CALLS, SIZE, pairs
from penstock.tests.parity.oracle import dali

fn = pytest.importorskip("nvidia.dali.fn")

ON_GPU_ONLY = {"jitter"}


@pytest.mark.parametrize("name", sorted(set(CALLS) - ON_GPU_ONLY))
def test_sets_of_inputs_share_the_random_numbers(name):
    def expression():
        return [node for pair in pairs(fn, CALLS[name]) for node in pair]

    outputs = [rows for rows, _ in dali(expression, batch_size=SIZE)]
    for first, second in zip(outputs[::2], outputs[1::2], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
