"""The memory of a cache in RAM, for kernels that read it over the bus.

The file is mapped whole, and registered with CUDA in segments: each one when an array in it is
first wanted. An array may lie in several segments, whose addresses follow one another. All users
in a process share one map, because CUDA registers memory once for all devices.

The map goes with the last reference to it. So batches hold the map until the device has done their
work, and a pipeline may be closed before.
"""

from __future__ import annotations

import mmap
import os
import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.closing import close_after
from ...engine.tensors.alignment import address_of_host

if TYPE_CHECKING:
    from ...engine.gpu.host_registry import HostRegistry

SEGMENT_BYTES = 64 << 20
"""Memory that is registered at a time. A segment then has all of its memory, also where no array
lies yet."""

_NEW, _REGISTERED, _REFUSED = range(3)


class MappedCache:
    """The map of one file. Threads may use it together.

    Args:
        descriptor: the file.
        nbytes: size of the file in bytes: whole pages.
        registry: registers memory.

    Attributes:
        memory: the file's bytes: (nbytes,) uint8.
        address: of the file's first byte, on the host and on all devices.
        refused_bytes: size of the segments that cannot be registered.
        problem: why not, or "".

    Raises:
        OSError: the process may have no more addresses.
    """

    def __init__(self, descriptor: int, nbytes: int, registry: HostRegistry) -> None:
        # Writable, because not every device can register memory that is only readable.
        self.memory = np.frombuffer(mmap.mmap(descriptor, nbytes), np.uint8)
        self.address = address_of_host(self.memory)
        self.refused_bytes = 0
        self.problem = ""
        self._nbytes = nbytes
        self._registry = registry
        self._states = np.full(-(-nbytes // SEGMENT_BYTES), _NEW)
        self._lock = threading.Lock()
        self._registered: list[int] = []  # addresses
        released = os.getpid(), registry, self._registered, self.memory
        close_after(self, _release, *released).atexit = False

    def readable(self, offsets: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Register the memory of arrays; return which of them kernels may read: (arrays,).

        Args:
            offsets: where the arrays begin in the file: (arrays,).
            sizes: in bytes, at least 1: (arrays,).
        """
        readable = (offsets >= 0) & (offsets <= self._nbytes - sizes)
        first = offsets[readable] // SEGMENT_BYTES
        last = (offsets + sizes - 1)[readable] // SEGMENT_BYTES
        wanted = np.zeros(len(self._states) + 1, np.int64)
        np.add.at(wanted, first, 1)
        np.add.at(wanted, last + 1, -1)
        new = np.flatnonzero((wanted.cumsum()[:-1] > 0) & (self._states == _NEW))
        if len(new):
            with self._lock:
                for segment in new[self._states[new] == _NEW].tolist():
                    self._states[segment] = self._register(segment)
        refused = np.append(0, (self._states == _REFUSED).cumsum())
        readable[readable] = refused[first] == refused[last + 1]
        return readable

    def _register(self, segment: int) -> int:
        """Register a segment; return its new state."""
        start = segment * SEGMENT_BYTES
        size = min(SEGMENT_BYTES, self._nbytes - start)
        try:
            self._registry.register(self.address + start, size)
        except MemoryError as error:
            self.refused_bytes += size
            self.problem = str(error)
            return _REFUSED
        self._registered.append(self.address + start)
        return _REGISTERED


def _release(
    process: int, registry: HostRegistry, registered: list[int], memory: NDArray[np.uint8]
) -> None:
    """Undo what a map has registered, before the memory, which lives until then, is unmapped."""
    if os.getpid() == process:  # CUDA does not work in a fork
        for address in registered:
            registry.unregister(address)
