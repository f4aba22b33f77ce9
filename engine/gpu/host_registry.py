"""Host memory that kernels read over the bus, at the addresses that it has on the host."""

from __future__ import annotations

from types import ModuleType

from ..tensors.captures import BesideCaptures
from ..tensors.current_device import CurrentDevice

_PORTABLE, _MAPPED = 1, 2  # flags of cudaHostRegister


class HostRegistry:
    """Registers host memory with CUDA, for the kernels of all devices. Any thread may call.

    Args:
        cupy: the module.
        device_id: number of the CUDA device whose context the calls use.
    """

    def __init__(self, cupy: ModuleType, device_id: int) -> None:
        self._runtime = cupy.cuda.runtime
        self._device = CurrentDevice(device_id)

    def register(self, address: int, size: int) -> None:
        """Lock whole pages in memory, and let kernels read them.

        Raises:
            MemoryError: CUDA refuses, as it does if a part is registered already.
        """
        runtime = self._runtime
        try:
            with self._device, BesideCaptures():
                runtime.hostRegister(address, size, _PORTABLE | _MAPPED)
                if runtime.pointerGetAttributes(address).devicePointer == address:
                    return
                runtime.hostUnregister(address)
        except runtime.CUDARuntimeError as error:
            raise MemoryError(str(error)) from error
        raise MemoryError("the GPU has other addresses for the memory of the host")

    def unregister(self, address: int) -> None:
        """Undo `register`, once the devices have done the work that reads the memory."""
        try:
            with self._device, BesideCaptures():
                self._runtime.hostUnregister(address)
        except self._runtime.CUDARuntimeError:  # the context may be lost
            pass
