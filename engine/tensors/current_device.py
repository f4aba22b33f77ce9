"""Which CUDA device the calls of a thread go to."""

from __future__ import annotations

import ctypes
from contextlib import AbstractContextManager
from functools import cache

from .captures import cuda_driver


@cache
def _primary(device_id: int) -> ctypes.c_void_p:
    """Return the context of a device that CUDA's runtime uses; it lives as long as the process.

    Raises:
        MemoryError: the device has no room for a context, or is lost.
    """
    context = ctypes.c_void_p()
    # A call that lets other threads run: it may make the context.
    status = ctypes.CDLL(cuda_driver()._name).cuDevicePrimaryCtxRetain(
        ctypes.byref(context), device_id
    )
    if status:
        raise MemoryError(f"GPU {device_id} gives no context (CUDA's error {status})")
    return context


class CurrentDevice(AbstractContextManager[None]):
    """Makes a device current in the calling thread until the context ends. Any thread may do so.

    `cupy.cuda.Device` is no way to do this. It ends by calling cudaSetDevice with the device from
    before, device 0 in a new thread. This call makes a context there, which takes half a gigabyte
    of a device that nobody may use, or that another process uses.

    Args:
        device_id: number of the CUDA device.

    Attributes:
        id: the same.
    """

    __slots__ = ("id",)

    def __init__(self, device_id: int) -> None:
        self.id = device_id

    def __enter__(self) -> None:
        if (driver := cuda_driver()) is None:
            return
        if status := driver.cuCtxPushCurrent_v2(_primary(self.id)):
            raise MemoryError(f"GPU {self.id} cannot become current (CUDA's error {status})")

    def __exit__(self, *_: object) -> None:
        if (driver := cuda_driver()) is not None:
            driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
