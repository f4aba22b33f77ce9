"""The choice of the workers that suit the work: a few threads, all threads, or processes.

Threads share the GIL. Operators call libraries that release the GIL, but every return from such a
call waits for the GIL again. So light samples do not scale with threads. On 16 cores, training
images of 1.5 ms each go 4.3 times as fast with 8 threads as with one, and 2.2 times with 16. On two
cores, images of 0.3 ms go 0.8 times as fast with two threads as with one.
Processes have a GIL each, but need time to start and memory of their own. Heavy samples scale with
threads, because their threads seldom meet. So two threads that hardly wait do better than two
processes, and many threads nearly as well as many processes.

The decision rests on CPU time. A thread that waits for the GIL uses none, so waiting does not make
a light sample look heavy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from ..machine import usable_cores


class WorkerLimits(NamedTuple):
    """The numbers of the rule.

    Attributes:
        first_threads: threads that are started at first; more of them slow light samples down.
        scaling_threads: up to this many workers, threads are as good as processes.
        proven_ns: busy time of each worker before processes are worth their start, or are judged.
        heavy_cpu_ns: CPU time of a sample from which on all threads are of use.
        few_threads: up to this many workers, threads that hardly wait are as good as processes.
        hardly_waiting: part of their busy time for which such threads compute at least. Threads
            have 0.7 to 0.8 times the rate of processes where it is 0.6, 0.85 to 1.1 times where it
            is 0.84 to 0.92, and 1.25 times at 0.96 (two workers on two idle cores of an EPYC).
            Where it is 0.87 to 0.91, 1.00 to 1.03 times, at 0.94 to 0.97 of the CPU time.
        min_computing: threads that compute for a smaller part wait for the GIL or for cores.
        blocked_cores: threads that use fewer cores, all together, probably wait for a device or a
            server. If processes are impossible, all threads are started then.
        blocked_ns: busy time of a sample from which on more threads help against such waiting.
        min_speed: processes that do a smaller part of the threads' work are given up.
        judged_periods: number of times that processes are judged, of which the best counts. At
            first the kernel maps each page of the arena for each process, for a second or more.
    """

    first_threads: int = 8
    scaling_threads: int = 1
    proven_ns: int = 400_000_000
    heavy_cpu_ns: int = 8_000_000
    few_threads: int = 2
    hardly_waiting: float = 0.84
    min_computing: float = 0.5
    blocked_cores: float = 0.5
    blocked_ns: int = 5_000_000
    min_speed: float = 0.9
    judged_periods: int = 4


class WorkerChoice(Enum):
    """The outcome of a decision."""

    KEEP = auto()
    ALL_THREADS = auto()
    PROCESSES = auto()
    FEW_THREADS = auto()


@dataclass(frozen=True)
class WorkerLoad:
    """Work that one or several workers did.

    Attributes:
        rows: samples that were computed.
        busy_ns: time that the samples took, waiting included, summed over the workers.
        cpu_ns: CPU time of the workers' threads.
    """

    rows: int = 0
    busy_ns: int = 0
    cpu_ns: int = 0

    def __add__(self, other: WorkerLoad) -> WorkerLoad:
        return WorkerLoad(
            self.rows + other.rows, self.busy_ns + other.busy_ns, self.cpu_ns + other.cpu_ns
        )

    def __sub__(self, other: WorkerLoad) -> WorkerLoad:
        return WorkerLoad(
            self.rows - other.rows, self.busy_ns - other.busy_ns, self.cpu_ns - other.cpu_ns
        )

    def rate(self, workers: int) -> float:
        """Return the samples a second of so many workers, if they were never idle."""
        return 1e9 * workers * self.rows / self.busy_ns if self.busy_ns else 0.0


def decide(load: WorkerLoad, threads: int, limits: WorkerLimits, *, scalable: bool) -> WorkerChoice:
    """Choose the workers that suit the load of threads.

    Args:
        load: work of the threads since the last decision.
        threads: number of threads that did the work.
        limits: the numbers.
        scalable: whether processes are possible, and could be faster.
    """
    if load.rows < threads or not load.busy_ns:
        return WorkerChoice.KEEP
    computing = load.cpu_ns / load.busy_ns
    if scalable:
        if not is_proven(load, threads, limits):
            return WorkerChoice.KEEP
        suffice = threads <= limits.few_threads and computing >= limits.hardly_waiting
        return WorkerChoice.ALL_THREADS if suffice else WorkerChoice.PROCESSES
    if load.cpu_ns >= limits.heavy_cpu_ns * load.rows and computing >= limits.min_computing:
        return WorkerChoice.ALL_THREADS
    blocked = computing * threads < limits.blocked_cores
    if blocked and load.busy_ns >= limits.blocked_ns * load.rows:
        return WorkerChoice.ALL_THREADS
    return WorkerChoice.KEEP


def judge(rates: Sequence[float], threads_rate: float, limits: WorkerLimits) -> WorkerChoice | None:
    """Judge processes: FEW_THREADS if threads were faster, None if it is too early to tell.

    Args:
        rates: samples a second that processes did, of each period since their start.
        threads_rate: samples a second that threads did before.
        limits: the numbers.
    """
    if max(rates, default=0.0) >= limits.min_speed * threads_rate:
        return WorkerChoice.KEEP
    return WorkerChoice.FEW_THREADS if len(rates) >= limits.judged_periods else None


def is_proven(load: WorkerLoad, workers: int, limits: WorkerLimits) -> bool:
    """Return whether the load is large enough for a decision about processes."""
    return load.rows >= workers and load.busy_ns >= limits.proven_ns * workers


def may_be_processes(count: int, processes: bool | None, limits: WorkerLimits) -> bool:
    """Return whether workers may be processes.

    Args:
        count: number of workers.
        processes: what the user demands; None for the workers that suit the work.
        limits: the numbers.
    """
    if processes is None:
        cores = usable_cores()
        return min(count, cores) > limits.scaling_threads
    return processes
