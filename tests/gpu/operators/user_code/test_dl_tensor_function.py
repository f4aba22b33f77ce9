"""Capsules and tensors of data on the device."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn

ROWS = [np.arange(n * 3, dtype=np.int32).reshape(n, 3) for n in (2, 5, 1)]


@pytest.mark.parametrize("synchronize", [True, False])
def test_the_function_gets_capsules(device_stage, synchronize):
    seen = []
    with Pipeline(batch_size=len(ROWS), num_threads=1) as pipe:
        data = fn.external_source(lambda: ROWS).gpu()
        options = {"num_outputs": 0, "device": "gpu", "synchronize_stream": synchronize}
        fn.dl_tensor_python_function(data, function=seen.append, **options)
        pipe.set_outputs(data)
        pipe.run()
    assert [type(each).__name__ for each in seen[:3]] == ["PyCapsule"] * 3


def test_capsules_come_and_go(cupy):
    with Pipeline(batch_size=len(ROWS), num_threads=1) as pipe:
        data = fn.external_source(lambda: ROWS).gpu()
        pipe.set_outputs(fn.dl_tensor_python_function(data, device="gpu", function=lambda x: x))
        (output,) = pipe.run()
    for row, given in zip(output.as_cpu().rows(), ROWS, strict=True):
        np.testing.assert_array_equal(row, given)


def test_torch_works_on_the_pipelines_stream(cupy):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    from penstock.plugin.pytorch import fn as torch_fn

    with Pipeline(batch_size=len(ROWS), num_threads=1) as pipe:
        data = fn.external_source(lambda: ROWS).gpu()

        def function(tensors):
            assert all(tensor.is_cuda for tensor in tensors)
            return [tensor * 2 for tensor in tensors]

        doubled = torch_fn.torch_python_function(
            data, device="gpu", function=function, batch_processing=True
        )
        pipe.set_outputs(doubled)
        (output,) = pipe.run()
    for row, given in zip(output.as_cpu().rows(), ROWS, strict=True):
        np.testing.assert_array_equal(row, given * 2)
