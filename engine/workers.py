"""What runs sample segments: worker threads, or worker processes with a thread each.

Threads share the interpreter's lock. Operators call into libraries that release it, but every
return has to take it again, so light samples do not scale: on 16 cores, training images of
1.5 ms each go 4.3 times as fast with 8 threads as with one, and 2.2 times with 16. Processes have a
lock each, but take time to start and memory of their own. So work begins in threads, of which
there are 8 at most, and once the first seconds have shown what a sample costs

    - if it is more than 5 ms, the rest of the threads are started: they seldom meet;
    - if it is less and there are more than 4 workers and cores, processes take over.

Either way the results are the same. A process takes several rows at a time, a thread one.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import perf_counter_ns, thread_time_ns
from typing import TYPE_CHECKING

from .chain import Chain, ChainRun, Worker
from .errors import ArgumentError, WorkerError
from .memory import Arena
from .stats import Clocks

if TYPE_CHECKING:
    from .process import WorkerProcess

_LIGHT_THREADS = 8
_SCALING_THREADS = 4
_HEAVY_SAMPLE_NS = 5_000_000
_PROVEN_NS = 8_000_000_000  # of work, before processes are worth their start
_MOST_ROWS = 16  # that a process takes at a time
_CLOSED = "the pipeline was closed before worker processes were ready"

_Job = tuple[ChainRun, int]


def may_be_processes(count: int, processes: bool | None) -> bool:
    """Whether so many workers may become processes; arguments are those of `Workers`."""
    if processes is None:
        return min(count, len(os.sched_getaffinity(0))) > _SCALING_THREADS
    return processes


class Workers:
    """Threads and processes that take rows of batches through their chains.

    Args:
        count: how many workers there are to be.
        processes: True for processes from the start, False for threads alone, None for
            whatever suits the work.
        chains: by segment.
        arena: where slabs lie.
        clocks: what the workers' own clocks are added to.
        done: called, with the run and its segment, when the last row is done.

    Raises:
        ArgumentError: processes are demanded, but an operator cannot be passed to one.
        WorkerError: they cannot be started.

    Attributes:
        threads: those that were started.
        kind: "threads", or "processes" as soon as they have taken over.
        why_threads: why processes did not take over, or "".
    """

    def __init__(
        self,
        count: int,
        processes: bool | None,
        chains: dict[int, Chain],
        arena: Arena,
        clocks: Clocks,
        done: Callable[[ChainRun, int], None],
    ) -> None:
        self.threads: list[threading.Thread] = []
        self.kind = "threads"
        self.why_threads = ""
        self._count = count
        self._chains = chains
        self._arena = arena
        self._clocks = clocks
        self._done = done
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._stopping = False
        self._rows_done = self._threads_started = 0
        self._processes: list[WorkerProcess] = []
        self._driven = 0
        self._scalable = processes is None and may_be_processes(count, None)
        self._deciding = not processes and (self._scalable or count > _LIGHT_THREADS)
        if processes and chains:
            self._start_processes()
        elif chains:
            self._start_threads(min(count, _LIGHT_THREADS))

    def put(self, run: ChainRun, segment: int) -> None:
        """Have a batch computed, which has at least one row."""
        for _ in range(min(self._count, run.shares)):
            self._queue.put((run, segment))

    def share(self, rows: int) -> int:
        """Return how many rows of a batch a worker should take at a time."""
        if self.kind == "threads":
            return 1
        return max(1, min(_MOST_ROWS, rows // self._count))

    def stop(self) -> None:
        """Have all threads end after the row in hand, and end all processes."""
        with self._lock:
            self._stopping = True
            processes = list(self._processes)
        for _ in range(2 * self._count):
            self._queue.put(None)
        for process in processes:
            process.kill()

    # Threads

    def _start_threads(self, count: int) -> None:
        for i in range(self._threads_started, count):
            self._start_thread(f"penstock-worker-{i}", self._work)
        self._threads_started = count

    def _start_thread(self, name: str, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, name=name, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _work(self) -> None:
        worker = Worker()
        self._clocks.workers.append(worker)
        while True:
            started = perf_counter_ns()
            job = self._queue.get()
            worker.wait_ns += perf_counter_ns() - started
            if job is None:
                return
            if self.kind == "processes":
                self._queue.put(job)
                return
            run, segment = job
            while rows := run.next_rows():
                for i in rows:
                    if not self._stopping and i not in run.batch.errors:
                        self._compute_row(worker, run, i)
                self._count_share(run, segment)
            worker.cpu_ns = thread_time_ns()
            del run, job  # or this thread would hold the batch's memory while it waits

    @staticmethod
    def _compute_row(worker: Worker, run: ChainRun, i: int) -> None:
        try:
            worker.compute(run, i)
        except BaseException as error:
            run.batch.errors[i] = error

    def _count_share(self, run: ChainRun, segment: int) -> None:
        if run.rows_done() and not self._stopping:
            if self._deciding:
                self._decide(run.batch.size)
            self._done(run, segment)

    def _decide(self, rows: int) -> None:
        """Choose the kind of workers, once it has shown what a sample costs."""
        with self._lock:
            self._rows_done += rows
            busy = sum(sum(list(worker.busy_ns.values())) for worker in self._clocks.workers)
            if not self._deciding or self._stopping:
                return
            if busy > _HEAVY_SAMPLE_NS * self._rows_done:
                self._deciding = False
                self._start_threads(self._count)
            elif self._scalable and busy > _PROVEN_NS:
                self._deciding = self._scalable = False
                self._start_thread("penstock-starter", self._try_processes)

    # Processes

    def _try_processes(self) -> None:
        try:
            self._start_processes()
        except (ArgumentError, WorkerError, OSError) as error:
            self.why_threads = str(error)
            self._deciding = True

    def _start_processes(self) -> None:
        from .process import WorkerProcess  # takes 10 ms, which most pipelines need not spend

        program = self._program()
        try:
            for _ in range(self._count):
                process = WorkerProcess(self._arena, program)
                with self._lock:
                    self._processes.append(process)
                    if self._stopping:
                        raise WorkerError(_CLOSED)
            for process in self._processes:
                process.wait_until_ready()
            self._take_over()
        except BaseException:
            for process in self._processes:
                process.close()
            raise

    def _take_over(self) -> None:
        with self._lock:  # so that `stop` does not miss a thread
            if self._stopping:
                raise WorkerError(_CLOSED)
            self._clocks.workers.extend(self._processes)
            self._driven = self._count
            self.kind = "processes"
            for i, process in enumerate(self._processes):
                self._start_thread(f"penstock-process-{i}", self._drive, process)

    def _program(self) -> bytes:
        for chain in self._chains.values():
            for stage in chain.stages:
                try:
                    pickle.dumps(stage)
                except Exception as error:
                    raise ArgumentError(
                        f"{stage.node} cannot run in worker processes, because it cannot be "
                        f"pickled: {error}"
                    ) from error
        return pickle.dumps(self._chains, pickle.HIGHEST_PROTOCOL)

    def _drive(self, process: WorkerProcess) -> None:
        failure: BaseException | None = None
        while (job := self._queue.get()) is not None:
            run, segment = job
            while rows := run.next_rows():
                if not self._stopping:
                    failure = failure or self._compute_rows(process, run, segment, rows)
                if failure is not None:
                    run.batch.end = run.batch.end or failure
                self._count_share(run, segment)
            del run, job
            if failure is not None and not self._is_last():
                break
        del failure  # or its traceback would hold this frame, and memory of batches
        process.close()

    def _compute_rows(
        self, process: WorkerProcess, run: ChainRun, segment: int, rows: range
    ) -> BaseException | None:
        try:
            process.compute(run, segment, rows)
        except BaseException as error:
            process.close()  # it must not write to memory that is used again
            return error
        return None

    def _is_last(self) -> bool:
        """Whether no process is left, so that a thread must say so to whoever waits."""
        with self._lock:
            self._driven -= 1
            return self._driven <= 0
