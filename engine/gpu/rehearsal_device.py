"""A device for rehearsals: nothing is computed, and the kernels that are launched are named."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from .device import Device
from .kernels import Kernel

if TYPE_CHECKING:
    from ..tensors.device_memory import DevicePool


class RehearsalDevice(Device):
    """Makes no copies and launches nothing; its memory is a stretch of the host's.

    Nobody writes the memory, so the system need not provide the memory. Should an operator compute
    with CuPy, CuPy refuses the memory with an exception; memory that is not there would make CUDA's
    context unusable.

    Args:
        cupy: the module.
        device_id: number of the CUDA device whose properties this one has.
        needed: called with each kernel that would be launched.
    """

    def __init__(self, cupy: ModuleType, device_id: int, needed: Callable[[Kernel], None]) -> None:
        pool = cast("DevicePool", _Pool())  # as far as a rehearsal asks it
        super().__init__(cupy, device_id, None, pool, 1)
        self._needed = needed

    def pinned(self, nbytes: int) -> NDArray[np.uint8]:
        """Return uninitialized memory, which is not pinned."""
        return np.empty(nbytes, np.uint8)

    def hold(self, data: object) -> None:
        """Do nothing: no copy reads the data."""

    def fill(self, memory: object, value: int) -> None:
        """Do nothing."""

    def copy(self, to: int, source: int, nbytes: int, direction: int = 0) -> None:
        """Do nothing."""

    def kernel_function(self, kernel: Kernel, shared_bytes: int) -> Callable[..., None]:
        """Return a function without effect."""
        self._needed(kernel)
        return lambda *arguments, **options: None


class _Memory(np.ndarray[Any, Any]):
    """An array with an address like those of CuPy's arrays."""

    @property
    def data(self) -> Any:
        """The address."""
        return SimpleNamespace(ptr=self.ctypes.data)


class _Pool:
    """Takes the place of a `DevicePool`."""

    def lend(self, nbytes: int, stream: None) -> tuple[_Memory, None]:
        """Return (nbytes,) uint8 that must not be read or written."""
        return np.empty(nbytes, np.uint8).view(_Memory), None
