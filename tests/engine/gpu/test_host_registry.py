"""Host memory for kernels: what CUDA refuses is an error, and is not registered."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from penstock.engine.gpu import host_registry
from penstock.engine.gpu.host_registry import HostRegistry


class CUDARuntimeError(RuntimeError):
    """Takes the place of CuPy's."""


class Runtime:
    """Takes the place of CuPy's runtime: notes blocks, and in which device's context."""

    CUDARuntimeError = CUDARuntimeError

    def __init__(self):
        self.blocks = {}
        self.current = None
        self.shift = 0

    def hostRegister(self, address, size, flags):  # noqa: N802
        if address in self.blocks:
            raise CUDARuntimeError("already mapped")
        self.blocks[address] = size, flags, self.current

    def hostUnregister(self, address):  # noqa: N802
        if self.blocks.pop(address, None) is None:
            raise CUDARuntimeError("not mapped")

    def pointerGetAttributes(self, address):  # noqa: N802
        return SimpleNamespace(devicePointer=address + self.shift)


@pytest.fixture
def runtime():
    return Runtime()


@pytest.fixture
def registry(runtime, monkeypatch):
    class Device:
        def __init__(self, number):
            self.number = number

        def __enter__(self):
            runtime.current = self.number

        def __exit__(self, *error):
            runtime.current = None

    monkeypatch.setattr(host_registry, "CurrentDevice", Device)
    return HostRegistry(SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)), 3)


def test_memory_is_for_the_kernels_of_all_devices(registry, runtime):
    registry.register(4096, 100)
    assert runtime.blocks == {4096: (100, 3, 3)}  # portable and mapped, by device 3
    registry.unregister(4096)
    assert not runtime.blocks
    registry.unregister(4096)  # the context may be lost


def test_what_cuda_refuses_is_an_error(registry, runtime):
    registry.register(4096, 100)
    with pytest.raises(MemoryError, match="already mapped"):
        registry.register(4096, 100)
    assert 4096 in runtime.blocks


def test_a_device_with_other_addresses_reads_nothing(registry, runtime):
    runtime.shift = 64
    with pytest.raises(MemoryError, match="other addresses"):
        registry.register(4096, 100)
    assert not runtime.blocks
