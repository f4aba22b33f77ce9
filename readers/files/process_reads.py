"""Whole local files, read by reading processes."""

from __future__ import annotations

import os
from itertools import accumulate, pairwise
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ...engine.tensors.packed_rows import PackedRows
from ..process.reading_process import ReadingProcess
from ..source import Allocate, Column
from ..storage.local_reads import read_local


class ProcessReadsTuning(NamedTuple):
    """How files are divided among processes, and how much memory each gets for its files.

    Attributes:
        cores_of_process: number of cores that allow one more process.
        processes: at most.
        files: of a batch that are worth one more process.
        attempts: to read files; each but the first has the room that the files took at the one
            before.
        margin: memory that a process gets, as a multiple of what as many files of earlier batches
            took.
        spread: what is added to `margin`, divided by the root of the number of files: the mean
            size of few files differs more from the mean of all.
        decay: of the mean size with each batch: large files are forgotten.
    """

    cores_of_process: int = 4
    processes: int = 4
    files: int = 16
    attempts: int = 3
    margin: float = 1.1
    spread: float = 3.0
    decay: float = 0.9


TUNING = ProcessReadsTuning()


def processes_of_cores() -> int:
    """Return how many processes read files on this machine.

    One process reads some 30 thousand photographs a second at most, because of its GIL, and the
    GPU's decoder waits for each batch.
    """
    cores = len(os.sched_getaffinity(0))
    return min(TUNING.processes, max(1, cores // TUNING.cores_of_process))


class ProcessReads:
    """Lets processes read files into an arena; this process reads the rest. Thread-safe."""

    def __init__(self, process: ReadingProcess) -> None:
        """Take the processes that read."""
        self._process = process
        self._mean = 0.0  # bytes of a file

    def read(self, paths: list[bytes], allocate: Allocate) -> Column:
        """Return the files' bytes: see `FileSource.read`."""
        if self._process.is_there and paths:
            found = self._ask(paths, allocate)
            if found is not None:
                return found
        started = perf_counter()
        contents = read_local(paths, allocate)
        self._process.count(perf_counter() - started)
        self._mean = sum(each.nbytes for each in contents) / max(1, len(contents))
        return contents

    def _ask(self, paths: list[bytes], allocate: Allocate) -> PackedRows | None:
        """Return the files' bytes; None if this process must read them."""
        parts = self._parts(paths)
        rooms = [int(self._mean * self._with_margin(len(part))) for part in parts]
        for _ in range(TUNING.attempts):
            slab = allocate((sum(rooms),), np.uint8)
            offset = self._process.arena.offset(slab)
            if offset is None:
                return None
            firsts = [0, *accumulate(rooms[:-1])]
            requests = [
                ("files", part, offset + first, room)
                for part, first, room in zip(parts, firsts, rooms, strict=True)
            ]
            answers = self._process.ask_each(requests)
            if answers is None or any(each is None for each in answers):
                return None
            sizes = [each[0] for each in answers]
            totals = [int(each.sum()) for each in sizes]
            self._mean = max(sum(totals) / len(paths), self._mean * TUNING.decay)
            if all(total <= room for total, room in zip(totals, rooms, strict=True)):
                begins = [f + np.cumsum(s) - s for f, s in zip(firsts, sizes, strict=True)]
                metadata = {
                    name: np.concatenate([each[1][name] for each in answers])
                    for name in answers[0][1]
                }
                shapes = np.concatenate(sizes)[:, np.newaxis]
                return PackedRows(slab, np.concatenate(begins), shapes, np.uint8, metadata)
            rooms = [max(pair) for pair in zip(totals, rooms, strict=True)]
        return None

    def _parts(self, paths: list[bytes]) -> list[list[bytes]]:
        """Return the files of each process."""
        count = max(1, min(self._process.processes, len(paths) // TUNING.files))
        bounds = np.linspace(0, len(paths), count + 1).astype(np.intp).tolist()
        return [paths[start:end] for start, end in pairwise(bounds)]

    @staticmethod
    def _with_margin(count: int) -> float:
        """Return the number of files of mean size that need as much memory as `count` files may."""
        return float(count * TUNING.margin + TUNING.spread * count**0.5)

    @property
    def path_used(self) -> str:
        """Whether processes read the files, or why they do not; "" before they are started."""
        if not self._process.is_there:
            return self._process.why
        count = self._process.processes
        return f"{count} processes of its own read" if count > 1 else "a process of its own reads"

    def close(self) -> None:
        """End the process, and so what is waited for; reading goes on without it."""
        self._process.close()
