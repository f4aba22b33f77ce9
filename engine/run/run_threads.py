"""The threads of one executor: their start and their end."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence

from ..threads import join_all, wait_at_exit
from ..uninterrupted import Uninterrupted
from .workers.workers import Workers

JOIN_SECONDS = 0.8
"""Seconds for the end of all threads, when the executor is closed."""


class RunThreads:
    """Threads that start together and end together.

    Args:
        threads: that run from the start to the end.
        workers: start threads of their own, also later.
    """

    def __init__(self, threads: Sequence[threading.Thread], workers: Workers) -> None:
        self._threads = threads
        self._workers = workers
        self._starter = Uninterrupted(self._start)

    def start(self) -> None:
        """Start all threads."""
        self._starter.run()

    def _start(self) -> None:
        for thread in self._threads:
            thread.start()
        self._workers.start()

    def all(self) -> list[threading.Thread]:
        """Return all threads."""
        return [*self._threads, *self._workers.threads]

    def end_start(self) -> None:
        """Wait for the end of a start that an exception has interrupted."""
        self._starter.wait(JOIN_SECONDS)

    def join(self) -> None:
        """Wait for threads that were told to end."""
        join_all(self.all(), JOIN_SECONDS)

    def leave_stuck(self) -> None:
        """Leave threads that are still at work to the interpreter's end, and warn of them."""
        threads = self.all()
        wait_at_exit(threads)
        stuck = [thread.name for thread in threads if thread.is_alive()]
        if stuck and threading.current_thread() not in threads:
            warnings.warn(
                f"{', '.join(stuck)} did not stop within {JOIN_SECONDS} s: probably a "
                "user-supplied function waits for something, or a kernel is being compiled",
                ResourceWarning,
                stacklevel=3,
            )
