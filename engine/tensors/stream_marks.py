"""Marks in the work of streams: whether the device has reached a use of memory, or who must wait.

A mark is an event behind the present work of a stream. Marks have numbers, which only grow, so a
later mark of a stream has the larger number. Of an unknown stream nothing can be recorded: a mark
of the key None is reached when the CPU has waited for the whole device since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count, takewhile
from types import ModuleType
from typing import Any

from .current_device import CurrentDevice
from .event_pool import EventPool
from .streams import ForeignStream

Waits = dict[int | None, int]
"""Streams, each with the number of the mark that must be reached."""

Mark = Any
"""An event; of unknown streams, a number."""


class StreamMarks:
    """The marks of one pool that are not reached yet. Not thread-safe, except `wait`.

    Args:
        cupy: the module.
        device: the device.
    """

    def __init__(self, cupy: ModuleType, device: CurrentDevice) -> None:
        self._cupy = cupy
        self._device = device
        self._foreign = (ForeignStream, cupy.cuda.ExternalStream)
        # By stream and number, the events, with the owners that keep the streams alive: else a new
        # stream could have the handle before the event is reached.
        self._ahead: dict[int, dict[int, tuple[Any, Any]]] = {}
        self._numbers = count(1)
        self._waited = 0  # number of the last wait for the device that is over
        self._events = EventPool(cupy, device, disable_timing=True)

    def __del__(self) -> None:
        for marks in self._ahead.values():
            self._events.put(event for event, _ in marks.values())
        self._ahead.clear()

    def set(self, streams: Mapping[int, Any]) -> Waits:
        """Mark the present work of streams.

        Args:
            streams: handles, each with the owner that keeps the stream alive, or None.
        """
        waits: Waits = {}
        for stream, owner in streams.items():
            number = next(self._numbers)
            if owner is None or isinstance(owner, self._foreign):
                waits[None] = number
                continue
            marks = self._ahead.setdefault(stream, {})
            try:
                event = self._event(marks)
                self._cupy.cuda.runtime.eventRecord(event.ptr, stream)
            except Exception:  # the stream is gone; at the interpreter's end, other objects, too
                waits[None] = number
                continue
            marks[number] = event, owner
            waits[stream] = number
        return waits

    def _event(self, marks: dict[int, tuple[Any, Any]]) -> Any:
        """Return an event; look for one of a stream's marks before a new one is made."""
        if not self._events and marks:
            self._recycle(marks)
        return self._events.take()

    def _recycle(self, marks: dict[int, tuple[Any, Any]]) -> None:
        """Forget the marks of a stream that the device has reached: all, if it has the last."""
        if not self._is_reached(marks, next(reversed(marks))):
            while marks and self._is_reached(marks, next(iter(marks))):
                pass

    def _is_reached(self, marks: dict[int, tuple[Any, Any]], number: int) -> bool:
        """Return whether the device has reached a mark; if so, forget all marks up to this one."""
        if not marks[number][0].done:
            return False
        for reached in list(takewhile(number.__ge__, marks)):
            event, _ = marks.pop(reached)
            self._events.put((event,))
        return True

    def ahead(self, waits: Waits, stream: int) -> list[Mark]:
        """Return the marks that are not reached. Work of `stream` follows its own work anyway."""
        found: list[Mark] = []
        for other, number in waits.items():
            if other is None:
                if number > self._waited:
                    found.append(number)
            elif other != stream and number in (marks := self._ahead[other]):
                event = marks[number][0]
                if not self._is_reached(marks, number):
                    found.append(event)
        return found

    def wait(self, stream: Any, marks: Iterable[Mark]) -> None:
        """Let later work of a stream wait for marks; of unknown streams, let the CPU wait."""
        for mark in marks:
            if not isinstance(mark, int):
                stream.wait_event(mark)
            elif mark > self._waited:
                number = next(self._numbers)
                with self._device:
                    self._cupy.cuda.runtime.deviceSynchronize()
                self._waited = max(self._waited, number)


def join(waits: Waits, others: Waits) -> None:
    """Add the waits of another use to the waits of one."""
    for stream, number in others.items():
        if number > waits.get(stream, 0):
            waits[stream] = number
