"""Sessions of the GPU's optical flow engine: images of one size, on one stream."""

from __future__ import annotations

import ctypes
from ctypes import c_uint32, c_void_p
from dataclasses import dataclass
from typing import NamedTuple

from ...engine.errors import MissingDependencyError
from ...engine.gpu.device import Device
from ...engine.gpu.driver import current_context
from .engine_library import (
    ON_DEVICE,
    OPTICAL_FLOW,
    BufferDescriptor,
    BufferFormat,
    BufferUsage,
    ExecuteInput,
    ExecuteOutput,
    FlowCapability,
    InitParams,
    StrideInfo,
    check_status,
    flow_functions,
    status_text,
)

MAX_FRAMES = 17
"""Buffers for frames in a session."""

MAX_FRAME_BYTES = 16 << 20
"""Size of these buffers together; there are two at least."""

MAX_SESSIONS = 64
"""Number of sessions that a stream keeps. A new one takes 10 ms on an H200."""

MAX_HELD_BYTES = 256 << 20
"""Size of their buffers together; one session may have more."""


@dataclass(frozen=True)
class FlowKind:
    """What a session computes.

    Attributes:
        width, height: of the frames.
        channels: of the frames: 1, or 3.
        grid: side of the square of pixels that has one vector.
        hint_grid: the same for a hint; 0 if there are no hints.
        level: NV_OF_PERF_LEVEL: 5, 10 or 20; the higher, the faster.
    """

    width: int
    height: int
    channels: int
    grid: int
    hint_grid: int
    level: int


@dataclass(frozen=True)
class FlowLimits:
    """What an engine can do.

    Attributes:
        grids: sides of the squares that have one vector.
        hint_grids: the same for hints; empty if it takes no hints.
        width, height: the least and the largest extent of frames.
    """

    grids: tuple[int, ...]
    hint_grids: tuple[int, ...]
    width: tuple[int, ...]
    height: tuple[int, ...]


class FlowBuffer(NamedTuple):
    """Memory of the engine.

    Attributes:
        handle: the library's name for it.
        address: on the device.
        pitch: bytes from line to line.
    """

    handle: c_void_p
    address: int
    pitch: int


class FlowSession:
    """One session, with its buffers.

    Attributes:
        frames: buffers for frames.
        fields: buffers for vectors: one fewer.
        hints: as many buffers for hints, or none.
        nbytes: size of all buffers.

    Raises:
        MissingDependencyError: the GPU has no engine.
        PenstockError: the engine refuses the kind.
    """

    def __init__(self, device: Device, kind: FlowKind) -> None:
        self._functions = flow_functions()
        self._handle = _open(device)
        self._made: list[c_void_p] = []
        self.nbytes = 0
        stream = c_void_p(device.stream.ptr)
        self._call("nvOFSetIOCudaStreams", stream, stream)
        format_ = BufferFormat.GRAYSCALE8 if kind.channels == 1 else BufferFormat.ABGR8
        settings = InitParams(
            width=kind.width,
            height=kind.height,
            outGridSize=kind.grid,
            hintGridSize=kind.hint_grid,
            mode=OPTICAL_FLOW,
            perfLevel=kind.level,
            enableExternalHints=kind.hint_grid > 0,
            inputBufferFormat=format_,
        )
        self._call("nvOFInit", ctypes.byref(settings))
        frame_bytes = kind.width * kind.height * (1 if kind.channels == 1 else 4)
        count = max(2, min(MAX_FRAMES, MAX_FRAME_BYTES // frame_bytes))
        extents, vectors = (kind.width, kind.height), BufferFormat.SHORT2
        self.frames = self._buffers(count, extents, BufferUsage.FRAME, format_)
        cells = cells_of(extents, kind.grid)
        self.fields = self._buffers(count - 1, cells, BufferUsage.FLOW, vectors)
        self.hints: list[FlowBuffer] = []
        if kind.hint_grid:
            cells = cells_of(extents, kind.hint_grid)
            self.hints = self._buffers(count - 1, cells, BufferUsage.HINT, vectors)

    def execute(self, number: int, *, follows: bool) -> None:
        """Have `fields[number]` computed: from `frames[number + 1]` to `frames[number]`.

        Args:
            number: of the field.
            follows: whether the vectors of the call before are hints.
        """
        given = ExecuteInput(
            inputFrame=self.frames[number + 1].handle,
            referenceFrame=self.frames[number].handle,
            externalHints=self.hints[number].handle if self.hints else None,
            disableTemporalHints=not follows,
        )
        made = ExecuteOutput(outputBuffer=self.fields[number].handle)
        self._call("nvOFExecute", ctypes.byref(given), ctypes.byref(made))

    def _buffers(
        self, count: int, extents: tuple[int, ...], usage: BufferUsage, format_: BufferFormat
    ) -> list[FlowBuffer]:
        wanted = ctypes.byref(BufferDescriptor(*extents, usage, format_))
        buffers, functions = [], self._functions
        for _ in range(count):
            handle, strides = c_void_p(), StrideInfo()
            self._call("nvOFCreateGPUBufferCuda", wanted, ON_DEVICE, ctypes.byref(handle))
            self._made.append(handle)
            address = functions.nvOFGPUBufferGetCUdeviceptr(handle)
            status = functions.nvOFGPUBufferGetStrideInfo(handle, ctypes.byref(strides))
            check_status(status, "nvOFGPUBufferGetStrideInfo", self._handle)
            pitch = strides.strides[0][0]
            buffers.append(FlowBuffer(handle, address, pitch))
            self.nbytes += pitch * extents[1]
        return buffers

    def _call(self, name: str, *arguments: object) -> None:
        check_status(getattr(self._functions, name)(self._handle, *arguments), name, self._handle)

    def __del__(self) -> None:
        for buffer in self.__dict__.get("_made", ()):
            self._functions.nvOFDestroyGPUBufferCuda(buffer)
        if "_handle" in self.__dict__:
            self._functions.nvOFDestroy(self._handle)


def session_of(device: Device, kind: FlowKind) -> FlowSession:
    """Return the session of a kind on the device's stream; make it if there is none."""
    sessions = device.own(FlowSession, dict[FlowKind, FlowSession])
    session = sessions.pop(kind, None)
    if session is not None:
        sessions[kind] = session  # as the last one
        return session
    session = sessions[kind] = FlowSession(device, kind)
    held = sum(other.nbytes for other in sessions.values())
    while len(sessions) > 1 and (len(sessions) > MAX_SESSIONS or held > MAX_HELD_BYTES):
        device.synchronize()  # the engine may be at work for the session
        held -= sessions.pop(next(iter(sessions))).nbytes  # which was used the longest time ago
    return session


def limits_of(device: Device) -> FlowLimits:
    """Return what the engine of a device can do.

    Raises:
        MissingDependencyError: the library is missing, or the GPU has no engine.
    """
    return device.own(FlowLimits, lambda: _limits(device))


def _limits(device: Device) -> FlowLimits:
    handle = _open(device)
    try:
        return _ask(handle)
    finally:
        flow_functions().nvOFDestroy(handle)


def cells_of(extents: tuple[int, ...], grid: int) -> tuple[int, ...]:
    """Return how many squares with a side of `grid` pixels cover some extents.

    >>> cells_of((640, 481), 4)
    (160, 121)
    """
    return tuple(-(-extent // grid) for extent in extents)


def _open(device: Device) -> c_void_p:
    handle = c_void_p()
    with device.current():
        status = flow_functions().nvCreateOpticalFlowCuda(current_context(), ctypes.byref(handle))
    if status:
        raise MissingDependencyError(
            f"GPU {device.id} has no optical flow engine that the driver can use "
            f"({status_text(status)}); GPUs of the generations Turing, Ampere, Ada, Hopper and "
            "Blackwell have one, with few exceptions, such as the GTX 1650"
        )
    return handle


def _ask(handle: c_void_p) -> FlowLimits:
    def numbers(capability: FlowCapability) -> tuple[int, ...]:
        size = c_uint32()

        def ask(values: object) -> None:
            status = flow_functions().nvOFGetCaps(handle, capability, values, ctypes.byref(size))
            check_status(status, f"nvOFGetCaps({capability.name})", handle)

        ask(None)  # how many there are
        values = (c_uint32 * size.value)()
        ask(values)
        return tuple(values)

    has_hints = any(numbers(FlowCapability.HAS_HINTS))
    return FlowLimits(
        numbers(FlowCapability.OUTPUT_GRIDS),
        numbers(FlowCapability.HINT_GRIDS) if has_hints else (),
        (*numbers(FlowCapability.WIDTH_MIN), *numbers(FlowCapability.WIDTH_MAX)),
        (*numbers(FlowCapability.HEIGHT_MIN), *numbers(FlowCapability.HEIGHT_MAX)),
    )
