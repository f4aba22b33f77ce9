"""What is said where driver, GPU or CuPy are missing, with stand-ins for the driver's library."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from penstock.engine.errors import MissingDependencyError
from penstock.engine.gpu import cupy_module, driver
from penstock.engine.gpu.cupy_module import import_cupy
from penstock.engine.gpu.driver import current_context, driver_version
from penstock.engine.gpu.kernels import Kernel

COMPILER = shutil.which("cc") or shutil.which("g++")

_SOURCE = """
int cuInit(unsigned flags) { return INIT; }
int cuDeviceGetCount(int *count) { *count = COUNT; return 0; }
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuCtxGetCurrent(void **context) { *context = (void *)4242; return 0; }
int cuGetErrorString(int error, const char **text) { *text = "why not"; return 0; }
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a driver."""
    if COMPILER is None:
        pytest.skip("no C compiler")

    def install(version, init=0, count=1):
        source, library = tmp_path / "driver.c", tmp_path / f"libcuda-{version}-{init}-{count}.so"
        source.write_text(_SOURCE)
        macros = [f"-DVERSION={version}", f"-DINIT={init}", f"-DCOUNT={count}"]
        command = [COMPILER, "-x", "c", "-shared", "-fPIC", *macros, "-o", library, source]
        subprocess.run(command, check=True)
        monkeypatch.setattr(driver, "LIBRARY", str(library))

    return install


class CUDARuntimeError(RuntimeError):
    """As CuPy's."""


def use_cupy(monkeypatch, built_for, failure):
    def count():
        if failure:
            raise CUDARuntimeError(failure)
        return 1

    runtime = SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        getDeviceCount=count,
        runtimeGetVersion=lambda: built_for * 1000,
    )
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))


def test_no_driver(monkeypatch):
    monkeypatch.setattr(driver, "LIBRARY", "libcuda-that-is-not-there.so.1")
    with pytest.raises(MissingDependencyError, match=r"no NVIDIA driver .*ubuntu-drivers install"):
        import_cupy()


@pytest.mark.parametrize(
    ("init", "count", "message"),
    [(100, 0, r"finds none \(error 100, why not\)"), (0, 0, r"finds none\. See what `nvidia-smi`")],
)
def test_no_gpu(installed, init, count, message):
    installed(13000, init, count)
    with pytest.raises(MissingDependencyError, match=message):
        driver_version()


@pytest.mark.parametrize(("version", "extra"), [(12080, "cuda12"), (13020, "cuda13")])
def test_no_cupy(installed, monkeypatch, version, extra):
    installed(version)
    assert driver_version() == version
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(MissingDependencyError, match=rf"not installed: pip install .*{extra}\]"):
        import_cupy()


def test_cupy_that_cannot_be_loaded(installed, monkeypatch, tmp_path):
    installed(13000)
    (tmp_path / "cupy.py").write_text("import a_library_that_is_not_there")
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingDependencyError, match=r"cannot be loaded .*a_library"):
        import_cupy()


def test_driver_too_old_for_cupy(installed, monkeypatch):
    installed(12040)
    use_cupy(monkeypatch, 13, "cudaErrorInsufficientDriver")
    with pytest.raises(MissingDependencyError, match=r"uninstall cupy-cuda13x .*cuda12\]"):
        import_cupy()


def test_cuda_that_does_not_start(installed, monkeypatch):
    installed(13000)
    use_cupy(monkeypatch, 13, "cudaErrorSystemNotReady")
    with pytest.raises(MissingDependencyError, match=r"does not start .*SystemNotReady"):
        import_cupy()


def test_nothing_is_missing(installed, monkeypatch):
    installed(13000)
    use_cupy(monkeypatch, 13, None)
    assert import_cupy() is sys.modules["cupy"]


def test_the_context_of_a_thread(installed):
    installed(13000)
    assert current_context().value == 4242


def test_no_compiler_of_kernels(monkeypatch):
    def missing():
        raise RuntimeError("libnvrtc.so.13: no such file")

    use_cupy(monkeypatch, 13, None)
    monkeypatch.setattr(
        sys.modules["cupy"].cuda, "nvrtc", SimpleNamespace(getVersion=missing), raising=False
    )
    with pytest.raises(MissingDependencyError, match=r"libnvrtc.so.13.*pip install .*cuda13\]"):
        cupy_module.compiled(Kernel(Path("none.cu"), "none"), 0)


def test_threads_compile_a_kernel_once(monkeypatch, tmp_path):
    (tmp_path / "one.cu").write_text("// one")
    begun, may_end, modules = threading.Event(), threading.Event(), []

    class RawModule:
        def __init__(self, code, options):
            modules.append(code)
            begun.set()
            assert may_end.wait(60)
            if len(modules) == 1:
                raise MemoryError("no memory for the compiler")

        def get_function(self, name):
            return name

    use_cupy(monkeypatch, 13, None)
    cupy = sys.modules["cupy"]
    monkeypatch.setattr(cupy.cuda, "nvrtc", SimpleNamespace(getVersion=tuple), raising=False)
    monkeypatch.setattr(cupy, "RawModule", RawModule, raising=False)
    kernel, found = Kernel(tmp_path / "one.cu", "one"), []

    def compile_kernel():
        with suppress(MemoryError):
            found.append(cupy_module.compiled(kernel, 0))

    threads = [threading.Thread(target=compile_kernel) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert begun.wait(60)
    may_end.set()
    for thread in threads:
        thread.join()
    assert found == ["one"] * 3  # the first thread failed, and the next one tried again
    assert modules == [kernel.source] * 2
    compile_kernel()
    assert len(modules) == 2
