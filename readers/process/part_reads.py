"""Reads that are divided among processes, each of which gets a part of a slab."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.processes.helper_processes import Answers
from ..source import Allocate
from .placed_columns import ALIGNMENT
from .reading_process import ReadingProcess

CORES_OF_PROCESS = 4
"""Number of cores that allow one more process."""

MAX_PROCESSES = 4
"""Processes at most."""

SAMPLES_OF_PROCESS = 16
"""Samples of a batch that are worth one more process."""

MAX_ATTEMPTS = 3
"""Attempts to read samples; each but the first knows what the samples took at the one before."""

MEMORY_MARGIN = 1.1
"""Memory that a process gets, as a multiple of what as many samples of earlier batches took, or of
what the samples took at the attempt before."""

MEMORY_SPREAD = 3.0
"""What is added to `MEMORY_MARGIN`, divided by the root of the number of samples: the mean size of
few samples differs more from the mean of all."""

MEAN_DECAY = 0.9
"""Decay of the mean size with each batch: large samples are forgotten."""


Samples = Sequence[bytes] | NDArray[np.int64]
"""Paths, or indices of a source."""


class ReadParts(NamedTuple):
    """Samples that processes have read.

    Attributes:
        slab: the memory.
        firsts: where the part of each process begins in the slab.
        answers: of the processes, without the numbers of bytes.
    """

    slab: NDArray[np.uint8]
    firsts: list[int]
    answers: list[tuple[Any, ...]]


def processes_of_cores(least: int = 1) -> int:
    """Return how many processes read on this machine, at least so many.

    One process reads some 30 thousand photographs a second at most, because of its GIL, and the
    GPU's decoder waits for each batch.
    """
    cores = len(os.sched_getaffinity(0))
    return min(MAX_PROCESSES, max(least, cores // CORES_OF_PROCESS))


class PartReads:
    """Lets processes read samples, if they are there. Thread-safe.

    The answer to a request is a tuple, whose first element is the number of bytes that the samples
    take; or None, if the process cannot read them.
    """

    def __init__(self, process: ReadingProcess) -> None:
        """Take the processes that read."""
        self._process = process
        self._mean = 0.0  # bytes of a sample

    def begin(self, name: str, samples: Samples, allocate: Allocate) -> PartRead | None:
        """Have processes read samples; return None if this process must read them.

        Args:
            name: of the request.
            samples: what names the samples; each process gets a slice.
            allocate: returns memory in the arena of the processes.
        """
        if not len(samples) or not self._process.is_there:
            return None
        count = max(1, min(self._process.processes, len(samples) // SAMPLES_OF_PROCESS))
        bounds = np.linspace(0, len(samples), count + 1).astype(np.intp).tolist()
        parts = [samples[start:end] for start, end in pairwise(bounds)]
        rooms = [self._room_for(len(part)) for part in parts]
        return PartRead(self._process, name, parts, rooms, allocate, self._learn)

    def count(self, seconds: float, nbytes: int, samples: int) -> None:
        """Learn from a read of this process; start the processes if such reads take long."""
        self._learn(nbytes, samples)
        self._process.count(seconds)

    def _learn(self, nbytes: int, samples: int) -> None:
        self._mean = max(nbytes / max(1, samples), self._mean * MEAN_DECAY)

    def _room_for(self, samples: int) -> int:
        """Return the bytes that most likely suffice for so many samples."""
        return int(self._mean * (samples * MEMORY_MARGIN + MEMORY_SPREAD * samples**0.5))

    @property
    def path_used(self) -> str:
        """Whether processes read, or why they do not; "" before they are started."""
        return self._process.path_used

    def close(self) -> None:
        """End the processes, and so what is waited for; reading goes on without them."""
        self._process.close()


class PartRead:
    """One read that has begun: `wait` must be called."""

    def __init__(
        self,
        process: ReadingProcess,
        name: str,
        parts: list[Any],
        rooms: list[int],
        allocate: Allocate,
        learn: Callable[[int, int], None],
    ) -> None:
        """Send the requests.

        Args:
            process: the processes that read.
            name: of the requests.
            parts: the samples of each process.
            rooms: bytes that each process gets.
            allocate: returns memory in the arena of the processes.
            learn: learns how many bytes so many samples take.
        """
        self._process = process
        self._name = name
        self._parts = parts
        self._allocate = allocate
        self._learn = learn
        self._send(rooms)

    @property
    def nbytes(self) -> int:
        """Size of the memory that the read takes."""
        return self._slab.nbytes

    def _send(self, rooms: list[int]) -> None:
        rooms = self._rooms = [-(-room // ALIGNMENT) * ALIGNMENT for room in rooms]
        self._firsts = [0, *accumulate(rooms[:-1])]
        self._slab = self._allocate((sum(rooms),), np.uint8)
        self._answers: Answers | None = None
        offset = self._process.arena.offset(self._slab)
        if offset is not None:
            self._answers = self._process.send_each(
                [
                    (self._name, part, offset + first, room)
                    for part, first, room in zip(self._parts, self._firsts, rooms, strict=True)
                ]
            )

    def wait(self) -> ReadParts | None:
        """Wait for the samples; None if this process must read them."""
        samples = sum(map(len, self._parts))
        larger: list[int] = []
        for _ in range(MAX_ATTEMPTS):
            if larger:
                self._send(larger)
            answers = self._answers and self._answers()
            if answers is None or any(each is None for each in answers):
                return None
            taken = [each[0] for each in answers]
            self._learn(sum(taken), samples)
            if all(nbytes <= room for nbytes, room in zip(taken, self._rooms, strict=True)):
                return ReadParts(self._slab, self._firsts, [each[1:] for each in answers])
            needed = (int(nbytes * MEMORY_MARGIN) for nbytes in taken)
            larger = [max(pair) for pair in zip(needed, self._rooms, strict=True)]
        return None
