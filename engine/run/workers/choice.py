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

from ...machine import usable_cores

FIRST_THREADS = 8
"""Threads that are started at first; more of them slow light samples down."""

SCALING_THREADS = 1
"""Up to this many workers, threads are as good as processes."""

PROVEN_NS = 400_000_000
"""Busy time of each worker before processes are worth their start, or are judged."""

HEAVY_CPU_NS = 8_000_000
"""CPU time of a sample from which on all threads are of use."""

FEW_THREADS = 2
"""Up to this many workers, threads that hardly wait are as good as processes."""

HARDLY_WAITING = 0.92
"""Fraction of their busy time for which such threads compute at least. Threads have 0.7 to 0.8
times the rate of processes where the fraction is 0.6, 0.85 to 1.1 times where it is 0.84 to 0.92,
and 1.25 times at 0.96 (two workers on two idle cores of an EPYC)."""

MIN_COMPUTING = 0.5
"""Threads that compute for a smaller fraction of their busy time wait for the GIL or for cores."""

BLOCKED_CORES = 0.5
"""Threads that use fewer cores, all together, probably wait for a device or a server. If processes
are impossible, all threads are started then."""

BLOCKED_NS = 5_000_000
"""Busy time of a sample from which on more threads help against such waiting."""

MIN_SPEED_OF_PROCESSES = 0.9
"""Processes that do a smaller fraction of the threads' work are given up."""

JUDGED_PERIODS = 4
"""Number of times that processes are judged, of which the best counts. At first the kernel maps
each page of the arena for each process, which takes a second or more."""


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


def choose(load: WorkerLoad, threads: int, *, scalable: bool) -> WorkerChoice:
    """Choose the workers that suit the load of threads.

    Args:
        load: work of the threads since the last decision.
        threads: number of threads that did the work.
        scalable: whether processes are possible, and could be faster.
    """
    if load.rows < threads or not load.busy_ns:
        return WorkerChoice.KEEP
    computing = load.cpu_ns / load.busy_ns
    if scalable:
        if not is_proven(load, threads):
            return WorkerChoice.KEEP
        suffice = threads <= FEW_THREADS and computing >= HARDLY_WAITING
        return WorkerChoice.ALL_THREADS if suffice else WorkerChoice.PROCESSES
    if load.cpu_ns >= HEAVY_CPU_NS * load.rows and computing >= MIN_COMPUTING:
        return WorkerChoice.ALL_THREADS
    blocked = computing * threads < BLOCKED_CORES
    if blocked and load.busy_ns >= BLOCKED_NS * load.rows:
        return WorkerChoice.ALL_THREADS
    return WorkerChoice.KEEP


def judge(rates: Sequence[float], threads_rate: float) -> WorkerChoice | None:
    """Judge processes: FEW_THREADS if threads were faster, None if it is too early to tell.

    Args:
        rates: samples a second that processes did, of each period since their start.
        threads_rate: samples a second that threads did before.
    """
    if max(rates, default=0.0) >= MIN_SPEED_OF_PROCESSES * threads_rate:
        return WorkerChoice.KEEP
    return WorkerChoice.FEW_THREADS if len(rates) >= JUDGED_PERIODS else None


def is_proven(load: WorkerLoad, workers: int) -> bool:
    """Return whether the load is large enough for a decision about processes."""
    return load.rows >= workers and load.busy_ns >= PROVEN_NS * workers


def may_be_processes(count: int, processes: bool | None) -> bool:
    """Return whether workers may be processes.

    Args:
        count: number of workers.
        processes: what the user demands; None for the workers that suit the work.
    """
    if processes is None:
        cores = usable_cores()
        return min(count, cores) > SCALING_THREADS
    return processes


class Chooser:
    """Chooses the workers of one pipeline from the load of those that it has. It has no lock.

    Args:
        count: number of workers that are wanted.
        scalable: whether processes are possible, and could be faster.
        started: whether the workers are processes from the start, which leaves no choice.

    Attributes:
        is_open: whether the load matters: the workers may still change.
        first_threads: number of threads to start with.
    """

    def __init__(self, count: int, *, scalable: bool, started: bool = False) -> None:
        self.first_threads = min(count, FIRST_THREADS)
        self.is_open = not started and (scalable or count > self.first_threads)
        self._count = count
        self._scalable = scalable
        self._threads = self.first_threads  # 0: the workers are processes
        self._loads: dict[object, WorkerLoad] = {}  # of each worker since it was started
        self._judged = WorkerLoad()  # the sum of `_loads` at the last decision
        # Whether threads have sufficed for the first samples, which take longer than all others:
        self._sufficed = False
        self._threads_rate = 0.0
        self._rates: list[float] = []  # of processes

    def observe(self, worker: object, load: WorkerLoad) -> WorkerChoice:
        """Return the change to make now.

        Args:
            worker: a worker, as a key.
            load: all its work so far.
        """
        self._loads[worker] = load
        recent = sum(self._loads.values(), WorkerLoad()) - self._judged
        if not self.is_open:
            return WorkerChoice.KEEP
        return self._of_threads(recent) if self._threads else self._of_processes(recent)

    def _of_threads(self, recent: WorkerLoad) -> WorkerChoice:
        chosen = choose(recent, self._threads, scalable=self._scalable)
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
        if not is_proven(recent, self._count):
            return WorkerChoice.KEEP
        self._judged += recent
        self._rates.append(recent.rate(self._count))
        chosen = judge(self._rates, self._threads_rate)
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
