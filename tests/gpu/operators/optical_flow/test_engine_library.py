"""The binding of the driver's library, with a library that a C compiler has made."""

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
)


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
