"""Workers that are threads. A thread computes one row in one turn."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter_ns, thread_time_ns

from ...control.workers import WorkerLoad
from ...work.chain import ChainRun, Worker
from ...work.stats import Clocks
from .choice import Chooser
from .turns import TurnQueue


class ThreadCrew:
    """Threads that take rows of batches through their chains.

    Args:
        turns: the turns that wait.
        clocks: collects the threads' own clocks.
        chooser: is told of each worker's load by `observe`, while it is open.
        start_thread: starts a thread with a name and a function.
        observe: called with a worker's load. It may raise RuntimeError: the system gives no more
            threads.

    Attributes:
        threads: all threads that were started.
        is_retired: whether other workers have taken over. The threads end when they notice.
    """

    worker_type = "threads"

    def __init__(
        self,
        turns: TurnQueue,
        clocks: Clocks,
        chooser: Chooser,
        start_thread: Callable[..., threading.Thread],
        observe: Callable[[ThreadCrew, object, WorkerLoad], None],
    ) -> None:
        self.threads: list[threading.Thread] = []
        self.is_retired = False
        self._turns = turns
        self._clocks = clocks
        self._chooser = chooser
        self._start_thread = start_thread
        self._observe = observe

    def grow(self, count: int) -> None:
        """Start threads until there are so many."""
        for i in range(len(self.threads), count):
            self.threads.append(self._start_thread(f"penstock-worker-{i}", self._work))

    def rows_per_turn(self, rows: int) -> int:
        """Return how many of a batch's rows a worker should compute in one turn."""
        return 1

    def kill(self) -> None:
        """Do nothing: threads end by themselves."""

    def _work(self) -> None:
        turns = self._turns
        worker = Worker(lambda: turns.is_stopped)
        self._clocks.workers.append(worker)
        computed = 0
        while True:
            started = perf_counter_ns()
            turn = turns.take()
            worker.wait_ns += perf_counter_ns() - started
            if turn is None:
                return
            if self.is_retired:
                turns.give_back(turn)
                return
            run, segment = turn
            while rows := run.next_rows():
                computed += len(rows)
                for i in rows:
                    if not turns.is_stopped and i not in run.batch.errors:
                        _compute_row(worker, run, i)
                turns.end(run, segment)
            worker.cpu_ns = thread_time_ns()
            del run, turn  # or this thread would hold the batch's memory while it waits
            if self._chooser.is_open:
                load = WorkerLoad(computed, sum(worker.busy_ns.values()), worker.cpu_ns)
                with suppress(RuntimeError):  # these threads go on
                    self._observe(self, worker, load)


def _compute_row(worker: Worker, run: ChainRun, i: int) -> None:
    try:
        worker.compute(run, i)
    except BaseException as error:
        run.batch.fail_row(i, error)
