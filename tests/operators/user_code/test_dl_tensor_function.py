"""`dl_tensor_python_function`."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

ROWS = [np.arange(n * 3, dtype=np.int32).reshape(n, 3) for n in (2, 5, 1)]


def applied(function, **options):
    """Return the outputs of a function of ROWS."""
    with Pipeline(batch_size=len(ROWS), num_threads=1) as pipe:
        data = fn.external_source(lambda: ROWS)
        results = fn.dl_tensor_python_function(data, function=function, **options)
        pipe.set_outputs(*(results if isinstance(results, list | tuple) else [results]))
        return [[np.array(row) for row in output.rows()] for output in pipe.run()]


def is_capsule(value):
    return type(value).__name__ == "PyCapsule"


def test_capsules_come_and_go():
    def function(capsule):
        assert is_capsule(capsule)
        return capsule

    (result,) = applied(function, batch_processing=False)
    for row, given in zip(result, ROWS, strict=True):
        np.testing.assert_array_equal(row, given, strict=True)


def test_batches_are_lists():
    def function(capsules):
        assert all(map(is_capsule, capsules))
        return capsules[::-1], [np.float32(i) for i in range(len(capsules))]

    same, numbers = applied(function, num_outputs=2)
    np.testing.assert_array_equal(same[0], ROWS[2])
    assert [float(number) for number in numbers] == [0, 1, 2]


def test_torch_reads_and_makes_capsules():
    torch = pytest.importorskip("torch")
    dlpack = pytest.importorskip("torch.utils.dlpack")

    def function(capsule):
        return dlpack.to_dlpack(dlpack.from_dlpack(capsule).to(torch.float32) * 2)

    (result,) = applied(function, batch_processing=False)
    np.testing.assert_array_equal(result[1], (ROWS[1] * 2).astype(np.float32), strict=True)


def test_a_function_without_a_result():
    seen = []
    with Pipeline(batch_size=len(ROWS), num_threads=1) as pipe:
        data = fn.external_source(lambda: ROWS)
        assert fn.dl_tensor_python_function(data, function=seen.append, num_outputs=0) is None
        pipe.set_outputs(data)
        pipe.run()
    assert [is_capsule(capsule) for capsule in seen[0]] == [True] * len(ROWS)
    with pytest.raises(ArgumentError, match="dl_tensor_python_function: the function returned"):
        applied(lambda capsules: None)


# Capsules and tensors of data on the device.
RAGGED = [np.arange(n * 3, dtype=np.int32).reshape(n, 3) for n in (2, 5, 1)]


@pytest.mark.parametrize("synchronize", [True, False])
def test_the_function_gets_capsules(device_stage, synchronize):
    seen = []
    with Pipeline(batch_size=len(RAGGED), num_threads=1) as pipe:
        data = fn.external_source(lambda: RAGGED).gpu()
        options = {"num_outputs": 0, "device": "gpu", "synchronize_stream": synchronize}
        fn.dl_tensor_python_function(data, function=seen.append, **options)
        pipe.set_outputs(data)
        pipe.run()
    assert [is_capsule(capsule) for capsule in seen[0]] == [True] * len(RAGGED)


def test_capsules_come_and_go_on_the_gpu(cupy):
    with Pipeline(batch_size=len(RAGGED), num_threads=1) as pipe:
        data = fn.external_source(lambda: RAGGED).gpu()
        pipe.set_outputs(fn.dl_tensor_python_function(data, device="gpu", function=lambda x: x))
        (output,) = pipe.run()
    for row, given in zip(output.as_cpu().rows(), RAGGED, strict=True):
        np.testing.assert_array_equal(row, given)


def test_torch_works_on_the_pipelines_stream(cupy):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    from penstock.plugin.pytorch import fn as torch_fn

    with Pipeline(batch_size=len(RAGGED), num_threads=1) as pipe:
        data = fn.external_source(lambda: RAGGED).gpu()

        def function(tensors):
            assert all(tensor.is_cuda for tensor in tensors)
            return [tensor * 2 for tensor in tensors]

        doubled = torch_fn.torch_python_function(
            data, device="gpu", function=function, batch_processing=True
        )
        pipe.set_outputs(doubled)
        (output,) = pipe.run()
    for row, given in zip(output.as_cpu().rows(), RAGGED, strict=True):
        np.testing.assert_array_equal(row, given * 2)
