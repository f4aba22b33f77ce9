"""Tensors, and calls that concern the memory of all pipelines; public as `penstock.backend`.

Names and arguments are those of `nvidia.dali.backend`. Pools of memory grow and shrink by what
batches need, so hints about their sizes have no effect.
"""

from __future__ import annotations

from .errors import ArgumentError
from .tensors import (
    Tensor,
    TensorCPU,
    TensorGPU,
    TensorList,
    TensorListCPU,
    TensorListGPU,
)
from .tensors.unused_memory import release_unused_memory

__all__ = [
    "GetDeviceBufferGrowthFactor",
    "GetHostBufferGrowthFactor",
    "GetHostBufferShrinkThreshold",
    "PreallocateDeviceMemory",
    "PreallocatePinnedMemory",
    "ReleaseUnusedMemory",
    "RestrictPinnedMemUsage",
    "SetDeviceBufferGrowthFactor",
    "SetHostBufferGrowthFactor",
    "SetHostBufferShrinkThreshold",
    "Tensor",
    "TensorCPU",
    "TensorGPU",
    "TensorList",
    "TensorListCPU",
    "TensorListGPU",
]

# ruff: noqa: N802  (the names are those of DALI)

_hints = {"host growth": 1.1, "host shrink": 0.5, "device growth": 1.1}


def ReleaseUnusedMemory() -> None:
    """Free the memory, of the host and of devices, that no batch of any pipeline holds now.

    Pipelines may run meanwhile. They take new memory for their next batches.
    """
    release_unused_memory()


def PreallocateDeviceMemory(bytes: int, device_id: int) -> None:
    """Do nothing: a pipeline takes the memory of its first batches when it starts."""


def PreallocatePinnedMemory(bytes: int) -> None:
    """Do nothing: a pipeline takes the memory of its first batches when it starts."""


def GetHostBufferGrowthFactor() -> float:
    """Return the last value of `SetHostBufferGrowthFactor`."""
    return _hints["host growth"]


def SetHostBufferGrowthFactor(factor: float, /) -> None:
    """Accept a factor from 1 to 4, without effect: blocks have sizes of fixed classes."""
    _hints["host growth"] = _between("growth factor", factor, 1, 4)


def GetHostBufferShrinkThreshold() -> float:
    """Return the last value of `SetHostBufferShrinkThreshold`."""
    return _hints["host shrink"]


def SetHostBufferShrinkThreshold(fraction: float, /) -> None:
    """Accept a fraction from 0 to 1, without effect: memory that no batch wants is freed."""
    _hints["host shrink"] = _between("shrink threshold", fraction, 0, 1)


def GetDeviceBufferGrowthFactor() -> float:
    """Return the last value of `SetDeviceBufferGrowthFactor`."""
    return _hints["device growth"]


def SetDeviceBufferGrowthFactor(factor: float, /) -> None:
    """Accept a factor from 1 to 4, without effect: blocks have sizes of fixed classes."""
    _hints["device growth"] = _between("growth factor", factor, 1, 4)


def RestrictPinnedMemUsage() -> bool:
    """Return False: only memory that the device copies from or to is pinned."""
    return False


def _between(name: str, value: float, least: float, most: float) -> float:
    if not least <= value <= most:
        raise ArgumentError(f"a {name} is from {least} to {most}, but is {value!r}")
    return float(value)
