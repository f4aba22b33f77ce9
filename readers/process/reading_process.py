"""Reading processes: they read files and samples, and copy out of mapped files.

The kernel kills a process that touches a mapped file which was cut short. So only these processes
(`reading_child`) map files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

from ...engine.processes.helper_processes import HelperProcesses
from ...engine.processes.shipment import Shipment
from ...engine.tensors.arena import Arena
from ...engine.tensors.rows import MetadataFunction
from ..source import Source

REQUESTS_AT_ONCE = 4
"""Number of requests that a process works on at a time. So the process has the next batches when a
batch is done."""

LONG_COPY_BYTES = 512 << 10
"""Bytes of a copy that goes past the caches of the cores, straight to memory. The C library's own
limit is made for copies that are used at once: 151 MiB on a machine with 300 MiB of cache. With 512
KiB, 16 threads copy 165 GB/s there, not 78."""


class ReadingProcess(HelperProcesses):
    """Lets a process, or several, read into an arena, once that saves time. Thread-safe.

    Args:
        arena: memory that other processes may map.
        threads: number of threads of each process.
        metadata_functions: functions that a process runs on each encoded sample, by name: see
            `TensorList.metadata`.
        processes: number of processes.
        source: whose samples they read, if they do.

    Attributes:
        threads: see the argument.
    """

    def __init__(
        self,
        arena: Arena,
        threads: int,
        metadata_functions: Mapping[str, MetadataFunction] = MappingProxyType({}),
        processes: int = 1,
        source: Source | None = None,
    ) -> None:
        self.threads = threads
        self._source = source
        self._shipment: Shipment | None = None
        super().__init__(
            "reads",
            f"{__package__}.reading_child",
            arena,
            dict(metadata_functions),
            numbers=(threads,),
            processes=processes,
            at_once=REQUESTS_AT_ONCE,
            environment={"GLIBC_TUNABLES": _tunables()},
        )

    def first_message(self) -> tuple[dict[str, MetadataFunction], Shipment | None]:
        if self._source is not None and self._shipment is None:
            self._shipment = Shipment.of(self._source, self.arena)
        return super().first_message(), self._shipment


def _tunables() -> str:
    """Return the settings of the GNU C library for the process; those of the user come last."""
    # Other C libraries, and the GNU C library on other processors, ignore what they do not know.
    ours = f"glibc.cpu.x86_non_temporal_threshold={LONG_COPY_BYTES}"
    return ":".join(filter(None, (ours, os.environ.get("GLIBC_TUNABLES"))))
