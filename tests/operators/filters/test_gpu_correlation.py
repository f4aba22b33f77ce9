"""Windows on the device."""

from __future__ import annotations

import numpy as np

from penstock import Pipeline, fn
from penstock.engine.tensors import TensorListCPU
from penstock.operators.filters.gpu_correlation import upload_windows
from penstock.testing.agreement import source


def test_shared_windows_take_memory_once(gpu_batch):
    batch, _ = gpu_batch([np.zeros(1)] * 3)
    one, two = np.ones((2, 3), np.float32), np.ones((1, 4), np.float64)
    addresses, extents, dtype, _ = upload_windows(batch, [one, two, one])
    assert addresses[0] == addresses[2]
    assert abs(int(addresses[1]) - int(addresses[0])) >= 4 * 4
    assert extents.tolist() == [[2, 3], [1, 4], [2, 3]]
    assert dtype == np.float32


def test_windows_that_are_there_stay(gpu_batch):
    batch, (there,) = gpu_batch([np.zeros((2, 3)), np.zeros((1, 1))])
    windows = upload_windows(batch, there)
    np.testing.assert_array_equal(windows.addresses, there.pointers())
    assert windows.dtype == np.float64
    assert upload_windows(batch, TensorListCPU([])).extents.shape == (0, 0)


def test_windows_of_the_device_filter_alike(device_stage):
    images = [np.arange(30, dtype=np.uint8).reshape(5, 6) + i for i in range(2)]
    windows = [np.float32([[0.5, 0.25]]), np.float32([[1], [0.5]])]
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        data, weights = source(images, "HW"), source(windows)
        fill = source([np.float32(3)] * 2)
        arguments = {"border": "constant"}
        pipe.set_outputs(
            fn.filter(data.gpu(), weights.gpu(), fill.gpu(), **arguments),
            fn.filter(data, weights, fill, **arguments),
        )
        on_device, on_host = pipe.run()
    for row, wanted in zip(on_device.as_cpu().rows(), on_host.rows(), strict=True):
        np.testing.assert_allclose(row, wanted, atol=1)
