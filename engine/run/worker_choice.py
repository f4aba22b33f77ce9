"""Which workers suit the work: a few threads, all threads, or processes.

Threads share the GIL. Operators call libraries that release the GIL, but every return from such a
call waits for the GIL again. So light samples do not scale with threads. On 16 cores, training
images of 1.5 ms each go 4.3 times as fast with 8 threads as with one, and 2.2 times with 16. On two
cores, images of 0.3 ms go 0.8 times as fast with two threads as with one.
Processes have a GIL each, but need time to start and memory of their own. Heavy samples scale with
threads, because their threads seldom meet. So two threads do as well as two processes, and many
threads nearly as well as many processes.

The decision rests on CPU time. A thread that waits for the GIL uses none, so waiting does not make
a light sample look heavy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple


class ChoiceTuning(NamedTuple):
    """Thresholds of the choice.

    Attributes:
        first_threads: threads that are started at first; more of them slow light samples down.
        scaling_threads: up to so many workers, threads are as good as processes.
        proven_ns: busy time of each worker before processes are worth their start, or are judged.
        heavy_cpu_ns: CPU time of a sample from which on all threads are of use.
        few_threads, few_threads_cpu_ns: up to so many workers, threads are as good as processes for
            samples from this CPU time on.
        computing: threads that compute for a smaller fraction of their busy time wait for the
            GIL or for cores.
        blocked_cores: threads that use fewer cores, all together, probably wait for a device or a
            server. If processes are impossible, all threads are started then.
        blocked_ns: busy time of a sample from which on more threads help against such waiting.
        slower: processes that do a smaller fraction of the threads' work are given up.
        periods: number of times that processes are judged, of which the best counts. At first the
            kernel maps each page of the arena for each process, which takes a second or more.
    """

    first_threads: int = 8
    scaling_threads: int = 1
    proven_ns: int = 400_000_000
    heavy_cpu_ns: int = 8_000_000
    few_threads: int = 2
    few_threads_cpu_ns: int = 4_000_000
    computing: float = 0.5
    blocked_cores: float = 0.5
    blocked_ns: int = 5_000_000
    slower: float = 0.9
    periods: int = 4


TUNING = ChoiceTuning()


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
    heavy_ns = TUNING.few_threads_cpu_ns if scalable else TUNING.heavy_cpu_ns
    heavy = load.cpu_ns >= heavy_ns * load.rows and computing >= TUNING.computing
    if heavy and (threads <= TUNING.few_threads or not scalable):
        return WorkerChoice.ALL_THREADS
    if scalable:
        return WorkerChoice.PROCESSES if is_proven(load, threads) else WorkerChoice.KEEP
    blocked = computing * threads < TUNING.blocked_cores
    if blocked and load.busy_ns >= TUNING.blocked_ns * load.rows:
        return WorkerChoice.ALL_THREADS
    return WorkerChoice.KEEP


def judge(rates: Sequence[float], threads_rate: float) -> WorkerChoice | None:
    """Judge processes: FEW_THREADS if threads were faster, None if it is too early to tell.

    Args:
        rates: samples a second that processes did, of each period since their start.
        threads_rate: samples a second that threads did before.
    """
    if max(rates, default=0.0) >= TUNING.slower * threads_rate:
        return WorkerChoice.KEEP
    return WorkerChoice.FEW_THREADS if len(rates) >= TUNING.periods else None


def is_proven(load: WorkerLoad, workers: int) -> bool:
    """Return whether the load is large enough for a decision about processes."""
    return load.rows >= workers and load.busy_ns >= TUNING.proven_ns * workers
