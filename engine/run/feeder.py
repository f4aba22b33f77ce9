"""The feeder: the thread that starts batches, and runs the segments of whole batches on the CPU.

The schedule says when a batch may start, and the executor how. Batches under way come first. But
while another process works on a step of a batch, the next batch starts.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from time import perf_counter_ns, thread_time_ns
from typing import Any

from ..pending import Pending
from ..work.batch import Batch, SegmentDone, run_batch_step
from ..work.plan import Segment
from ..work.stats import Clocks
from .forks import end_forked_child
from .schedule import Schedule

BUDGET_POLL_SECONDS = 0.02
"""Seconds between two looks at the byte budget. Memory returns without a signal, when the last view
is dropped."""

MAX_BEGUN_STEPS = 2
"""Number of steps that operators have begun elsewhere and that the feeder waits for. So a process
that reads has the next batch when it has read one."""

_Job = Callable[[], None]


class Feeder:
    """Starts the batches of one pipeline, and runs their `batch` segments.

    Args:
        schedule: the batches to start.
        start: starts the next batches of the schedule.
        done: called once a segment of a batch is done.
        clocks: counts how long the thread waits, and how long each operator works.
        watch: calls the thread's function, and reports what it raises.

    Attributes:
        thread: the thread, which does not run yet.
    """

    def __init__(
        self,
        schedule: Schedule,
        start: Callable[[], None],
        done: SegmentDone,
        clocks: Clocks,
        watch: Callable[..., None],
    ) -> None:
        self._schedule = schedule
        self._start = start
        self._done = done
        self._clocks = clocks
        self._process = os.getpid()
        self._queue: SimpleQueue[_Job] = SimpleQueue()
        self._begun: deque[_Job] = deque()  # steps under way in other processes
        self._stopping = False
        self.thread = threading.Thread(
            target=watch, args=(self._run,), name="penstock-feeder", daemon=True
        )

    # Calls of all threads

    def queue_segment(self, batch: Batch, segment: Segment, index: int) -> None:
        """Have a segment computed: at once, if the feeder itself asks for it."""
        if threading.current_thread() is self.thread:
            self._run_segment(batch, segment, index)
        else:
            self._queue.put(partial(self._run_segment, batch, segment, index))

    def wake(self) -> None:
        """Check again whether a batch may start."""
        self._queue.put(_nothing)

    def stop(self) -> None:
        """Let the thread end after the operator at hand; idempotent."""
        self._stopping = True
        self.wake()

    # The thread

    def _run(self) -> None:
        while not self._stopping:
            job = self._next_job()
            job()
            del job  # or this thread would hold the batch's memory while it waits
        self._drop_jobs()

    def _next_job(self) -> _Job:
        """Return what to do next; nothing, if something may have changed.

        Batches under way come first, also while memory is short. The consumer may wait for such
        a batch, and its memory returns once the batch is consumed.
        """
        ready = self._schedule.may_start()
        short = ready and self._schedule.is_short_of_memory()
        may_start = ready and not short and len(self._begun) < MAX_BEGUN_STEPS
        started = perf_counter_ns()
        used_up = short and self._schedule.knows_need
        wait = not may_start and not self._begun
        try:
            job = self._queue.get(wait, BUDGET_POLL_SECONDS if short else None)
        except Empty:
            job = self._begun.popleft() if self._begun and not may_start else _nothing
        elapsed = perf_counter_ns() - started
        self._clocks.feeder_wait_ns += elapsed
        if used_up:
            self._clocks.memory_wait_ns += elapsed
        return self._start if may_start and job is _nothing else job

    def _run_segment(
        self,
        batch: Batch,
        segment: Segment,
        index: int,
        number: int = 0,
        begun: Pending[Any] | None = None,
    ) -> None:
        """Run the steps of a segment from `number` on, whose work may be begun."""
        clocks = self._clocks
        try:
            for step in segment.steps[number:]:
                started = perf_counter_ns()
                try:
                    begun = run_batch_step(step, batch, "CPU", begun)
                finally:
                    if os.getpid() != self._process:
                        end_forked_child()
                clocks.feeder_busy_ns[step.node.ordinal] += perf_counter_ns() - started
                if begun is not None:
                    go_on = partial(self._run_segment, batch, segment, index, number, begun)
                    self._begun.append(go_on)
                    return
                number += 1
        except BaseException as error:
            self._done(batch, index, error)
            return
        clocks.feeder_cpu_ns = thread_time_ns()
        self._done(batch, index, None)

    def _drop_jobs(self) -> None:
        """Drop the jobs that are left, which hold memory of their batches."""
        self._begun.clear()
        while not self._queue.empty():
            self._queue.get()


def _nothing() -> None:
    """Do nothing: the job that wakes the thread."""
