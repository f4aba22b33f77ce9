"""Records as samples: the base of their readers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..engine.tensors.arena import Arena
from ..engine.tensors.packed_rows import MetadataFunction
from .batch_groups import BatchGroups
from .reader import Reader

if TYPE_CHECKING:
    from .process.process_source import ProcessSource

MIN_CORES = 4
"""Cores that this process may use."""


class RecordReader(Reader):
    """Base of the readers of records, which processes of the reader's own may read.

    To copy and to parse records takes the GIL from the threads that decode, or that launch work for
    the GPU.
    """

    _processes: ProcessSource | None = None

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        return self._groups_for_processes() is not None

    def _groups_for_processes(self) -> BatchGroups | None:
        """Return the groups that processes are to read, if there are any."""
        cores = len(os.sched_getaffinity(0))
        if cores < MIN_CORES or self._names_urls():
            return None
        reading = self.reading
        return reading if isinstance(reading, BatchGroups) and not reading.single else None

    def share_memory(
        self, arena: Arena, metadata_functions: Mapping[str, MetadataFunction]
    ) -> None:
        groups = self._groups_for_processes()
        if groups is not None:
            from .process.process_source import ProcessSource  # takes 7 ms

            self._processes = ProcessSource(self.source, arena, metadata_functions)
            groups.read_by(self._processes)

    def interrupt(self) -> None:
        super().interrupt()
        if self._processes is not None:
            self._processes.close()

    def remark(self) -> str:
        return "" if self._processes is None else self._processes.path_used
