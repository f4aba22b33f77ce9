"""Single tensors and batches as arrays of JAX."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.tensors import TensorCPU, TensorListCPU
from penstock.engine.tensors.alignment import aligned

jax = pytest.importorskip("jax", reason="the plugin of JAX needs JAX")

from penstock.plugin import jax as plugin  # noqa: E402


@pytest.mark.parametrize("shape", [(), (1,), (2, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_tensors(shape, dtype):
    memory = aligned(np.full(shape, -99, dtype))
    shared = plugin.integration.to_jax_array(TensorCPU(memory))
    copy = plugin.integration._to_jax_array(TensorCPU(memory), True)
    for array in (shared, copy):
        assert (array.shape, array.dtype) == (shape, dtype)
        assert bool((array == -99).all())
        assert plugin.integration._jax_device(array) == jax.devices()[0]
    assert shared.unsafe_buffer_pointer() == memory.ctypes.data
    assert copy.unsafe_buffer_pointer() != memory.ctypes.data


def test_batches():
    rows = [np.full(3, i, np.float32) for i in range(4)]
    np.testing.assert_array_equal(
        plugin.integration.to_jax_array(TensorListCPU(rows)), np.stack(rows)
    )
