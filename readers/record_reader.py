"""Records as samples: the base of their readers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from ..engine.tensors.arena import Arena
from ..engine.tensors.packed_rows import MetadataFunction
from .batch_groups import BatchGroups
from .process.process_source import ProcessSource
from .reader import Reader


class RecordReaderTuning(NamedTuple):
    """When processes read records.

    Attributes:
        least_cores: that this process may use.
    """

    least_cores: int = 4


TUNING = RecordReaderTuning()


class RecordReader(Reader):
    """Base of the readers of records, which processes of the reader's own may read.

    To copy and to parse records takes the GIL from the threads that decode, or that launch work for
    the GPU.
    """

    _processes: ProcessSource | None = None

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        groups = isinstance(self.reading, BatchGroups) and not self.reading.single
        cores = len(os.sched_getaffinity(0))
        return groups and cores >= TUNING.least_cores and not self._names_urls()

    def share_memory(
        self, arena: Arena, metadata_functions: Mapping[str, MetadataFunction]
    ) -> None:
        if self.wants_shared_memory(uses_gpu=False):
            assert isinstance(self.reading, BatchGroups)
            self._processes = ProcessSource(self.source, arena, metadata_functions)
            self.reading.read_by(self._processes)

    def interrupt(self) -> None:
        super().interrupt()
        if self._processes is not None:
            self._processes.close()

    def remark(self) -> str:
        return "" if self._processes is None else self._processes.path_used

    def close(self) -> None:
        if self._processes is not None:
            self._processes.close()
        super().close()
