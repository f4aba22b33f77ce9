"""`Device`: where data are and where operators run."""

from __future__ import annotations

import re
import threading
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, ClassVar

from ...engine.errors import MissingDependencyError
from ...engine.gpu.cupy_module import import_cupy
from ...engine.tensors.current_device import CurrentDevice

_TYPES = {"cpu": "cpu", "gpu": "gpu", "cuda": "gpu"}
_DLPACK_TYPES = {1: "cpu", 2: "gpu", 3: "cpu"}  # 3: memory of the host that CUDA pinned


class Device:
    """The CPU, or a CUDA device: `Device("cpu")`, `Device("gpu:1")`, `Device("gpu", 1)`.

    As a context manager, a GPU becomes the current CUDA device of the thread for the block.
    Operators run where their inputs are, not on the current device.

    Args:
        name: "cpu", "gpu" or "cuda", which means the same; ":" and a number may follow.
        device_id: number of the CUDA device; by default the current one. None for the CPU.

    Attributes:
        device_type: "cpu" or "gpu".
        device_id: number of the CUDA device, or None.
    """

    CPU: ClassVar[Device]

    def __init__(self, name: str, device_id: int | None = None) -> None:
        parts = re.fullmatch(r"(\w+)(?::(\d+))?", name)
        if parts is None:
            raise ValueError(f'Invalid device name: {name!r}; expected "cpu", "gpu" or "gpu:0"')
        kind, number = parts.groups()
        if kind not in _TYPES:
            raise ValueError(f'Invalid device type: {kind!r}; expected "cpu" or "gpu"')
        if number is not None and device_id is not None:
            raise ValueError(f"Invalid device name: {name!r} has a number, and so has device_id")
        given = device_id if number is None else int(number)
        self.device_type = _TYPES[kind]
        self.device_id = self.default_device_id(self.device_type) if given is None else given
        if self.device_type == "cpu":
            if given:
                raise ValueError(f"Invalid device id: {given}; the CPU has none")
            self.device_id = None
        elif given is not None and not 0 <= given < max(1, _device_count()):
            raise ValueError(f"Invalid device id: {given}; CUDA finds {_device_count()} devices")
        self._entered: list[AbstractContextManager[object] | None] = []

    @staticmethod
    def default_device_id(device_type: str) -> int | None:
        """Return the number of the current CUDA device; None for "cpu"."""
        if device_type != "gpu":
            return None
        return cupy.cuda.runtime.getDevice() if (cupy := cupy_if_any()) is not None else 0

    @staticmethod
    def type_from_dlpack(dev_type: Any) -> str:
        """Return "cpu" or "gpu" for a type of device in DLPack."""
        if int(dev_type) not in _DLPACK_TYPES:
            raise ValueError(f"Unsupported device type of DLPack: {dev_type}")
        return _DLPACK_TYPES[int(dev_type)]

    @staticmethod
    def from_dlpack(dlpack_device: Any) -> Device:
        """Return where an object with `__dlpack_device__` is."""
        kind, number = dlpack_device.__dlpack_device__()
        name = Device.type_from_dlpack(kind)
        return Device(name, None if name == "cpu" else int(number))

    @staticmethod
    def current() -> Device:
        """Return the device of the innermost block; else the GPU, or the CPU if there is none."""
        if _state.devices:
            return _state.devices[-1]
        return Device("gpu" if _device_count() else "cpu")

    def __enter__(self) -> Device:
        context = None
        if self.device_id is not None and cupy_if_any() is not None:
            context = CurrentDevice(self.device_id)
            context.__enter__()
        self._entered.append(context)
        _state.devices.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _state.devices.pop()
        context = self._entered.pop()
        if context is not None:
            context.__exit__(*error)

    def __str__(self) -> str:
        return self.device_type if self.device_id is None else f"gpu:{self.device_id}"

    def __repr__(self) -> str:
        number = "" if self.device_id is None else f", device_id={self.device_id}"
        return f"Device(device_type={self.device_type!r}{number})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Device):
            return NotImplemented
        return (self.device_type, self.device_id) == (other.device_type, other.device_id)

    def __hash__(self) -> int:
        return hash((self.device_type, self.device_id))


class _ThreadDevices(threading.local):
    def __init__(self) -> None:
        self.devices: list[Device] = []


_state = _ThreadDevices()
Device.CPU = Device("cpu")


@cache
def cupy_if_any() -> Any:
    """Return CuPy if a CUDA device works, else None."""
    try:
        return import_cupy()
    except MissingDependencyError:
        return None


def _device_count() -> int:
    cupy = cupy_if_any()
    return 0 if cupy is None else int(cupy.cuda.runtime.getDeviceCount())


def device(obj: Any, id: int | None = None) -> Device | None:
    """Return a `Device` for a name, a `Device`, or a device of PyTorch; None for None.

    Args:
        obj: what the device is made of.
        id: number of the CUDA device, with a name that has none.

    >>> device("cpu")
    Device(device_type='cpu')
    """
    if obj is None:
        return None
    if isinstance(obj, str):
        return Device(obj, id)
    if id is not None:
        raise ValueError(f"id={id} goes with the name of a device, but {obj!r} was given")
    if isinstance(obj, Device):
        return obj
    if type(obj).__module__ == "torch" and type(obj).__name__ == "device":
        return Device(obj.type, obj.index)
    raise TypeError(f"a device must be a str, a Device or a torch.device, but is {obj!r}")
