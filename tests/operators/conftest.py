"""The GPU, or its emulation, for the operators' conformance suite."""

from ..gpu.conftest import _has_gpu, device_stage

__all__ = ["_has_gpu", "device_stage"]
