"""NVIDIA's driver, asked through ctypes: it is there where no CUDA library is installed.

Functions and constants are those of cuda.h, nvml.h, nvcuvid.h and cuviddec.h.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76
_CHROMA_420 = 1
_VIDEO_CODECS = {"H.264": 4, "HEVC": 8, "VP8": 9, "VP9": 10, "AV1": 11}


class CudaError(Exception):
    """A function of the driver failed.

    Attributes:
        code: the CUresult.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Device:
    """A GPU: name, bytes of memory, compute capability such as "9.0"."""

    name: str
    memory: int
    capability: str


class Driver:
    """The CUDA driver, initialised; OSError if there is none, CudaError if it fails."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)

    def call(self, function: str, *arguments: Any) -> None:
        """Call a function that returns a CUresult; raise CudaError unless that is 0."""
        code = getattr(self._library, function)(*arguments)
        if code:
            name, text = ctypes.c_char_p(), ctypes.c_char_p()
            self._library.cuGetErrorName(code, ctypes.byref(name))
            self._library.cuGetErrorString(code, ctypes.byref(text))
            words = [(part.value or b"?").decode() for part in (name, text)]
            raise CudaError(code, f"{function}: {words[0]} ({words[1]})")

    def _int(self, function: str, *arguments: Any) -> int:
        value = ctypes.c_int()
        self.call(function, ctypes.byref(value), *arguments)
        return value.value

    def cuda_version(self) -> tuple[int, int]:
        """Return the newest version of CUDA that the driver speaks: (13, 0)."""
        version = self._int("cuDriverGetVersion")
        return version // 1000, version % 1000 // 10

    def devices(self) -> list[Device]:
        """Return the GPUs that this process may use."""
        return [
            self._device(self._int("cuDeviceGet", i)) for i in range(self._int("cuDeviceGetCount"))
        ]

    def _device(self, device: int) -> Device:
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), device)
        memory = ctypes.c_size_t()
        self.call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
        major = self._int("cuDeviceGetAttribute", _CAPABILITY_MAJOR, device)
        minor = self._int("cuDeviceGetAttribute", _CAPABILITY_MINOR, device)
        return Device(name.value.decode(), memory.value, f"{major}.{minor}")

    @contextmanager
    def context(self) -> Iterator[None]:
        """Make the first GPU's primary context the thread's own."""
        device = self._int("cuDeviceGet", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        try:
            self.call("cuCtxPushCurrent_v2", context)
            try:
                yield
            finally:
                self.call("cuCtxPopCurrent_v2", ctypes.byref(context))
        finally:
            self.call("cuDevicePrimaryCtxRelease_v2", device)


def driver_version() -> str:
    """Return the driver's version, such as "580.159.04"; "" if NVML does not tell it."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return ""
    text = ctypes.create_string_buffer(96)
    failed = nvml.nvmlInit_v2() or nvml.nvmlSystemGetDriverVersion(text, len(text))
    return "" if failed else text.value.decode()


class _DecodeCaps(ctypes.Structure):
    """CUVIDDECODECAPS."""

    _fields_ = (
        ("codec", ctypes.c_int),
        ("chroma", ctypes.c_int),
        ("depth_minus_8", ctypes.c_uint),
        ("reserved_1", ctypes.c_uint * 3),
        ("supported", ctypes.c_ubyte),
        ("engines", ctypes.c_ubyte),
        ("output_formats", ctypes.c_ushort),
        ("max_width", ctypes.c_uint),
        ("max_height", ctypes.c_uint),
        ("max_macroblocks", ctypes.c_uint),
        ("min_width", ctypes.c_ushort),
        ("min_height", ctypes.c_ushort),
        ("histogram", ctypes.c_ubyte),
        ("counter_depth", ctypes.c_ubyte),
        ("max_histogram_bins", ctypes.c_ushort),
        ("reserved_3", ctypes.c_uint * 10),
    )


def video_engines() -> dict[str, int]:
    """Return, by codec that NVDEC decodes (8 bit, 4:2:0), how many engines the first GPU has.

    Raises:
        OSError: the driver's video library is not there.
        CudaError: the driver fails.
    """
    library = ctypes.CDLL("libnvcuvid.so.1")
    engines = {}
    with Driver().context():
        for name, codec in _VIDEO_CODECS.items():
            caps = _DecodeCaps(codec=codec, chroma=_CHROMA_420)
            if code := library.cuvidGetDecoderCaps(ctypes.byref(caps)):
                raise CudaError(code, f"cuvidGetDecoderCaps: error {code}")
            if caps.supported:
                engines[name] = int(caps.engines)
    return engines
