"""Work shared with a second thread, for copies: one core does not use up the memory's speed."""

from __future__ import annotations

import _thread
from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

Job = TypeVar("Job")


def in_two_threads(work: Callable[[Job], None], jobs: Sequence[Job]) -> None:
    """Call `work` once with each of `jobs`, in this thread and in a second one.

    Whoever is done with a job takes the next one. Both have ended when this returns. What
    `work` raises ends both, and is raised here.
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

    ended = Lock()
    ended.acquire()

    def help_out() -> None:
        run()
        ended.release()

    # `threading.Thread.start` waits until the thread runs: a tenth of a millisecond.
    _thread.start_new_thread(help_out, ())
    run()
    ended.acquire()
    if errors:
        del errors[1:]
        raise errors.pop()  # left in the list, it would hold itself, and all buffers, in a cycle
