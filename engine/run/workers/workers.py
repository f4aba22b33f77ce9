"""The workers of one pipeline: a crew of threads, or of processes, as the work demands.

Work starts in threads. The choice follows from the load of the first second of work. The results
are the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ...control.readings import Decision
from ...control.workers import WorkerChoice, WorkerLoad, may_be_processes
from ...errors import ArgumentError, WorkerError
from ...tensors.arena import Arena
from ...work.batch import Batch
from ...work.chain import Chain, ChainRun
from ...work.plans import Plans
from ...work.stats import Clocks
from .choice import Chooser
from .processes import ProcessCrew
from .threads import ThreadCrew
from .turns import TurnQueue

Crew = ThreadCrew | ProcessCrew


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
        count: see the argument.
        threads: all threads that were started.
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
        self.why_threads = ""
        self.count = count
        self._processes_first = bool(processes)
        self._plans = plans
        self._arena = arena
        self._clocks = clocks
        self._watch = watch
        self._turns = TurnQueue(done)
        shared = arena.descriptor >= 0
        scalable = shared and processes is None and may_be_processes(count, None, Chooser.limits)
        self._chooser = Chooser(count, scalable=scalable, started=bool(processes))
        self._lock = threading.Lock()  # of the crews, and of the chooser
        self._crews: list[Crew] = []
        self._crew: Crew = self._new_threads()

    @property
    def worker_type(self) -> str:
        """The kind of the workers now: "threads" or "processes"."""
        return self._crew.worker_type

    def start(self) -> None:
        """Start the first workers.

        Raises:
            ArgumentError: processes are demanded, but an operator cannot be passed to a process.
            WorkerError: processes are demanded, but cannot be started.
        """
        if not self._plans.declared.uses_workers:
            return
        if self._processes_first:
            self._start_processes()
        elif isinstance(self._crew, ThreadCrew):
            self._crew.grow(self._chooser.first_threads)

    def queue_batch(self, batch: Batch, chain: Chain, segment: int) -> None:
        """Have the rows of a batch taken through a chain; the batch has at least one row."""
        run = chain.start(batch, self._crew.rows_per_turn(batch.size))
        self._turns.add(run, segment, min(self.count, run.turns))

    def stop(self) -> None:
        """Have all threads end after the row in hand, and end all processes; idempotent."""
        with self._lock:
            crews = list(self._crews)
            # Those that others have replaced may wait, too, and `start` may be at work.
            self._turns.stop(len(self.threads) + self.count)
        for crew in crews:
            crew.kill()

    def _new_threads(self) -> ThreadCrew:
        crew = ThreadCrew(
            self._turns, self._clocks, self._chooser, self._start_thread, self._observe
        )
        self._crews.append(crew)
        return crew

    def _start_thread(
        self, name: str, work: Callable[..., None], *arguments: object
    ) -> threading.Thread:
        thread = threading.Thread(
            target=self._watch, args=(work, *arguments), name=name, daemon=True
        )
        self.threads.append(thread)
        thread.start()
        return thread

    def _observe(self, crew: Crew, worker: object, load: WorkerLoad) -> None:
        """Have the load of one worker judged, and act on the outcome."""
        with self._lock:
            if self._turns.is_stopped or crew is not self._crew:
                return
            outcome = self._chooser.observe(worker, load)
            if outcome != WorkerChoice.KEEP:
                chosen = outcome.name.lower().replace("_", " ")
                self._clocks.decisions["workers"] = Decision(chosen, self._chooser.reading)
            if outcome == WorkerChoice.ALL_THREADS and isinstance(crew, ThreadCrew):
                crew.grow(self.count)
            elif outcome == WorkerChoice.PROCESSES:
                self._start_thread("penstock-starter", self._try_processes)
            elif outcome == WorkerChoice.FEW_THREADS:
                self.why_threads = "processes computed fewer samples a second than threads"
                threads = self._new_threads()
                self._replace(threads)
                threads.grow(self._chooser.first_threads)

    def _replace(self, crew: Crew) -> None:
        self._crew.is_retired = True
        self._crew = crew

    def _try_processes(self) -> None:
        try:
            self._start_processes()
        except (ArgumentError, WorkerError, OSError) as error:
            self.why_threads = str(error)
            self._chooser.keep_threads()

    def _start_processes(self) -> None:
        crew = ProcessCrew(
            self.count,
            self._turns,
            self._plans,
            self._arena,
            self._chooser,
            self._start_thread,
            self._observe,
        )
        with self._lock:  # so that `stop` misses no process and no thread
            self._crews.append(crew)
            if self._turns.is_stopped:
                crew.kill()
        crew.prepare()
        with self._lock:
            if self._turns.is_stopped:
                crew.close()
                raise WorkerError("the pipeline was closed before worker processes were ready")
            self._clocks.workers.extend(crew.processes)
            self._chooser.judge_processes()
            self._replace(crew)
            crew.drive()
