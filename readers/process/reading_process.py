"""The reading process: its start, its requests and its end, in the parent.

Each system call gives up the GIL and waits for it afterwards. Beside busy threads, that wait takes
longer than to read a file of 100 KB. Besides, the kernel kills a process that touches a mapped file
which was cut short. So a reading process (`reading_child`) reads files and copies out of maps,
straight into the arena that both processes share. The reading process is an aid only: its parent
reads whatever the reading process could not read, and raises the errors.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from queue import SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.errors import WorkerError
from ...engine.tensors.arena import Arena
from ...engine.tensors.packed_rows import MetadataFunction

if TYPE_CHECKING:
    from ...engine.processes.channel import Channel


class ReadingProcessTuning(NamedTuple):
    """When a process is started, and how it is used.

    Attributes:
        worth_starting_seconds: seconds that the parent spends on the process's work before the
            parent starts the process, which takes about as long.
        starts: number of times that the process is started; after its last death it stays away.
        at_once: number of requests that the process works on at a time. So the process has the
            next batches when a batch is done.
        long_copy: bytes of a copy that goes past the caches of the cores, straight to memory. The
            C library's own limit is made for copies that are used at once: 151 MiB on a machine
            with 300 MiB of cache. With 512 KiB, 16 threads copy 165 GB/s there, not 78.
    """

    worth_starting_seconds: float = 0.2
    starts: int = 3
    at_once: int = 4
    long_copy: int = 512 << 10


TUNING = ReadingProcessTuning()


class ReadingProcess:
    """Lets a process read into an arena, once that saves time. Thread-safe.

    In a process that was forked from the parent, this object does nothing.

    Attributes:
        arena, threads, metadata_functions: see `__init__`.
        why: reason why there is no process; "" if no process has failed.
    """

    def __init__(
        self,
        arena: Arena,
        threads: int,
        metadata_functions: Mapping[str, MetadataFunction] = MappingProxyType({}),
    ) -> None:
        """Set the arena; start no process yet.

        Args:
            arena: memory that other processes may map.
            threads: number of the process's threads.
            metadata_functions: functions that the process runs on each encoded sample, by name:
                see `PackedRows.metadata`.
        """
        self.arena = arena
        self.metadata_functions = dict(metadata_functions)
        self.why = ""
        self.threads = threads
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._seconds = 0.0
        self._starts_left = TUNING.starts
        self._wanted = True  # before the start, and after each death but the last
        self._closed = False
        self._helper: _LivingProcess | None = None

    @property
    def is_there(self) -> bool:
        """Whether the process answers requests."""
        helper = self._helper
        return helper is not None and helper.ready and os.getpid() == self._owner

    def ask(self, *request: Any) -> Any:
        """Return the answer to a request (see `reading_child`); None if no process answers."""
        helper = self._helper
        if helper is None or not self.is_there:
            return None
        try:
            return helper.ask(request)
        except (EOFError, OSError):
            self._lose(helper)
            return None

    def count(self, seconds: float) -> None:
        """Add seconds that the parent spent on the process's work; start the process if due."""
        if not self._wanted or os.getpid() != self._owner:
            return
        with self._lock:
            self._seconds += seconds
            if self._seconds < TUNING.worth_starting_seconds or not self._wanted:
                return
            self._seconds = 0.0
            self._starts_left -= 1
            self._wanted = False
        threading.Thread(target=self._start, name="penstock-starter", daemon=True).start()

    def close(self) -> None:
        """End the process for good. Idempotent."""
        with self._lock:
            self._closed, self._wanted = True, False
            helper, self._helper = self._helper, None
        if helper is not None:
            helper.close()

    def _start(self) -> None:
        try:
            helper = _LivingProcess(self.arena, self.threads)
        except (WorkerError, OSError) as error:
            self.why = f"no process reads: {error}"
            return
        with self._lock:
            closed = self._closed
            if not closed:
                self._helper = helper
        if closed:
            helper.close()
            return
        try:
            helper.wait_until_ready(self.metadata_functions)
        except (EOFError, OSError):
            self._lose(helper)

    def _lose(self, helper: _LivingProcess) -> None:
        """Go on without a process that has died."""
        fate = helper.fate()
        helper.close()  # from now on, no other process writes to the memory of unanswered requests
        with self._lock:
            if self._helper is helper:
                self._helper = None
                self._wanted = self._starts_left > 0
                self.why = f"the process that reads {fate}"


class _LivingProcess:
    """One reading process while it is alive.

    Attributes:
        ready: whether the process answers requests.
    """

    def __init__(self, arena: Arena, threads: int) -> None:
        from ...engine.processes.child_process import (
            ChildProcess,  # most pipelines need not spend the time
        )

        self.ready = False
        numbers = threads, arena.descriptor
        module = f"{__package__}.reading_child"
        self._process = ChildProcess(
            module, numbers, numbers[1:], TUNING.at_once, {"GLIBC_TUNABLES": _tunables()}
        )
        self._free: SimpleQueue[Channel] = SimpleQueue()

    def wait_until_ready(self, metadata_functions: dict[str, MetadataFunction]) -> None:
        """Send the functions to run on samples, and wait until the process answers requests."""
        for channel in self._process.channels:
            channel.send(metadata_functions)
        for channel in self._process.channels:
            channel.receive()
            self._free.put(channel)
        self.ready = True

    def ask(self, request: Any) -> Any:
        """Return the answer; EOFError or OSError if the process has ended."""
        channel = self._free.get()
        try:
            channel.send(request)
            return channel.receive()
        finally:
            self._free.put(channel)

    def fate(self) -> str:
        """Return how the process ended, as a phrase."""
        return self._process.fate()

    def close(self) -> None:
        """End the process; a thread that waits for its answer gets EOFError. Idempotent."""
        self._process.close()


def _tunables() -> str:
    """Return the settings of the GNU C library for the process; those of the user come last."""
    # Other C libraries, and the GNU C library on other processors, ignore what they do not know.
    ours = f"glibc.cpu.x86_non_temporal_threshold={TUNING.long_copy}"
    return ":".join(filter(None, (ours, os.environ.get("GLIBC_TUNABLES"))))
