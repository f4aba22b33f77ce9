"""GPU tests skip where there is no GPU, unless PENSTOCK_REQUIRE_GPU=1 asks for one.

Tests of operators' GPU work take the fixture `device_stage` and run on an emulation there.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from penstock.decoders.image import mixed
from penstock.decoders.image.engines import cuda_jpeg
from penstock.engine.errors import MissingDependencyError
from penstock.engine.gpu.device import Device, import_cupy
from penstock.engine.run import executor, opening
from penstock.engine.tensors import TensorListGPU
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.tensors.results import as_tensor_list
from penstock.engine.work.batch import Batch

from .emulator import COMPILER, EmulatedGpuDevice, HostJpegDecoder

REQUIRED = os.environ.get("PENSTOCK_REQUIRE_GPU") == "1"


@pytest.fixture(scope="session")
def cupy():
    """CuPy, with a device that works."""
    try:
        return import_cupy()
    except MissingDependencyError as error:
        if REQUIRED:
            pytest.fail(f"PENSTOCK_REQUIRE_GPU=1, but {error}")
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def _has_gpu():
    try:
        import_cupy()
    except MissingDependencyError as error:
        if REQUIRED:
            pytest.fail(f"PENSTOCK_REQUIRE_GPU=1, but {error}")
        return False
    return True


@pytest.fixture
def device_stage(_has_gpu, monkeypatch):
    """A GPU, or the emulation of one; True for a real one."""
    if not _has_gpu:
        if COMPILER is None or platform.machine() != "x86_64":
            pytest.skip("no GPU, and no g++ to emulate one")
        monkeypatch.setattr(opening, "load_driver", lambda: None)
        monkeypatch.setattr(executor, "GpuDevice", EmulatedGpuDevice)
        monkeypatch.setattr(mixed, "JpegDecoder", HostJpegDecoder)
        # The threads of an emulated block take turns.
        monkeypatch.setattr(cuda_jpeg, "FILE_THREADS", 32)
    return _has_gpu


@pytest.fixture
def device(device_stage) -> Iterator[Device]:
    """A device, for tests that call the GPU half of a module directly."""
    with executor.GpuDevice(None, 1 << 30, 2).lane() as device:
        yield device


@pytest.fixture
def gpu_batch(device) -> Callable[..., tuple[Batch, list[TensorListGPU]]]:
    """Return a batch on the device, and data on the device: `gpu_batch(rows, more_rows)`."""

    def make(*inputs: Any, layout: str = "") -> tuple[Batch, list[TensorListGPU]]:
        batch = Batch(0, len(inputs[0]), SlabPool(), seed=0)
        batch.device = device
        lists = [as_tensor_list(rows, len(rows), layout) for rows in inputs]
        return batch, [device.to_device(rows) for rows in lists]

    return make
