"""Waits that another thread can end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from ..engine.errors import PipelineStopped

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")


class Interrupt:
    """Ends all waits of its `with` block, in any thread, now and from now on. Blocks may nest.

    Sources know nothing of pipelines: the thread that reads carries the interrupt to the place
    where it waits. Only waits for remote storage take long enough to need an interrupt.
    """

    def __init__(self) -> None:
        self._set = False
        self._waits: set[Future[Any]] = set()
        self._ends: list[Callable[[], None]] = []

    def __enter__(self) -> None:
        _thread.interrupts.append(self)

    def __exit__(self, *_: object) -> None:
        _thread.interrupts.pop()

    def set(self) -> None:
        """End all waits: they raise `PipelineStopped`."""
        self._set = True
        for future in list(self._waits):
            future.cancel()
        for end in self._ends:
            end()

    def ends(self, end: Callable[[], None]) -> None:
        """Have `set` call `end`, which ends waits for a process. They go on without the process."""
        self._ends.append(end)

    def add_wait(self, future: Future[Any]) -> None:
        """Add a wait; end it at once if `set` was called before."""
        self._waits.add(future)
        if self._set:
            future.cancel()

    def remove_wait(self, future: Future[Any]) -> None:
        """Remove a wait, which has ended."""
        self._waits.discard(future)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.interrupts: list[Interrupt] = []


_thread = _Thread()


def passed_on() -> AbstractContextManager[None]:
    """Return a `with` block for another thread, whose waits end with those of this thread."""
    return _thread.interrupts[-1] if _thread.interrupts else nullcontext()


def wait_for(future: Future[Result]) -> Result:
    """Return the result; an exception that ends the wait cancels the work, too."""
    from concurrent.futures import CancelledError  # takes 3 ms

    interrupt = _thread.interrupts[-1] if _thread.interrupts else None
    if interrupt is not None:
        interrupt.add_wait(future)
    try:
        return future.result()
    except CancelledError:
        raise PipelineStopped("the pipeline was closed while remote data were read") from None
    finally:
        future.cancel()
        if interrupt is not None:
            interrupt.remove_wait(future)
