"""The GPU's optical flow engine, or a library in C that stands for it where there is no GPU."""

from __future__ import annotations

import ctypes
import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from penstock.engine.errors import MissingDependencyError
from penstock.operators.optical_flow import engine_library, flow_session
from penstock.testing.emulator import COMPILER
from penstock.testing.fixtures import REQUIRED

SEEN = ("is_missing", "is_turing", "sessions", "buffers", "executions")


class EmulatedEngine:
    """What tests set and see of the library that stands for the engine."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        for name in SEEN:
            self[name] = 0

    def __getitem__(self, name: str) -> int:
        return ctypes.c_int.in_dll(self._library, name).value

    def __setitem__(self, name: str, value: int) -> None:
        ctypes.c_int.in_dll(self._library, name).value = value

    def numbers(self, name: str, count: int) -> list[int]:
        """Return the first numbers of an array."""
        return list((ctypes.c_int * count).in_dll(self._library, name))

    def wait_until_unused(self) -> None:
        """Wait until pipelines that are closed have destroyed their sessions and buffers."""
        deadline = monotonic() + 20
        while self["sessions"] or self["buffers"]:
            gc.collect()
            assert monotonic() < deadline, "a session or a buffer is left"
            sleep(0.01)

    def first_pixel(self) -> list[int]:
        """Return the first bytes of the frame that was given last."""
        return list((ctypes.c_uint8 * 4).in_dll(self._library, "first_pixel"))


@pytest.fixture(scope="session")
def emulated_engine_file(tmp_path_factory) -> Path:
    if COMPILER is None:
        pytest.skip("no g++ to compile an engine")
    built = tmp_path_factory.mktemp("flow") / "engine.so"
    source = Path(__file__).with_name("flow_engine.c")
    flags = ["-x", "c", "-O2", "-shared", "-fPIC", "-Wall", "-o", str(built)]
    subprocess.run([COMPILER, *flags, str(source)], check=True)
    return built


@pytest.fixture
def emulated_engine(emulated_engine_file, monkeypatch) -> Iterator[EmulatedEngine]:
    """The library that stands for the engine, and that the operator loads."""
    monkeypatch.setattr(engine_library, "_NAMES", (str(emulated_engine_file),))
    monkeypatch.setattr(flow_session, "current_context", lambda: ctypes.c_void_p(1))
    engine_library.flow_functions.cache_clear()
    engine = EmulatedEngine(ctypes.CDLL(str(emulated_engine_file)))
    yield engine
    engine.wait_until_unused()
    engine_library.flow_functions.cache_clear()


@pytest.fixture
def flow_engine(device_stage, request) -> EmulatedEngine | None:
    """An engine to compute with; None for a real one."""
    if not device_stage:
        return request.getfixturevalue("emulated_engine")
    try:
        engine_library.load_library()
    except MissingDependencyError as error:
        if REQUIRED:
            pytest.fail(f"PENSTOCK_REQUIRE_GPU=1, but {error}")
        pytest.skip(str(error))
    return None
