"""`plugin.pytorch.torch_utils`: tensors of single outputs."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types

torch = pytest.importorskip("torch")
torch_utils = pytest.importorskip("penstock.plugin.pytorch.torch_utils")

ROWS = np.arange(12, dtype=np.float32).reshape(2, 2, 3)


@pytest.fixture
def batch():
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.external_source(lambda: ROWS))
        yield pipe.run()[0]


@pytest.mark.parametrize("copy", [True, False])
def test_tensors_of_a_batch_and_of_a_sample(batch, copy):
    for given, expected in ((batch.as_tensor(), ROWS), (batch[1], ROWS[1])):
        tensor = torch_utils.to_torch_tensor(given, copy)
        np.testing.assert_array_equal(tensor.numpy(), expected, strict=True)
        shared = np.shares_memory(tensor.numpy(), np.asarray(given))
        assert shared is not copy


def test_an_output_is_copied_into_a_tensor(batch):
    target = torch.empty(2, 2, 3, dtype=torch_utils.to_torch_type[types.FLOAT])
    assert torch_utils.feed_ndarray(batch, target) is target
    np.testing.assert_array_equal(target.numpy(), ROWS)
