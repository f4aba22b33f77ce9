"""The workers that run sample segments: threads, or processes with one driving thread each.

Work starts in threads. `worker_choice` decides from the first second of work whether more threads
or processes are better. The results are the same. A process computes several rows in one turn, a
thread one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from time import perf_counter_ns, thread_time_ns
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, WorkerError
from ..tensors.arena import Arena
from ..work.chain import ChainRun, Worker
from ..work.plans import Plans
from ..work.stats import Clocks
from . import worker_choice
from .worker_choice import WorkerChoice, WorkerLoad, choose, is_proven, judge

if TYPE_CHECKING:
    from ..processes.worker_process import WorkerProcess

MAX_TURN_ROWS = 16
"""Rows that a process computes in one turn at most."""


_CLOSED = "the pipeline was closed before worker processes were ready"

_Job = tuple[ChainRun, int]


def may_be_processes(count: int, processes: bool | None) -> bool:
    """Whether so many workers may become processes; arguments are those of `Workers`."""
    if processes is None:
        cores = len(os.sched_getaffinity(0))
        return min(count, cores) > worker_choice.SCALING_THREADS
    return processes


class Workers:
    """Threads and processes that take rows of batches through their chains.

    Args:
        count: number of workers that are wanted.
        processes: True for processes from the start, False for threads alone, None for
            the workers that suit the work.
        plans: the plans of the batches.
        arena: where slabs lie.
        clocks: collects the workers' own clocks.
        done: called, with the run and its segment, when the last row is done.
        watch: calls a thread's function, and reports what it raises.

    Attributes:
        threads: all threads that were started.
        worker_type: "threads" or "processes".
        why_threads: why processes did not replace the threads, or "".
    """

    def __init__(
        self,
        count: int,
        processes: bool | None,
        plans: Plans,
        arena: Arena,
        clocks: Clocks,
        done: Callable[[ChainRun, int], None],
        watch: Callable[..., None],
    ) -> None:
        self.threads: list[threading.Thread] = []
        self.worker_type = "threads"
        self.why_threads = ""
        self._count = count
        self._from_start = bool(processes)
        self._plans = plans
        self._wanted = plans.declared.uses_workers
        self._arena = arena
        self._clocks = clocks
        self._done = done
        self._watch = watch
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._stopping = False
        self._threads_started = 0
        self._processes: list[WorkerProcess] = []
        self._driven = 0
        shared = arena.descriptor >= 0
        self._scalable = shared and processes is None and may_be_processes(count, None)
        self._deciding = not processes and (self._scalable or count > self._first_threads())
        self._loads: dict[Any, WorkerLoad] = {}  # of each worker since it was started
        self._decided = WorkerLoad()  # the sum of `_loads` at the last decision
        self._threads_rate = 0.0
        self._rates: list[float] = []  # of processes

    def start(self) -> None:
        """Start the first workers.

        Raises:
            ArgumentError: processes are demanded, but an operator cannot be passed to a process.
            WorkerError: processes are demanded, but cannot be started.
        """
        if self._from_start and self._wanted:
            self._start_processes()
        elif self._wanted:
            self._start_threads(self._first_threads())

    def queue_run(self, run: ChainRun, segment: int) -> None:
        """Have a batch computed, which has at least one row."""
        for _ in range(min(self._count, run.turns)):
            self._queue.put((run, segment))

    def rows_per_turn(self, rows: int) -> int:
        """Return how many of a batch's rows a worker should compute in one turn."""
        if self.worker_type == "threads":
            return 1
        return max(1, min(MAX_TURN_ROWS, rows // self._count))

    def stop(self) -> None:
        """Have all threads end after the row in hand, and end all processes; idempotent."""
        with self._lock:
            self._stopping = True
            processes = list(self._processes)
            waiting = len(self.threads)  # those that others have replaced may wait, too
        for _ in range(waiting + self._count):  # and `start` may be at work
            self._queue.put(None)
        for process in processes:
            process.kill()

    # Threads

    def _first_threads(self) -> int:
        return min(self._count, worker_choice.FIRST_THREADS)

    def _start_threads(self, count: int) -> None:
        first, self._threads_started = self._threads_started, count
        for i in range(first, count):
            self._start_thread(f"penstock-worker-{i}", self._work)

    def _start_thread(self, name: str, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(
            target=self._watch, args=(work, *arguments), name=name, daemon=True
        )
        self.threads.append(thread)
        thread.start()

    def _work(self) -> None:
        worker = Worker(lambda: self._stopping)
        self._clocks.workers.append(worker)
        computed = 0
        while True:
            started = perf_counter_ns()
            job = self._queue.get()
            worker.wait_ns += perf_counter_ns() - started
            if job is None:
                return
            if self.worker_type == "processes":
                self._queue.put(job)
                return
            run, segment = job
            while rows := run.next_rows():
                computed += len(rows)
                for i in rows:
                    if not self._stopping and i not in run.batch.errors:
                        self._compute_row(worker, run, i)
                self._end_turn(run, segment)
            worker.cpu_ns = thread_time_ns()
            del run, job  # or this thread would hold the batch's memory while it waits
            if self._deciding:
                busy = sum(worker.busy_ns.values())
                with suppress(RuntimeError):  # the system gives no more threads: these go on
                    self._decide(worker, WorkerLoad(computed, busy, worker.cpu_ns))

    @staticmethod
    def _compute_row(worker: Worker, run: ChainRun, i: int) -> None:
        try:
            worker.compute(run, i)
        except BaseException as error:
            run.batch.errors[i] = error

    def _end_turn(self, run: ChainRun, segment: int) -> None:
        if run.end_turn() and not self._stopping:
            self._done(run, segment)

    # The choice

    def _decide(self, worker: Worker | WorkerProcess, load: WorkerLoad) -> None:
        """Count the load of one worker, and act on what all of them show."""
        with self._lock:
            self._loads[worker] = load
            if not self._deciding or self._stopping:
                return
            recent = sum(list(self._loads.values()), WorkerLoad()) - self._decided
            if self.worker_type == "threads":
                self._decide_on_threads(recent)
            elif is_proven(recent, self._count):
                self._decide_on_processes(recent)

    def _decide_on_threads(self, recent: WorkerLoad) -> None:
        choice = choose(recent, self._threads_started, scalable=self._scalable)
        if choice == WorkerChoice.ALL_THREADS:
            self._start_threads(self._count)
            self._deciding = self._scalable  # the samples to come may be lighter
            self._decided += recent
        elif choice == WorkerChoice.PROCESSES:
            self._deciding = self._scalable = False
            self._threads_rate = recent.rate(self._threads_started)
            self._start_thread("penstock-starter", self._try_processes)

    def _decide_on_processes(self, recent: WorkerLoad) -> None:
        self._decided += recent
        self._rates.append(recent.rate(self._count))
        choice = judge(self._rates, self._threads_rate)
        self._deciding = choice is None
        if choice == WorkerChoice.FEW_THREADS:
            self.why_threads = "processes computed fewer samples a second than threads"
            self.worker_type = "threads"
            self._start_threads(self._first_threads())

    # Processes

    def _try_processes(self) -> None:
        try:
            self._start_processes()
        except (ArgumentError, WorkerError, OSError) as error:
            self.why_threads = str(error)
            self._deciding = True

    def _start_processes(self) -> None:
        from ..processes.worker_process import (  # takes 10 ms, which most pipelines need not spend
            WorkerProcess,
            pickled_chains,
        )

        chains = list(self._plans.chains())
        program = pickled_chains(*chains)
        try:
            for _ in range(self._count):
                process = WorkerProcess(self._arena, program, chains)
                with self._lock:
                    self._processes.append(process)
                    if self._stopping:
                        raise WorkerError(_CLOSED)
            for process in self._processes:
                process.wait_until_ready()
            self._replace_threads()
        except BaseException:
            for process in self._processes:
                process.close()
            raise

    def _replace_threads(self) -> None:
        with self._lock:  # so that `stop` does not miss a thread
            if self._stopping:
                raise WorkerError(_CLOSED)
            self._clocks.workers.extend(self._processes)
            self._driven = self._count
            self._threads_started = 0
            self._loads, self._decided = {}, WorkerLoad()
            self._deciding = self._threads_rate > 0
            self.worker_type = "processes"
            for i, process in enumerate(self._processes):
                self._start_thread(f"penstock-process-{i}", self._drive, process)

    def _drive(self, process: WorkerProcess) -> None:
        failure: BaseException | None = None
        load = WorkerLoad()
        while (job := self._queue.get()) is not None:
            if self.worker_type == "threads":
                self._queue.put(job)
                break
            run, segment = job
            started, computed = perf_counter_ns(), 0
            while rows := run.next_rows():
                computed += len(rows)
                if not self._stopping:
                    failure = failure or self._compute_rows(process, run, rows)
                if failure is not None:
                    run.batch.end = run.batch.end or failure
                self._end_turn(run, segment)
            del run, job
            load += WorkerLoad(computed, perf_counter_ns() - started, 0)
            if failure is not None and not self._is_last():
                break
            if self._deciding:
                self._decide(process, load)
        del failure  # or its traceback would hold this frame, and memory of batches
        process.close()

    def _compute_rows(
        self, process: WorkerProcess, run: ChainRun, rows: range
    ) -> BaseException | None:
        try:
            process.compute(run, rows)
        except BaseException as error:
            process.close()  # so that the process cannot write to recycled memory
            return error
        return None

    def _is_last(self) -> bool:
        """Whether no process is left, so that a thread must say so to whoever waits."""
        with self._lock:
            self._driven -= 1
            return self._driven <= 0
