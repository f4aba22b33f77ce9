"""Samples of a source, read into an arena by the reading process."""

from __future__ import annotations

import resource
from collections.abc import Mapping
from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...engine.control.reads import SlowLimits, is_slow
from ...engine.tensors.arena import Arena
from ...engine.tensors.rows import MetadataFunction
from ...engine.threads import Team
from ..source import Source
from .placed_columns import Placed, ReadMemory


class SourceReads:
    """Reads samples of a source into an arena. Thread-safe.

    Attributes:
        limits: the numbers of the rule that lets several threads read.
    """

    limits: ClassVar = SlowLimits()

    def __init__(
        self,
        arena: Arena,
        source: Source,
        metadata_functions: Mapping[str, MetadataFunction],
        threads: int = 1,
    ) -> None:
        """Set what is read, and how.

        Args:
            arena: memory that samples are read into.
            source: the samples.
            metadata_functions: functions to run on encoded samples.
            threads: number of threads that read a request while samples come slowly.
        """
        self._arena = arena
        self._team = Team("reading", threads)
        self._threads = threads
        self._source = source
        self._metadata_functions = metadata_functions
        self._slow = False

    def read(
        self, indices: NDArray[np.int64], offset: int, room: int
    ) -> tuple[int, list[list[Placed]]] | None:
        """Read samples into the arena, from `offset` on.

        Returns:
            the bytes that the samples take, and the columns of each part of the samples, in order;
            there are none if the samples take more than `room`. None if a sample cannot be read.
        """
        memory = ReadMemory(self._arena.array((offset, (room,), "u1")))
        threads = min(self._threads, len(indices) // self.limits.samples_of_thread)
        threads = threads if self._slow else 1
        parts = np.array_split(indices, max(1, threads))
        placed: list[list[Placed]] = [[]] * len(parts)
        waits: list[int] = []

        def read_part(number: int) -> None:
            before = _waits_of_thread()
            columns = self._source.read(parts[number], memory.empty)
            waits.append(_waits_of_thread() - before)
            if memory.used <= room:  # else they are read again
                functions = self._metadata_functions
                placed[number] = [memory.place(column, functions) for column in columns]

        started = perf_counter()
        try:
            self._team.run_jobs(read_part, range(len(parts)), len(parts))
        except Exception:  # the parent meets the same error, and raises it
            return None
        seconds = (perf_counter() - started) * len(parts)
        self._slow = is_slow(len(indices), seconds, sum(waits), self.limits)
        return memory.used, placed if memory.used <= room else []


def _waits_of_thread() -> int:
    """Return how often this thread has given up its core to wait for something."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
