"""Calls of CUDA while another thread captures a CUDA graph.

A capture in CUDA's default mode, which is also the mode of `torch.cuda.graph`, forbids calls such
as cudaMalloc and cudaEventQuery in all threads: the call fails, and so does the capture. A thread
may say that its calls have nothing to do with captures (cuThreadExchangeStreamCaptureMode). CUDA
then allows all calls but cudaDeviceSynchronize.
"""

from __future__ import annotations

import ctypes
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED


@cache
def cuda_driver() -> Any:
    """Return NVIDIA's driver, whose calls keep the GIL, or None if there is none."""
    try:
        return ctypes.PyDLL("libcuda.so.1")
    except OSError:
        return None


class BesideCaptures(AbstractContextManager[None]):
    """A block of calls in this thread that no capture forbids, and that harm none."""

    __slots__ = ("_mode",)

    def __enter__(self) -> None:
        self._mode = ctypes.c_int(_RELAXED)
        self._exchange()

    def __exit__(self, *_: object) -> None:
        self._exchange()

    def _exchange(self) -> None:
        """Set the thread's mode, and remember the mode from before."""
        if (driver := cuda_driver()) is not None:
            driver.cuThreadExchangeStreamCaptureMode(ctypes.byref(self._mode))
