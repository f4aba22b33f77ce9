"""The binding of the driver's library: the layout of its structs, and what is said without it."""

from __future__ import annotations

import ctypes

import pytest

from penstock.engine.errors import MissingDependencyError, PenstockError
from penstock.operators.optical_flow import engine_library
from penstock.operators.optical_flow.engine_library import (
    BufferDescriptor,
    ExecuteInput,
    ExecuteOutput,
    FlowFunctions,
    InitParams,
    StrideInfo,
    check_status,
    flow_functions,
    load_library,
    status_text,
)


@pytest.mark.parametrize(
    ("struct", "size", "offsets"),
    [
        (InitParams, 64, {"hintGridSize": 12, "perfLevel": 20, "hPrivData": 32, "enableRoi": 44}),
        (InitParams, 64, {"predDirection": 48, "inputBufferFormat": 56}),
        (BufferDescriptor, 16, {"bufferUsage": 8, "bufferFormat": 12}),
        (StrideInfo, 28, {"strides": 0, "numPlanes": 24}),
        (ExecuteInput, 56, {"externalHints": 16, "disableTemporalHints": 24, "hPrivData": 32}),
        (ExecuteInput, 56, {"padding2": 40, "numRois": 44, "roiData": 48}),
        (ExecuteOutput, 48, {"outputCostBuffer": 8, "hPrivData": 16, "globalFlowBuffer": 40}),
        (FlowFunctions, 96, {"nvOFInit": 8, "nvOFGPUBufferGetCUdeviceptr": 32, "nvOFExecute": 56}),
        (FlowFunctions, 96, {"nvOFDestroy": 72, "nvOFGetLastError": 80, "nvOFGetCaps": 88}),
    ],
)
def test_structs_have_the_layout_that_a_c_compiler_gives_them(struct, size, offsets):
    assert ctypes.sizeof(struct) == size
    assert {name: getattr(struct, name).offset for name in offsets} == offsets


def test_a_library_that_is_missing(monkeypatch):
    monkeypatch.setattr(engine_library, "_NAMES", ("libnowhere.so.1", "libnowhere.so"))
    with pytest.raises(MissingDependencyError, match=r"libnowhere.*DRIVER_CAPABILITIES=all"):
        load_library()


def test_the_second_name_is_tried(monkeypatch):
    monkeypatch.setattr(engine_library, "_NAMES", ("libnowhere.so.1", None))  # None: the process
    assert load_library().getpid() > 0


def test_texts_of_statuses():
    assert status_text(0) == "SUCCESS (0)"
    assert status_text(-3) == "status -3"


# The binding of the driver's library, with a library that a C compiler has made.
def test_structs_are_those_of_c(emulated_engine):
    wanted = [
        (InitParams, "hPrivData", "inputBufferFormat"),
        (BufferDescriptor,),
        (StrideInfo, "numPlanes"),
        (ExecuteInput, "disableTemporalHints", "hPrivData", "roiData"),
        (ExecuteOutput, "hPrivData", "globalFlowBuffer"),
        (FlowFunctions, "nvOFExecute", "nvOFGetCaps"),
    ]
    numbers = [
        number
        for struct, *names in wanted
        for number in (ctypes.sizeof(struct), *(getattr(struct, name).offset for name in names))
    ]
    assert emulated_engine.numbers("layout", len(numbers)) == numbers


def test_errors_say_what_the_library_says(emulated_engine):
    functions, handle = flow_functions(), ctypes.c_void_p()
    assert functions.nvCreateOpticalFlowCuda(1, ctypes.byref(handle)) == 0
    status = functions.nvOFInit(handle, ctypes.byref(InitParams(width=8, height=8)))
    with pytest.raises(PenstockError, match=r"nvOFInit failed with INVALID_PARAM \(5\): size"):
        check_status(status, "nvOFInit", handle)
    check_status(functions.nvOFDestroy(handle), "nvOFDestroy", handle)


def test_a_driver_that_is_too_old(emulated_engine, monkeypatch):
    monkeypatch.setattr(engine_library, "_VERSION", 1 << 4)
    with pytest.raises(MissingDependencyError, match=r"version 1 .*INVALID_VERSION \(7\).*update"):
        flow_functions()
