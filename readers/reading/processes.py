"""Processes that read batches into the memory of the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.machine import usable_cores
from ...engine.order.selection import Selection
from ...engine.pending import Pending
from ...engine.processes.helper_processes import Answers
from ...engine.tensors.arena import Arena
from ...engine.tensors.rows import MetadataFunction
from ..interrupt import Interrupt
from ..process.placed_columns import ALIGNMENT, Placed, joined
from ..process.reading_process import ReadingProcess
from ..source import Allocate, Columns, Source
from .carriers import Carrier, CountedMemory, Inline, ReadColumns, Threads

CORES_OF_PROCESS = 4
"""Number of cores that allow one more process."""

CORES_OF_TWO_PROCESSES = 4
"""Number of cores that allow two processes. One process alone reads TFRecord files at 0.75 of the
rate of two threads (four cores of an H100's host), two processes at 1.14."""

MAX_PROCESSES = 4
"""Processes at most."""

SLOW_STORAGE_THREADS = 4
"""Threads of each process that read while samples come slowly."""

MAX_READS_AHEAD = 3
"""Reads that are started before their turn: with the one that is waited for, as many as a process
works on at a time (`reading_process.REQUESTS_AT_ONCE`). One more would wait for ever."""

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


def processes_of_cores() -> int:
    """Return how many processes read on this machine.

    One process reads some 30 thousand photographs a second at most, because of its GIL, and the
    GPU's decoder waits for each batch.
    """
    cores = usable_cores()
    least = 2 if cores >= CORES_OF_TWO_PROCESSES else 1
    return min(MAX_PROCESSES, max(least, cores // CORES_OF_PROCESS))


class Processes(Carrier):
    """Reads in processes, once that saves time; this process reads what they cannot read.

    While samples are handed out, the processes read those that come next.

    Args:
        source: the samples.
        arena: memory of batches, which the processes map.
        metadata_functions: functions that the processes run on encoded samples.
        depth: number of batches that threads of this process read ahead while there are no
            processes.
        interrupt: interrupt of the waits of these threads for storage, and for processes: reading
            goes on without them.
        grouped: whether small batches are read together.
    """

    def __init__(
        self,
        source: Source,
        arena: Arena,
        metadata_functions: Mapping[str, MetadataFunction],
        depth: int,
        interrupt: Interrupt,
        *,
        grouped: bool = False,
    ) -> None:
        self.grouped = grouped
        self._source = source
        self._process = ReadingProcess(
            arena, SLOW_STORAGE_THREADS, metadata_functions, processes_of_cores(), source
        )
        interrupt.ends(self._process.close)
        self._here: Carrier = Threads(self, depth, interrupt) if depth else Inline(self)
        self._ahead = max(1, min(depth, MAX_READS_AHEAD))
        self._mean = 0.0  # bytes of a sample

    @property
    def depth(self) -> int:
        """See `Carrier.depth`."""
        return self._ahead if self._process.is_there else self._here.depth

    @property
    def path_used(self) -> str:
        """Whether processes read, or why they do not; "" before they are started."""
        return self._process.path_used

    def start(self, selection: Selection, memory: CountedMemory) -> Pending[ReadColumns]:
        indices = selection.index
        if not len(indices) or not self._process.is_there:
            return self._here.start(selection, memory)
        count = max(1, min(self._process.processes, len(indices) // SAMPLES_OF_PROCESS))
        parts = np.array_split(indices, count)
        rooms = [self._room_for(len(part)) for part in parts]
        here = self._here.start
        return PartRead(
            self._process, parts, rooms, memory, self._learn, lambda: here(selection, memory)
        )

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> Columns:
        """Read samples in this process; start the processes if such reads take long."""
        memory, started = CountedMemory(allocate), perf_counter()
        columns = self._source.read(indices, memory.empty)
        self._learn(memory.nbytes, len(indices))
        self._process.count(perf_counter() - started)
        return columns

    def _learn(self, nbytes: int, samples: int) -> None:
        self._mean = max(nbytes / max(1, samples), self._mean * MEAN_DECAY)

    def _room_for(self, samples: int) -> int:
        """Return the bytes that most likely suffice for so many samples."""
        return int(self._mean * (samples * MEMORY_MARGIN + MEMORY_SPREAD * samples**0.5))

    def close(self) -> None:
        self._process.close()
        self._here.close()


class PartRead(Pending[ReadColumns]):
    """One read that is divided among processes, each of which gets a part of a slab.

        slab      |  room of process 0   |  room of process 1   |
                  | samples 0 .. 31 |free| samples 32 .. 63 |free|
                  firsts[0]              firsts[1]

    A room is an estimate. If the samples need more, all processes get larger rooms, and read again.
    """

    def __init__(
        self,
        process: ReadingProcess,
        parts: list[NDArray[np.int64]],
        rooms: list[int],
        memory: CountedMemory,
        learn: Callable[[int, int], None],
        read_here: Callable[[], Pending[ReadColumns]],
    ) -> None:
        """Send the requests.

        Args:
            process: the processes that read.
            parts: the samples of each process.
            rooms: bytes that each process gets.
            memory: gives memory in the arena of the processes.
            learn: learns how many bytes so many samples take.
            read_here: reads the samples in this process.
        """
        self._process = process
        self._parts = parts
        self._memory = memory
        self._learn = learn
        self._read_here = read_here
        self._send(rooms)

    def _send(self, rooms: list[int]) -> None:
        rooms = self._rooms = [-(-room // ALIGNMENT) * ALIGNMENT for room in rooms]
        self._firsts = [0, *accumulate(rooms[:-1])]
        self._memory.nbytes = 0  # of the attempt before
        self._slab: NDArray[np.uint8] = self._memory.empty((sum(rooms),), np.uint8)
        self._answers: Answers | None = None
        offset = self._process.arena.offset(self._slab)
        if offset is not None:
            self._answers = self._process.send_each(
                [
                    ("samples", part, offset + first, room)
                    for part, first, room in zip(self._parts, self._firsts, rooms, strict=True)
                ]
            )

    def result(self) -> ReadColumns:
        """Wait for the samples; read them in this process, if the others cannot."""
        samples = sum(map(len, self._parts))
        larger: list[int] = []
        for _ in range(MAX_ATTEMPTS):
            if larger:
                self._send(larger)
            answers = self._received()
            known = [answer for answer in answers or () if answer is not None]
            if answers is None or len(known) < len(answers):
                break
            sizes = [nbytes for nbytes, _ in known]
            self._learn(sum(sizes), samples)
            if all(nbytes <= room for nbytes, room in zip(sizes, self._rooms, strict=True)):
                return self._columns([placed for _, placed in known])
            needed = (int(nbytes * MEMORY_MARGIN) for nbytes in sizes)
            larger = [max(pair) for pair in zip(needed, self._rooms, strict=True)]
        del self._slab
        self._memory.nbytes = 0
        return self._read_here().result()

    def _received(self) -> list[tuple[int, list[list[Any]]] | None] | None:
        answers, self._answers = self._answers, None
        return None if answers is None else answers.result()

    def _columns(self, placed: list[list[list[Placed]]]) -> Columns:
        """Return the columns, which processes have described part by part."""
        parts = [
            (first, part)
            for first, of_process in zip(self._firsts, placed, strict=True)
            for part in of_process
        ]
        firsts = [first for first, _ in parts]
        columns = zip(*(part for _, part in parts), strict=True)
        return tuple(joined(self._slab, firsts, column) for column in columns)

    def cancel(self) -> None:
        """Wait for the answers: until then, the processes write to the memory."""
        self._received()
