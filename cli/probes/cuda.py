"""NVIDIA's driver, called through ctypes, which needs no CUDA library.

Functions and constants are those of cuda.h and nvml.h.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76


class CudaError(Exception):
    """A function of the driver failed.

    Attributes:
        code: the CUresult.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class VisibleGpu:
    """A GPU: name, bytes of memory, compute capability such as "9.0"."""

    name: str
    memory: int
    capability: str


class Driver:
    """The CUDA driver, initialized; OSError if there is none, CudaError if it fails."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)

    def call(self, function: str, *arguments: object) -> None:
        """Call a function that returns a CUresult; raise CudaError unless that is 0."""
        code = getattr(self._library, function)(*arguments)
        if code:
            name, text = ctypes.c_char_p(), ctypes.c_char_p()
            self._library.cuGetErrorName(code, ctypes.byref(name))
            self._library.cuGetErrorString(code, ctypes.byref(text))
            words = [(word.value or b"?").decode() for word in (name, text)]
            raise CudaError(code, f"{function}: {words[0]} ({words[1]})")

    def _int(self, function: str, *arguments: object) -> int:
        value = ctypes.c_int()
        self.call(function, ctypes.byref(value), *arguments)
        return value.value

    def cuda_version(self) -> tuple[int, int]:
        """Return the newest version of CUDA that the driver supports, such as (13, 0)."""
        version = self._int("cuDriverGetVersion")
        return version // 1000, version % 1000 // 10

    def devices(self) -> list[VisibleGpu]:
        """Return the GPUs that are visible to this process."""
        return [
            self._device(self._int("cuDeviceGet", i)) for i in range(self._int("cuDeviceGetCount"))
        ]

    def _device(self, device: int) -> VisibleGpu:
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), device)
        memory = ctypes.c_size_t()
        self.call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
        major = self._int("cuDeviceGetAttribute", _CAPABILITY_MAJOR, device)
        minor = self._int("cuDeviceGetAttribute", _CAPABILITY_MINOR, device)
        return VisibleGpu(name.value.decode(), memory.value, f"{major}.{minor}")


def driver_version() -> str:
    """Return the driver's version, such as "580.159.04"; "" if NVML does not give one."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return ""
    text = ctypes.create_string_buffer(96)
    failed = nvml.nvmlInit_v2() or nvml.nvmlSystemGetDriverVersion(text, len(text))
    return "" if failed else text.value.decode()
