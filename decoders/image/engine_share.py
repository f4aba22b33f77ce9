"""How much of a batch the hardware JPEG engine decodes, and how much threads of the CPU.

Where the engine limits a pipeline, threads decode files beside it: so many that both end at the
same time, by the rates of both in the batches before. Threads take the files that are cheap for
them and dear for the engine. The engine's time grows with the pixels of a file, and a thread's with
the bytes before the end of the window.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Work = NDArray[np.float64]


class ShareTuning(NamedTuple):
    """When threads help, and how much.

    Attributes:
        aim: the threads' time over the engine's, so that the engine does not wait for threads.
        newest: weight of the newest batch in running means.
        limiting: parts of the time that the engine is busy, between which the help grows from none
            to all that `aim` allows.
        least: part of the files below which help is not worth it: threads that decode also take
            time from the threads that feed the engine.
        first: number of batches from which the threads' rate is learned at first.
        relearn: number of batches without help after which the rate is measured again.
    """

    aim: float = 0.95
    newest: float = 0.3
    limiting: tuple[float, float] = (0.6, 0.85)
    least: float = 0.15
    first: int = 3
    relearn: int = 25


TUNING = ShareTuning()


class RunningMean:
    """A mean in which older values count less."""

    def __init__(self) -> None:
        self.value: float | None = None

    def add(self, value: float) -> None:
        """Count a value."""
        old = self.value
        self.value = value if old is None else old + TUNING.newest * (value - old)


class EngineShare:
    """Shares out the files of batches; several threads may use it for different batches.

    Args:
        fixed: the part of each batch's files for the engine; None to adapt to the rates.
    """

    def __init__(self, fixed: float | None) -> None:
        self._fixed = fixed
        self._lock = Lock()
        self._engine = RunningMean()  # seconds for a unit of the engine's work
        self._thread = RunningMean()  # seconds of one thread for a unit of threads' work
        self._busy = RunningMean()  # part of the time that the engine decodes
        self._helped = 0  # batches that threads have helped with
        self._alone = 0  # batches since then

    def split(
        self, engine: Work, thread: Work, threads: int, besides: float = 0.0
    ) -> tuple[Rows, Rows]:
        """Return the numbers of the files for the engine, and of those for threads.

        Args:
            engine: the engine's work for each file.
            thread: a thread's work for each file.
            threads: number of threads.
            besides: other work of the threads for this batch.
        """
        order = np.argsort(thread / engine, kind="stable")
        count = self._count(engine[order], thread[order], threads, besides)
        return np.sort(order[count:]), order[:count]

    def _count(self, engine: Work, thread: Work, threads: int, besides: float) -> int:
        """Return how many of the files, in the order of their worth for threads, threads decode."""
        if self._fixed is not None:
            return round(len(engine) * (1 - self._fixed))
        with self._lock:
            rates, busy = (self._engine.value, self._thread.value), self._busy.value or 0.0
            self._alone += 1
            to_learn = self._helped < TUNING.first or self._alone > TUNING.relearn
        least, most = TUNING.limiting
        help_wanted = min(1.0, max(0.0, (busy - least) / (most - least)))
        if rates[0] is None or not help_wanted:
            return 0
        if rates[1] is None or to_learn:
            return min(threads, len(engine) // 2)
        total = engine.sum() * rates[0]
        seconds = (besides + np.cumsum(thread)) * rates[1] / threads
        left = total - np.cumsum(engine) * rates[0]
        # One file must not take a thread longer than the engine needs for the batch.
        fits = (seconds <= TUNING.aim * left) & (thread * rates[1] <= total)
        count = len(fits) if fits.all() else int(fits.argmin())
        return int(count * help_wanted) if count >= TUNING.least * len(engine) else 0

    def note_engine(self, work: float, seconds: float, idle: float) -> None:
        """Note a call of the engine.

        Args:
            work: that the engine did.
            seconds: that the call took.
            idle: seconds without work between the call before and this one.
        """
        with self._lock:
            self._engine.add(seconds / work)
            self._busy.add(seconds / (seconds + idle))

    def note_threads(self, work: float, seconds: float) -> None:
        """Note the work of threads, and the sum of the seconds that they took."""
        with self._lock:
            self._thread.add(seconds / work)
            self._helped += 1
            self._alone = 0
