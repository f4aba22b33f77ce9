"""NVIDIA's driver, called directly: errors name the missing component even without CuPy."""

from __future__ import annotations

import ctypes
import os

from ..errors import MissingDependencyError

LIBRARY = "libcuda.so.1"
CONNECTIONS = "CUDA_DEVICE_MAX_CONNECTIONS"
"""The variable that says how many connections to a device a process has. CUDA reads the variable
when the process begins to use a device."""

USUAL_CONNECTIONS = 8
"""CUDA's own choice."""

_WITHOUT = "or build the pipeline without device='mixed', device='gpu' and .gpu()"


def load_driver() -> ctypes.CDLL:
    """Load the driver's library, without a start of CUDA: a process may still fork afterwards.

    Raises:
        MissingDependencyError: there is no driver.
    """
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise MissingDependencyError(
            f"this pipeline uses the GPU, but there is no NVIDIA driver ({error}). Install it "
            "(on Ubuntu: sudo ubuntu-drivers install), or start the container with its GPUs "
            f"(docker run --gpus all), {_WITHOUT}"
        ) from error


def driver_version() -> int:
    """Return the newest CUDA version that the driver supports, as 1000 * major + 10 * minor.

    Raises:
        MissingDependencyError: there is no driver, it does not start, or it sees no GPU.
    """
    driver = load_driver()
    count = ctypes.c_int()
    failure = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if failure or count.value == 0:
        raise MissingDependencyError(
            "this pipeline uses the GPU, but NVIDIA's driver finds none"
            f"{_text(driver, failure)}. See what `nvidia-smi` says, and whether "
            "CUDA_VISIBLE_DEVICES or the container (docker run --gpus all) hides it, "
            f"{_WITHOUT}"
        )
    version = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(version))
    return version.value


def current_context() -> ctypes.c_void_p:
    """Return the CUDA context that is current in the calling thread, for libraries of the driver.

    Raises:
        MissingDependencyError: there is no driver.
    """
    context = ctypes.c_void_p()
    load_driver().cuCtxGetCurrent(ctypes.byref(context))
    return context


def has_few_connections() -> bool:
    """Whether the process asks for so few connections that nearly all streams share one.

    Megatron-LM and Transformer Engine want one connection. nvJPEG's engine has fourteen streams,
    which would wait for one another, and for the model.
    """
    number = os.environ.get(CONNECTIONS, "")
    return number.isdigit() and int(number) < USUAL_CONNECTIONS


def _text(driver: ctypes.CDLL, failure: int) -> str:
    if not failure:
        return ""
    text = ctypes.c_char_p()
    driver.cuGetErrorString(failure, ctypes.byref(text))
    return f" (error {failure}, {(text.value or b'without a name').decode()})"
