"""Workers that are processes, with one driving thread each.

A process computes several rows in one turn, because each turn costs two messages.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter_ns
from typing import TYPE_CHECKING

from ...control.workers import WorkerLoad
from ...errors import WorkerError
from ...tensors.arena import Arena
from ...work.chain import ChainRun
from ...work.plans import Plans
from .choice import Chooser
from .turns import TurnQueue

if TYPE_CHECKING:
    from ...processes.copies import Copies
    from ...processes.worker_process import WorkerProcess

MAX_TURN_ROWS = 16
"""Rows that a process computes in one turn at most."""

_CLOSED = "the pipeline was closed before worker processes were ready"


class ProcessCrew:
    """Processes that take rows of batches through their chains.

    Args:
        count: number of processes.
        turns: the turns that wait.
        plans: the plans of the batches.
        arena: where slabs lie.
        chooser: is told of each process's load by `observe`, while it is open.
        start_thread: starts a thread with a name, a function and its arguments.
        observe: called with a process's load.

    Attributes:
        processes: all processes that were started.
        is_retired: whether other workers have taken over. The processes end then.
    """

    worker_type = "processes"

    def __init__(
        self,
        count: int,
        turns: TurnQueue,
        plans: Plans,
        arena: Arena,
        chooser: Chooser,
        start_thread: Callable[..., threading.Thread],
        observe: Callable[[ProcessCrew, object, WorkerLoad], None],
    ) -> None:
        self.processes: list[WorkerProcess] = []
        self._copies: Copies | None = None  # that are being started
        self.is_retired = False
        self._count = count
        self._turns = turns
        self._plans = plans
        self._arena = arena
        self._chooser = chooser
        self._start_thread = start_thread
        self._observe = observe
        self._killed = False
        self._driven = count  # processes that have not failed
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Start the processes, and wait until they are ready.

        Raises:
            ArgumentError: an operator cannot be passed to a process.
            WorkerError: a process cannot be started, or was killed.
        """
        # These take 10 ms, which most pipelines do not need.
        from ...processes.row_process import reserve_row, start_row_processes
        from ...processes.worker_process import WorkerProcess, own_modules, pickled_chains

        chains = list(self._plans.chains())
        program = pickled_chains(*chains)
        offsets = [reserve_row(self._arena) for _ in range(self._count)]
        modules = own_modules(chains)
        copies = start_row_processes(self._arena, "worker_child", offsets, modules)
        with self._lock:
            self._copies = copies
            if self._killed:
                copies.kill()
        started = copies.wait()
        with self._lock:
            self.processes = [
                WorkerProcess(self._arena, process, offset, program, chains)
                for process, offset in zip(started, offsets, strict=True)
            ]
        try:
            if self._killed:
                raise WorkerError(_CLOSED)
            for process in self.processes:
                process.wait_until_ready()
        except BaseException:
            self.close()
            raise

    def drive(self) -> None:
        """Start the threads, once the processes are prepared."""
        for i, process in enumerate(self.processes):
            self._start_thread(f"penstock-process-{i}", self._drive, process)

    def rows_per_turn(self, rows: int) -> int:
        """Return how many of a batch's rows a worker should compute in one turn."""
        return max(1, min(MAX_TURN_ROWS, rows // self._count))

    def kill(self) -> None:
        """End all processes at once, and those that are being started; idempotent."""
        with self._lock:
            self._killed = True
            processes = list(self.processes)
            if self._copies is not None:
                self._copies.kill()
        for process in processes:
            process.kill()

    def close(self) -> None:
        """End all processes, while no thread drives them."""
        for process in self.processes:
            process.close()

    def _drive(self, process: WorkerProcess) -> None:
        turns = self._turns
        failure: BaseException | None = None
        load = WorkerLoad()
        while (turn := turns.take()) is not None:
            if self.is_retired:
                turns.give_back(turn)
                break
            run, segment = turn
            started, computed = perf_counter_ns(), 0
            while rows := run.next_rows():
                computed += len(rows)
                if not turns.is_stopped:
                    failure = failure or _compute_rows(process, run, rows)
                if failure is not None:
                    run.batch.end = run.batch.end or failure
                turns.end(run, segment)
            del run, turn
            load += WorkerLoad(computed, perf_counter_ns() - started, 0)
            if failure is not None and not self._is_last():
                break
            if self._chooser.is_open:
                self._observe(self, process, load)
        del failure  # or its traceback would hold this frame, and memory of batches
        process.close()

    def _is_last(self) -> bool:
        """Whether no process is left, so that a thread must say so to whoever waits."""
        with self._lock:
            self._driven -= 1
            return self._driven <= 0


def _compute_rows(process: WorkerProcess, run: ChainRun, rows: range) -> BaseException | None:
    try:
        process.compute(run, rows)
    except BaseException as error:
        process.close()  # so that the process cannot write to recycled memory
        return error
    return None
