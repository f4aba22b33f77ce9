"""`jax_function` on the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn


def test_batches_come_and_go_without_the_host(cupy):
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    from penstock.plugin.jax.fn import jax_function

    numbers = iter(range(100))

    @jax_function
    @jax.jit
    def doubled(array):
        return array[:, ::-1] * 2

    def batch():
        return np.full((4, 50_000), next(numbers), np.float32)

    with Pipeline(batch_size=4, num_threads=1, device_id=0) as pipe:
        data = fn.external_source(batch, layout="X").gpu()
        pipe.set_outputs(doubled(data))
        kept = [pipe.run()[0] for _ in range(20)]
    assert [output.layout() for output in kept] == ["X"] * 20
    for i, output in enumerate(kept):
        np.testing.assert_array_equal(output.as_cpu().as_array(), np.full((4, 50_000), 2.0 * i))
