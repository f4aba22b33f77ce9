"""The end of what became garbage, in a thread of its own: the closer.

The collector may run at any line of any thread, also where the thread holds a lock. A finalizer
that waits for this lock, or for a thread that waits for it, waits for ever, and the collector of
the whole process with it. So a finalizer waits for nothing: it only queues the work.

    finalizer ──► SimpleQueue ──► the closer thread, which ends once nothing is queued
                       └────────► the interpreter's end, for the rest
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic, sleep

from .threads import EXIT_SECONDS

THREAD_NAME = "penstock-closer"

_POLL_SECONDS = 0.001


def close_after(
    owner: object, close: Callable[..., object], *arguments: object
) -> weakref.finalize[[Callable[[], object]], object]:
    """Have `close(*arguments)` called soon after `owner` became garbage, in another thread.

    The end of the interpreter makes the calls that are left, youngest owner first.

    Args:
        owner: any object; neither `close` nor the arguments may refer to it.
        close: the function.
        arguments: its arguments, which live until the call.
    """
    return weakref.finalize(owner, close_soon, partial(close, *arguments))


def close_soon(close: Callable[[], object]) -> None:
    """Have a function called soon in the closer thread; for finalizers, at any line."""
    _closer.queue(close)


def finish_closing(seconds: float = EXIT_SECONDS) -> None:
    """Wait until all that is queued has been called, for so long at most; not for finalizers."""
    _closer.finish(seconds)


class _Closer:
    """The queue of one process, and the thread that empties it."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Callable[[], object]] = SimpleQueue()  # may interrupt itself
        self._busy = threading.Lock()  # of the thread that empties the queue
        self._runner = 0  # its number

    def queue(self, close: Callable[[], object]) -> None:
        self._queue.put(close)
        # One collection may queue thousands, before a thread runs. An exception of a signal's
        # handler may also end this method, so the first of them alone would not do.
        size = self._queue.qsize()
        if size & (size - 1) == 0 and not self._busy.locked():
            self._start_thread()

    def _start_thread(self) -> bool:
        """Start the closer thread; False if there are no more threads, or the interpreter ends."""
        try:
            _thread.start_new_thread(self._start_closer, ())
        except (RuntimeError, MemoryError):  # the next finalizer, or the end, sees to it
            return False
        return True

    def _start_closer(self) -> None:
        # `Thread.start` takes locks, and so is called in a thread that holds none. A thread that
        # is no `Thread` would enter the list of all threads for good, in Python 3.11.
        try:
            threading.Thread(target=self.run, name=THREAD_NAME, daemon=True).start()
        except (RuntimeError, MemoryError):
            self.run()

    def run(self) -> None:
        """Make the calls that are queued, unless another thread is at it."""
        # A thread that releases the lock looks again, so nothing stays that came before.
        while not self._queue.empty() and self._busy.acquire(blocking=False):
            self._runner = threading.get_ident()
            try:
                with suppress(Empty):
                    while True:
                        _call(self._queue.get_nowait())
            finally:
                self._runner = 0
                self._busy.release()

    def finish(self, seconds: float) -> None:
        until = monotonic() + seconds
        while not self._queue.empty() or self._busy.locked():
            if monotonic() > until or self._runner == threading.get_ident():
                return
            if not self._busy.locked() and not self._start_thread():
                self.run()
            sleep(_POLL_SECONDS)


def _call(close: Callable[[], object]) -> None:
    try:
        close()
    except Exception:
        thread = threading.current_thread()
        threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), thread]))


_closer = _Closer()


def _begin_anew() -> None:
    """Leave to the parent of a fork what was queued there: its thread is not here."""
    global _closer
    _closer = _Closer()


os.register_at_fork(after_in_child=_begin_anew)

# The finalizer of an object that lives until the end, and that is older than all owners.
weakref.finalize(close_after, lambda: _closer.finish(EXIT_SECONDS))
