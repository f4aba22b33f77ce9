"""Carriers, which read batches: the thread that asks for them, or other threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

from ...engine.order.selection import Selection
from ...engine.pending import Later, Pending
from ...engine.tensors import TensorList
from ...engine.threads import Team
from ..interrupt import Interrupt
from ..source import Allocate, Column, Readable

ReadColumns = tuple[Column | TensorList, ...]
"""The samples of a read, an entry an output."""

JOIN_SECONDS = 0.8
"""Time that `close` waits for the threads that read; the executor waits as long."""


class CountedMemory:
    """Memory for one read, which counts what the read takes.

    Args:
        allocate: gives the memory.

    Attributes:
        nbytes: taken so far.
        device_nbytes: the same of the device's memory, which the carrier counts.
    """

    def __init__(self, allocate: Allocate) -> None:
        self.nbytes = 0
        self.device_nbytes = 0
        self._allocate = allocate

    def empty(self, shape: tuple[int, ...], dtype: object) -> Any:
        """Return uninitialized memory that is recycled when the last view of it is dropped."""
        array = self._allocate(shape, dtype)
        self.nbytes += array.nbytes
        return array


class Carrier(ABC):
    """Reads samples for a `ReadWindow`, whose thread alone uses it."""

    grouped: bool = False
    """Whether small batches are read together."""

    @property
    def path_used(self) -> str:
        """The way that was taken, for `Operator.remark`; "" if there is nothing to be said."""
        return ""

    @property
    def depth(self) -> int:
        """Number of reads that are worth starting before they are asked for."""
        return 0

    @abstractmethod
    def start(self, selection: Selection, memory: CountedMemory) -> Pending[ReadColumns]:
        """Start to read samples into memory. The result raises if any sample cannot be read."""

    def close(self) -> None:
        """End all threads and processes; no read is under way."""
        return


class Inline(Carrier):
    """Reads in the thread that asks, once it asks."""

    def __init__(self, source: Readable, *, grouped: bool = False) -> None:
        """Set what is read, and whether small batches are read together."""
        self._source = source
        self.grouped = grouped

    def start(self, selection: Selection, memory: CountedMemory) -> Pending[ReadColumns]:
        return Later(partial(self._source.read, selection.index, memory.empty))


class Threads(Carrier):
    """Reads in other threads, some batches before their turn: for storage behind a round trip."""

    def __init__(self, source: Readable, depth: int, interrupt: Interrupt) -> None:
        """Set what is read, how far ahead, and the interrupt of waits for storage."""
        self._source = source
        self._depth = depth
        self._interrupt = interrupt
        self._team = Team("penstock-read-ahead", depth + 1)

    @property
    def depth(self) -> int:
        return self._depth

    def start(self, selection: Selection, memory: CountedMemory) -> Pending[ReadColumns]:
        return self._team.submit(self._read, selection, memory)

    def _read(self, selection: Selection, memory: CountedMemory) -> ReadColumns:
        with self._interrupt:
            return self._source.read(selection.index, memory.empty)

    def close(self) -> None:
        """Wait for the threads, unless their reads take too long."""
        self._team.close(JOIN_SECONDS)
