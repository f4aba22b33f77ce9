"""Records as samples: the base of their readers."""

from __future__ import annotations

from ..engine.graph.inputs import Resources
from ..engine.machine import usable_cores
from .reader import Reader
from .reading.carriers import Carrier

MIN_CORES = 4
"""Cores that this process may use."""


class RecordReader(Reader):
    """Base of the readers of records, which processes of the reader's own may read.

    To copy and to parse records takes the GIL from the threads that decode, or that launch work for
    the GPU. Processes read local records, unless `shuffle_block` or `prefetch_queue_depth=0` says
    that batches are read otherwise. They start once reading has taken a fifth of a second.
    """

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        return self._may_use_processes()

    def _may_use_processes(self) -> bool:
        otherwise = self._blocks is not None or self.prefetch_queue_depth == 0
        return not otherwise and not self.reads_urls() and self.cores_suffice()

    def cores_suffice(self) -> bool:
        """Return whether this machine has the cores for processes that read."""
        return usable_cores() >= MIN_CORES

    def carrier(self, resources: Resources) -> Carrier:
        if resources.arena is None or not self._may_use_processes():
            return super().carrier(resources)
        from .reading.processes import Processes  # takes 7 ms

        return Processes(
            self.source,
            resources.arena,
            resources.metadata_functions,
            self.read_depth(),
            self.waits,
            grouped=self.grouped(),
        )
