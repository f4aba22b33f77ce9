"""The choice of the workers of one pipeline, from the load of those that it has."""

from __future__ import annotations

from typing import ClassVar

from ...control.workers import (
    WorkerChoice,
    WorkerLimits,
    WorkerLoad,
    decide,
    is_proven,
    judge,
)


class Chooser:
    """Chooses the workers of one pipeline from the load of those that it has. It has no lock.

    Args:
        count: number of workers that are wanted.
        scalable: whether processes are possible, and could be faster.
        started: whether the workers are processes from the start, which leaves no choice.

    Attributes:
        is_open: whether the load matters: the workers may still change.
        first_threads: number of threads to start with.
        limits: the numbers of the rule.
    """

    limits: ClassVar = WorkerLimits()

    def __init__(self, count: int, *, scalable: bool, started: bool = False) -> None:
        self.first_threads = min(count, self.limits.first_threads)
        self.is_open = not started and (scalable or count > self.first_threads)
        self._count = count
        self._scalable = scalable
        self._threads = self.first_threads  # 0: the workers are processes
        self._loads: dict[object, WorkerLoad] = {}  # of each worker since it was started
        self._judged = WorkerLoad()  # the sum of `_loads` at the last decision
        # Whether threads have sufficed for the first samples, which take longer than all others:
        self._sufficed = False
        self._recent = WorkerLoad()  # since the last decision
        self._threads_rate = 0.0
        self._rates: list[float] = []  # of processes

    @property
    def reading(self) -> str:
        """What the last decision rests on, for people."""
        if self._rates:
            return f"{self._rates[-1]:.0f} samples/s, threads {self._threads_rate:.0f}"
        computing = self._recent.cpu_ns / max(1, self._recent.busy_ns)
        return f"threads computed for {computing:.0%} of their busy time"

    def observe(self, worker: object, load: WorkerLoad) -> WorkerChoice:
        """Return the change to make now.

        Args:
            worker: a worker, as a key.
            load: all its work so far.
        """
        self._loads[worker] = load
        recent = self._recent = sum(self._loads.values(), WorkerLoad()) - self._judged
        if not self.is_open:
            return WorkerChoice.KEEP
        return self._of_threads(recent) if self._threads else self._of_processes(recent)

    def _of_threads(self, recent: WorkerLoad) -> WorkerChoice:
        chosen = decide(recent, self._threads, self.limits, scalable=self._scalable)
        if chosen == WorkerChoice.ALL_THREADS:
            if self._scalable and not self._sufficed:
                self._sufficed = True
                self._judged += recent
                return WorkerChoice.KEEP
            # For good: threads also wait where other programs take the cores for a moment, as the
            # processes do that start to read.
            self._threads = self._count
            self.is_open = False
        elif chosen == WorkerChoice.PROCESSES:
            self.is_open = self._scalable = False
            self._threads_rate = recent.rate(self._threads)
        return chosen

    def _of_processes(self, recent: WorkerLoad) -> WorkerChoice:
        if not is_proven(recent, self._count, self.limits):
            return WorkerChoice.KEEP
        self._judged += recent
        self._rates.append(recent.rate(self._count))
        chosen = judge(self._rates, self._threads_rate, self.limits)
        self.is_open = chosen is None
        return chosen or WorkerChoice.KEEP

    def judge_processes(self) -> None:
        """Compare processes, which take over now, with the threads before them, if there were."""
        self._threads = 0
        self._loads, self._judged = {}, WorkerLoad()
        self.is_open = self._threads_rate > 0

    def keep_threads(self) -> None:
        """Choose among threads from now on: processes could not be started."""
        self.is_open = True
