"""Threads that stay, for short pieces of work."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any


class Team:
    """Threads that wait for work; those that ask for it wait until it is done."""

    def __init__(self, threads: int) -> None:
        """Take how many."""
        self._threads = threads
        self._queue: SimpleQueue[tuple[Callable[..., None], deque[Any], SimpleQueue[None]]]
        self._queue = SimpleQueue()
        for _ in range(threads):
            threading.Thread(target=self._work, daemon=True).start()

    def do(self, work: Callable[..., None], jobs: Sequence[tuple[Any, ...]]) -> None:
        """Call `work`, which must not raise, with the arguments of each job."""
        left, ended = deque(jobs), SimpleQueue[None]()
        helpers = min(self._threads, len(jobs))
        for _ in range(helpers):
            self._queue.put((work, left, ended))
        for _ in range(helpers):
            ended.get()

    def _work(self) -> None:
        while True:
            work, left, ended = self._queue.get()
            while left:
                try:
                    job = left.popleft()
                except IndexError:
                    break
                work(*job)
                del job
            ended.put(None)
            del work, left, ended
