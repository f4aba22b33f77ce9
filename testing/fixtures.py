"""A plugin for pytest: fixtures that run a test on the CPU, on the GPU, or on an emulated GPU.

A `conftest.py` names the plugin:

    pytest_plugins = ["penstock.testing.fixtures"]

Tests that run on a GPU have the marker `gpu`, so `pytest -m gpu` selects them. Where there is no
GPU, an emulation takes its place. Tests that need a real device skip there. With the variable
PENSTOCK_REQUIRE_GPU=1, both are failures.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from ..decoders.image import mixed
from ..decoders.image.engines import cuda_jpeg
from ..engine.eager import eager_runner
from ..engine.errors import MissingDependencyError
from ..engine.gpu.cupy_module import import_cupy
from ..engine.gpu.device import Device
from ..engine.gpu.gpu_device import GpuDevice
from ..engine.run import gpu_work, opening
from ..engine.tensors import TensorListGPU
from ..engine.tensors.memory import SlabPool
from ..engine.tensors.results import as_tensor_list
from ..engine.work.batch import Batch
from .emulator import COMPILER, EmulatedGpuDevice, HostJpegDecoder

# Failing assertions of the suites show their values, as those of tests do.
SUITES = ("agreement", "beside", "decoders", "operators", "readers", "writers")
pytest.register_assert_rewrite(*(f"{__package__}.{name}" for name in SUITES))

REQUIRED = os.environ.get("PENSTOCK_REQUIRE_GPU") == "1"
ON_DEVICE = {"cupy", "device_stage", "gpu_device", "gpu_batch"}  # the GPU or its emulation


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", "gpu: runs on a CUDA device, or on the emulation of one")


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that run on a GPU or its emulation."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        given = getattr(getattr(item, "callspec", None), "params", {})
        if ON_DEVICE.intersection(fixtures) and given.get("device", "gpu") != "cpu":
            item.add_marker("gpu")


@pytest.fixture(scope="session")
def cupy() -> ModuleType:
    """CuPy, with a device that works."""
    try:
        return import_cupy()
    except MissingDependencyError as error:
        if REQUIRED:
            pytest.fail(f"PENSTOCK_REQUIRE_GPU=1, but {error}")
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def _has_gpu() -> bool:
    try:
        import_cupy()
    except MissingDependencyError as error:
        if REQUIRED:
            pytest.fail(f"PENSTOCK_REQUIRE_GPU=1, but {error}")
        return False
    return True


@pytest.fixture
def device_stage(_has_gpu: bool, monkeypatch: pytest.MonkeyPatch) -> bool:
    """A GPU, or the emulation of one; True for a real one."""
    if not _has_gpu:
        if COMPILER is None or platform.machine() != "x86_64":
            pytest.skip("no GPU, and no g++ to emulate one")
        monkeypatch.setattr(opening, "load_driver", lambda: None)
        monkeypatch.setattr(gpu_work, "GpuDevice", EmulatedGpuDevice)
        monkeypatch.setattr(eager_runner, "GpuDevice", EmulatedGpuDevice)
        monkeypatch.setattr(mixed, "JpegDecoder", HostJpegDecoder)
        # The threads of an emulated block take turns.
        monkeypatch.setattr(cuda_jpeg, "FILE_THREADS", 32)
    return _has_gpu


@pytest.fixture(params=["cpu", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> str:
    """The device that a test runs on: "cpu", then "gpu", which may be an emulation."""
    name: str = request.param
    if name == "gpu":
        request.getfixturevalue("device_stage")
    return name


@pytest.fixture
def gpu_device(device_stage: bool) -> Iterator[Device]:
    """A device, for tests that call the GPU half of a module directly."""
    device_class: type[GpuDevice] = vars(gpu_work)["GpuDevice"]  # the emulated one, if any
    with device_class(None, 1 << 30, 2).lane() as device:
        yield device


@pytest.fixture
def gpu_batch(gpu_device: Device) -> Callable[..., tuple[Batch, list[TensorListGPU]]]:
    """Return a batch on the device, and data on the device: `gpu_batch(rows, more_rows)`."""

    def make(*inputs: Any, layout: str = "") -> tuple[Batch, list[TensorListGPU]]:
        batch = Batch(0, len(inputs[0]), SlabPool(), seed=0)
        batch.device = gpu_device
        lists = [as_tensor_list(rows, len(rows), layout) for rows in inputs]
        return batch, [gpu_device.to_device(rows) for rows in lists]

    return make
