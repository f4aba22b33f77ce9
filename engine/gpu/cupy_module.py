"""CuPy: its import, after a check that it works, and the kernels that it compiles."""

from __future__ import annotations

from functools import cache
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

from ..errors import MissingDependencyError, install_hint
from .driver import driver_version
from .kernels import OPTIONS, Kernel

if TYPE_CHECKING:
    import cupy as cp


def import_cupy() -> ModuleType:
    """Return CuPy, after a check that a device works.

    Raises:
        MissingDependencyError: the driver, CuPy or a device is missing; the error says which.
    """
    newest = driver_version() // 1000
    extra = "cuda13" if newest >= 13 else "cuda12"
    try:
        import cupy
    except ImportError as error:
        how = "is not installed" if error.name == "cupy" else f"cannot be loaded ({error})"
        raise MissingDependencyError(
            f"this pipeline uses the GPU, which needs CuPy, which {how}: {install_hint(extra)}"
        ) from error
    runtime = cupy.cuda.runtime
    try:
        runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        built_for = runtime.runtimeGetVersion() // 1000
        if built_for > newest:
            raise MissingDependencyError(
                f"this pipeline uses the GPU, but CuPy is built for CUDA {built_for}, and NVIDIA's "
                f"driver speaks CUDA {newest} at most: update the driver (on Ubuntu: sudo "
                f"ubuntu-drivers install), or pip uninstall cupy-cuda{built_for}x and "
                f"{install_hint(extra)}"
            ) from error
        raise MissingDependencyError(
            f"this pipeline uses the GPU, but CUDA does not start ({error}); see what "
            "`nvidia-smi` says"
        ) from error
    module: ModuleType = cupy
    return module


_locks: dict[tuple[Kernel, int], Lock] = {}


@cache
def compiled(kernel: Kernel, device_id: int) -> cp.RawKernel:
    """Return the compiled function; of the threads that launch it first, one compiles it.

    CuPy keeps the code on disk for the next process.
    """
    with _locks.setdefault((kernel, device_id), Lock()):
        return _compiled(kernel, device_id)


@cache
def _compiled(kernel: Kernel, device_id: int) -> cp.RawKernel:
    import cupy

    try:
        cupy.cuda.nvrtc.getVersion()
    except RuntimeError as error:
        major = cupy.cuda.runtime.runtimeGetVersion() // 1000
        raise MissingDependencyError(
            f"GPU operators are compiled by NVRTC, which cannot be loaded ({error}): "
            f"{install_hint(f'cuda{major}')}"
        ) from error
    return cupy.RawModule(code=kernel.source, options=OPTIONS).get_function(kernel.function)
