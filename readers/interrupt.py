"""Waits that another thread can end."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from ..engine.errors import PipelineStopped

Result = TypeVar("Result")


class Interrupt:
    """Ends all waits begun in its `with` block, in any thread, now and from now on.

    Sources know nothing of pipelines; the thread that reads carries the interrupt to where
    it waits. Only waits for remote storage can take long enough to need one.
    """

    def __init__(self) -> None:
        self._set = False
        self._waits: set[Future[Any]] = set()

    def __enter__(self) -> None:
        _thread.interrupt = self

    def __exit__(self, *_: object) -> None:
        _thread.interrupt = None

    def set(self) -> None:
        """End all waits: they raise `PipelineStopped`."""
        self._set = True
        for future in list(self._waits):
            future.cancel()

    def begin(self, future: Future[Any]) -> None:
        """Note a wait; it is ended at once if `set` was called before."""
        self._waits.add(future)
        if self._set:
            future.cancel()

    def end(self, future: Future[Any]) -> None:
        """Forget a wait."""
        self._waits.discard(future)


class _Thread(threading.local):
    interrupt: Interrupt | None = None


_thread = _Thread()


def wait_for(future: Future[Result]) -> Result:
    """Return the result; whatever ends the wait ends the work, too."""
    interrupt = _thread.interrupt
    if interrupt is not None:
        interrupt.begin(future)
    try:
        return future.result()
    except CancelledError:
        raise PipelineStopped("the pipeline was closed while remote data were read") from None
    finally:
        future.cancel()
        if interrupt is not None:
            interrupt.end(future)
