"""Events of a device, for use again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from .current_device import CurrentDevice


class EventPool:
    """Makes events on one device, and destroys those that came back there. Any thread may call.

    Garbage ends in any thread. To destroy an event there makes a context on the current device of
    the thread, which takes half a gigabyte: see `CurrentDevice`.

    Args:
        cupy: the module.
        device: the device.
        options: arguments of `cupy.cuda.Event`.
    """

    def __init__(self, cupy: ModuleType, device: CurrentDevice, **options: bool) -> None:
        self._cupy = cupy
        self._device = device
        self._options = options
        self._free: deque[Any] = deque()

    def __bool__(self) -> bool:
        return bool(self._free)

    def take(self) -> Any:
        """Return an event that came back, or a new one."""
        try:
            return self._free.popleft()
        except IndexError:
            with self._device:
                return self._cupy.cuda.Event(**self._options)

    def put(self, events: Iterable[Any]) -> None:
        """Take events back."""
        self._free.extend(events)

    def __del__(self) -> None:
        with self._device:
            self._free.clear()
