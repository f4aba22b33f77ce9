"""Work that no signal's handler interrupts."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable


class Uninterrupted:
    """Runs a function in a thread of its own, because Python calls handlers in the main thread.

    An exception that a handler raises inside of `Thread.start` breaks the new thread. Here such an
    exception interrupts nothing but the wait for the function.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._error: BaseException | None = None
        self._running = threading.Lock()  # an event could be interrupted halfway

    def run(self) -> None:
        """Call the function and wait for its end; raise its exception."""
        self._running.acquire()
        try:
            _thread.start_new_thread(self._call, ())
        except RuntimeError:  # the system gives no more threads
            self._call()
        with self._running:
            pass
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # the traceback refers to this frame: a cycle would keep all that it holds

    def wait(self, seconds: float) -> None:
        """Wait for the end of a function that was called, also if `run` was interrupted."""
        if self._running.acquire(timeout=seconds):
            self._running.release()

    def _call(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._error = error
        finally:
            self._running.release()
