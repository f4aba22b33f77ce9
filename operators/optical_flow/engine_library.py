"""The driver's library for the optical flow engine: its structs and functions, through ctypes.

Structs have the layout of version 5 of the interface, and the engine is asked for version 2, whose
structs are the first part of these. Calls release the GIL.

Source: nvOpticalFlowCommon.h and nvOpticalFlowCuda.h of NVIDIA's Optical Flow SDK.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_uint32, c_uint64, c_void_p
from enum import IntEnum
from functools import cache

from ...engine.errors import MissingDependencyError, PenstockError

_NAMES = ("libnvidia-opticalflow.so.1", "libnvidia-opticalflow.so")
_VERSION = 2 << 4  # NV_OF_API_VERSION: major << 4 | minor
_TEXT_BYTES = 512  # at least MIN_ERROR_STRING_SIZE

ON_DEVICE = 2  # NV_OF_CUDA_BUFFER_TYPE_CUDEVICEPTR
OPTICAL_FLOW = 1  # NV_OF_MODE_OPTICALFLOW


class FlowStatus(IntEnum):
    """NV_OF_STATUS: what functions of the library return."""

    SUCCESS = 0
    OF_NOT_AVAILABLE = 1
    UNSUPPORTED_DEVICE = 2
    DEVICE_DOES_NOT_EXIST = 3
    INVALID_PTR = 4
    INVALID_PARAM = 5
    INVALID_CALL = 6
    INVALID_VERSION = 7
    OUT_OF_MEMORY = 8
    NOT_INITIALIZED = 9
    UNSUPPORTED_FEATURE = 10
    GENERIC = 11


class FlowCapability(IntEnum):
    """NV_OF_CAPS: what can be asked of the engine."""

    OUTPUT_GRIDS = 0
    HINT_GRIDS = 1
    HAS_HINTS = 2
    WIDTH_MIN = 4
    HEIGHT_MIN = 5
    WIDTH_MAX = 6
    HEIGHT_MAX = 7


class BufferUsage(IntEnum):
    """NV_OF_BUFFER_USAGE."""

    FRAME = 1
    FLOW = 2
    HINT = 3


class BufferFormat(IntEnum):
    """NV_OF_BUFFER_FORMAT: one byte, the bytes R, G, B, A, or two numbers of 16 bits."""

    GRAYSCALE8 = 1
    ABGR8 = 3
    SHORT2 = 5


class InitParams(ctypes.Structure):
    """NV_OF_INIT_PARAMS."""

    _fields_ = (
        ("width", c_uint32),
        ("height", c_uint32),
        ("outGridSize", c_uint32),
        ("hintGridSize", c_uint32),
        ("mode", c_uint32),
        ("perfLevel", c_uint32),
        ("enableExternalHints", c_uint32),
        ("enableOutputCost", c_uint32),
        ("hPrivData", c_void_p),
        ("disparityRange", c_uint32),
        ("enableRoi", c_uint32),
        ("predDirection", c_uint32),
        ("enableGlobalFlow", c_uint32),
        ("inputBufferFormat", c_uint32),
    )


class BufferDescriptor(ctypes.Structure):
    """NV_OF_BUFFER_DESCRIPTOR."""

    _fields_ = (
        ("width", c_uint32),
        ("height", c_uint32),
        ("bufferUsage", c_uint32),
        ("bufferFormat", c_uint32),
    )


class StrideInfo(ctypes.Structure):
    """NV_OF_CUDA_BUFFER_STRIDE_INFO: two strides of each plane; the first is that of lines."""

    _fields_ = (("strides", (c_uint32 * 2) * 3), ("numPlanes", c_uint32))


class ExecuteInput(ctypes.Structure):
    """NV_OF_EXECUTE_INPUT_PARAMS."""

    _fields_ = (
        ("inputFrame", c_void_p),
        ("referenceFrame", c_void_p),
        ("externalHints", c_void_p),
        ("disableTemporalHints", c_uint32),
        ("padding", c_uint32),
        ("hPrivData", c_void_p),
        ("padding2", c_uint32),
        ("numRois", c_uint32),
        ("roiData", c_void_p),
    )


class ExecuteOutput(ctypes.Structure):
    """NV_OF_EXECUTE_OUTPUT_PARAMS."""

    _fields_ = (
        ("outputBuffer", c_void_p),
        ("outputCostBuffer", c_void_p),
        ("hPrivData", c_void_p),
        ("bwdOutputBuffer", c_void_p),
        ("bwdOutputCostBuffer", c_void_p),
        ("globalFlowBuffer", c_void_p),
    )


class FlowFunctions(ctypes.Structure):
    """NV_OF_CUDA_API_FUNCTION_LIST: each field is a function."""

    _fields_ = (
        ("nvCreateOpticalFlowCuda", CFUNCTYPE(c_int, c_void_p, POINTER(c_void_p))),
        ("nvOFInit", CFUNCTYPE(c_int, c_void_p, POINTER(InitParams))),
        (
            "nvOFCreateGPUBufferCuda",
            CFUNCTYPE(c_int, c_void_p, POINTER(BufferDescriptor), c_int, POINTER(c_void_p)),
        ),
        ("nvOFGPUBufferGetCUarray", CFUNCTYPE(c_void_p, c_void_p)),
        ("nvOFGPUBufferGetCUdeviceptr", CFUNCTYPE(c_uint64, c_void_p)),
        ("nvOFGPUBufferGetStrideInfo", CFUNCTYPE(c_int, c_void_p, POINTER(StrideInfo))),
        ("nvOFSetIOCudaStreams", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)),
        (
            "nvOFExecute",
            CFUNCTYPE(c_int, c_void_p, POINTER(ExecuteInput), POINTER(ExecuteOutput)),
        ),
        ("nvOFDestroyGPUBufferCuda", CFUNCTYPE(c_int, c_void_p)),
        ("nvOFDestroy", CFUNCTYPE(c_int, c_void_p)),
        ("nvOFGetLastError", CFUNCTYPE(c_int, c_void_p, c_char_p, POINTER(c_uint32))),
        ("nvOFGetCaps", CFUNCTYPE(c_int, c_void_p, c_int, POINTER(c_uint32), POINTER(c_uint32))),
    )


def load_library() -> ctypes.CDLL:
    """Load the library, without a start of CUDA.

    Raises:
        MissingDependencyError: there is no such library.
    """
    for name in _NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            failure = error
    raise MissingDependencyError(
        f"optical flow needs a library of NVIDIA's driver that is not there ({failure}). Install "
        "the whole driver, or start the container with -e NVIDIA_DRIVER_CAPABILITIES=all, or with "
        "compute,utility,video"
    )


@cache
def flow_functions() -> FlowFunctions:
    """Return the functions of the library.

    Raises:
        MissingDependencyError: the library is missing, or too old.
    """
    library, functions = load_library(), FlowFunctions()
    status = library.NvOFAPICreateInstanceCuda(c_uint32(_VERSION), ctypes.byref(functions))
    if status:
        raise MissingDependencyError(
            f"NVIDIA's driver does not offer version {_VERSION >> 4} of its interface for optical "
            f"flow ({status_text(status)}); update the driver (on Ubuntu: sudo ubuntu-drivers "
            "install)"
        )
    return functions


def check_status(status: int, called: str, handle: c_void_p) -> None:
    """Raise PenstockError, with the library's explanation, unless a function has succeeded.

    Args:
        status: that the function returned.
        called: the function.
        handle: of the session.
    """
    if status:
        text, size = ctypes.create_string_buffer(_TEXT_BYTES), c_uint32(_TEXT_BYTES)
        flow_functions().nvOFGetLastError(handle, text, ctypes.byref(size))
        reason = f": {text.value.decode(errors='replace')}" if text.value else ""
        raise PenstockError(
            f"the GPU's optical flow engine: {called} failed with {status_text(status)}{reason}"
        )


def status_text(status: int) -> str:
    """Return the name and the number of a status.

    >>> status_text(5), status_text(99)
    ('INVALID_PARAM (5)', 'status 99')
    """
    try:
        return f"{FlowStatus(status).name} ({status})"
    except ValueError:
        return f"status {status}"
