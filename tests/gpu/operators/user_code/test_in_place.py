"""Functions that write to arrays on the GPU change nothing that others get."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import source


def add(row):
    row += 100
    return row


@pytest.mark.parametrize("view", [lambda x: x, lambda x: fn.reshape(x, shape=[-1])])
def test_siblings_and_outputs_get_what_they_should(device_stage, view):
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        data = source([np.zeros((2, 3), np.uint8)] * 2).gpu()
        part = view(data)
        changed = fn.python_function(part, function=add, device="gpu")
        pipe.set_outputs(data, changed, part + 0)
        rows = [output.as_cpu().row(1) for output in pipe.run()]
    assert [int(row.reshape(-1)[0]) for row in rows] == [0, 100, 0]
