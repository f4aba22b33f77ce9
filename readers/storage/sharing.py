"""Work shared with more threads, for copies: one core does not use up the memory's speed."""

from __future__ import annotations

import _thread
from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

Job = TypeVar("Job")


def share(work: Callable[[Job], None], jobs: Sequence[Job], threads: int = 2) -> None:
    """Call `work` once with each of `jobs`, in this thread and `threads` - 1 others.

    Whoever is done with a job takes the next one. All have ended when this returns. What
    `work` raises ends all, and is raised here.
    """
    left = deque(jobs)
    errors: list[BaseException] = []

    def run() -> None:
        try:
            while not errors:
                try:
                    job = left.popleft()
                except IndexError:
                    return
                work(job)
        except BaseException as error:
            errors.append(error)

    def help_out(ended: Lock) -> None:
        run()
        ended.release()

    started: list[Lock] = []
    for _ in range(min(threads, len(jobs)) - 1):
        ended = Lock()
        ended.acquire()
        try:
            # `threading.Thread.start` waits until the thread runs: a tenth of a millisecond.
            _thread.start_new_thread(help_out, (ended,))
        except RuntimeError:  # no more threads are to be had
            break
        started.append(ended)
    run()
    for ended in started:
        ended.acquire()
    if errors:
        del errors[1:]
        raise errors.pop()  # left in the list, it would hold itself, and all buffers, in a cycle
