"""GPU tests skip where there is no GPU, unless PENSTOCK_REQUIRE_GPU=1 asks for one.

Tests of operators' GPU work take the fixture `device_stage` and run on an emulation there.
"""

from __future__ import annotations

import os
import platform

import pytest

from penstock.decoders import mixed
from penstock.engine import executor
from penstock.engine.device import import_cupy
from penstock.engine.errors import MissingDependencyError

from .emulator import COMPILER, EmulatedStage, HostJpegDecoder

REQUIRED = os.environ.get("PENSTOCK_REQUIRE_GPU") == "1"


@pytest.fixture(scope="session")
def cupy():
    """CuPy, with a device that works."""
    try:
        return import_cupy()
    except MissingDependencyError as error:
        if REQUIRED:
            pytest.fail(f"PENSTOCK_REQUIRE_GPU=1, but {error}")
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def _has_gpu():
    try:
        import_cupy()
    except MissingDependencyError as error:
        if REQUIRED:
            pytest.fail(f"PENSTOCK_REQUIRE_GPU=1, but {error}")
        return False
    return True


@pytest.fixture
def device_stage(_has_gpu, monkeypatch):
    """A GPU, or the emulation of one; True for a real one."""
    if not _has_gpu:
        if COMPILER is None or platform.machine() != "x86_64":
            pytest.skip("no GPU, and no g++ to emulate one")
        monkeypatch.setattr(executor, "DeviceStage", EmulatedStage)
        monkeypatch.setattr(mixed, "JpegDecoder", HostJpegDecoder)
    return _has_gpu
