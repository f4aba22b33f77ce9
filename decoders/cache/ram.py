"""The cache in memory: a file without a name, and its map, for kernels that read it over the bus.

The file goes with the last process that has it open, however that process ends. Other processes
find it by a *register*, a small text file that lists which processes have the cache open, and by
which descriptor: they open /proc/PROCESS/fd/DESCRIPTOR.

The file is mapped whole, and registered with CUDA in segments: each one when an array in it is
first wanted. An array may lie in several segments, whose addresses follow one another. All users
in a process share one map, because CUDA registers memory once for all devices.

The map goes with the last reference to the cache. So batches hold the cache until the device has
done their work, and a pipeline may be closed before.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.closing import close_after
from ...engine.errors import ArgumentError
from ...engine.machine import memory_of_machine
from ...engine.tensors.alignment import address_of_host
from ...engine.tensors.arena import beyond_standard_streams
from . import layout
from .cache import MIB, Hits, Located
from .own_file import open_own
from .shared_cache import NEIGHBORS, SharedCache

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.gpu.host_registry import HostRegistry
    from ...engine.graph.context import BatchContext
    from ..on_cpu import CpuFallback

SEGMENT_BYTES = 64 << 20
"""Memory that is registered at a time. A segment then has all of its memory, also where no array
lies yet."""

_NEW, _REGISTERED, _REFUSED = range(3)

_Holder = tuple[int, int]
"""A process and its descriptor of a cache."""


class RamCache(SharedCache):
    """See `SharedCache`.

    Attributes:
        memory: once it is mapped, the file's bytes: (nbytes,) uint8.
        address: of the file's first byte, on the host and on all devices.
        refused_bytes: size of the segments that cannot be registered.
        problem: why not, or "".
    """

    verifies = False

    def __init__(self, descriptor: int, nbytes: int, name: str) -> None:
        super().__init__(descriptor, nbytes, name)
        self.memory: NDArray[np.uint8] | None = None
        self.address = 0
        self.refused_bytes = 0
        self.problem = ""
        self._sound = np.zeros(0, np.bool_)  # by slot: whether its checksum was verified
        self._states = np.full(-(-nbytes // SEGMENT_BYTES), _NEW)
        self._registered: list[int] = []  # addresses
        self._mapping = threading.Lock()

    @classmethod
    def open(cls, mebibytes: int) -> RamCache:
        """Open the cache of a size that other processes of the user have open, or make it.

        Raises:
            ArgumentError: the host has less memory, or the register cannot be used.
        """
        memory = memory_of_machine()
        if mebibytes * MIB > memory:
            raise ArgumentError(
                f"cache_size is {mebibytes} MiB, but the host has {memory // MIB} MiB of memory; "
                "cache a part of the data set, or use cache='disk'"
            )
        with _register(mebibytes) as register:
            holders = register.living()
            shared = _of_another(holders)
            descriptor = beyond_standard_streams(
                os.memfd_create(register.name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
                if shared is None
                else shared
            )
            try:
                cache = cls(descriptor, mebibytes * MIB, "the cache in memory")
            except BaseException:
                os.close(descriptor)
                raise
            if shared is None:  # to cut a file would end the processes that read its map
                fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
            register.write([*holders, (os.getpid(), descriptor)])
        return cache

    def close(self) -> None:
        super().close()
        with _register(self.nbytes // MIB) as register:
            register.write(register.living())

    def map_for(self, registry: HostRegistry) -> None:
        """Map the file for kernels; idempotent.

        Raises:
            ArgumentError: the process may have no more addresses.
        """
        with self._mapping:
            if self.memory is not None:
                return
            try:
                sound = np.zeros(self._slots + NEIGHBORS, np.bool_)
                # Writable, because not every device can register memory that is only readable.
                memory = np.frombuffer(mmap.mmap(self.descriptor, self.nbytes), np.uint8)
            except OSError as error:
                raise ArgumentError(
                    f"cache_size is {self.nbytes >> 20} MiB, but the process may not have as "
                    f"many more addresses ({error}); raise the limit (`ulimit -v`), or cache a "
                    "part of the data set"
                ) from error
            self.address, self._sound, self._registry = address_of_host(memory), sound, registry
            released = os.getpid(), registry, self._registered, memory
            close_after(self, _release, *released).atexit = False
            self.memory = memory

    def _index(
        self, keys: Sequence[bytes], wanted: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.bool_] | None]:
        if self.memory is None or self.descriptor < 0:
            return super()._index(keys, wanted)
        # Hundreds of system calls a batch, each of which gives up the GIL, would take longer.
        index = self.memory[layout.SLOTS_AT : self._data_at].view("<u8").reshape(-1, layout.WORDS)
        return index, (wanted[:, 0] % self._slots).astype(np.intp), self._sound

    def find_rows(
        self, keys: Sequence[bytes], dtype: DType, batch: BatchContext, threads: CpuFallback
    ) -> Hits:
        stored, slots = self._stored(keys, dtype)
        starts = slots["offset"].astype(np.int64)
        there = self.readable(starts, slots["nbytes"].astype(np.int64))
        rows, shapes = stored.rows[there], stored.shapes[there]
        return Hits(self, rows, shapes, starts[there], None, keys, stored.is_new)

    def locate(self, device: Device, hits: Hits) -> Located:
        device.hold(self)
        return (self.address + hits.starts).astype(np.uint64), None

    def readable(self, offsets: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Register the memory of arrays; return which of them kernels may read: (arrays,).

        Args:
            offsets: where the arrays begin in the file: (arrays,).
            sizes: in bytes, at least 1: (arrays,).
        """
        readable = (offsets >= 0) & (offsets <= self.nbytes - sizes)
        first = offsets[readable] // SEGMENT_BYTES
        last = (offsets + sizes - 1)[readable] // SEGMENT_BYTES
        wanted = np.zeros(len(self._states) + 1, np.int64)
        np.add.at(wanted, first, 1)
        np.add.at(wanted, last + 1, -1)
        new = np.flatnonzero((wanted.cumsum()[:-1] > 0) & (self._states == _NEW))
        if len(new):
            with self._mapping:
                for segment in new[self._states[new] == _NEW].tolist():
                    self._states[segment] = self._register_segment(segment)
        refused = np.append(0, (self._states == _REFUSED).cumsum())
        readable[readable] = refused[first] == refused[last + 1]
        return readable

    def _register_segment(self, segment: int) -> int:
        """Register a segment; return its new state."""
        start = segment * SEGMENT_BYTES
        size = min(SEGMENT_BYTES, self.nbytes - start)
        try:
            self._registry.register(self.address + start, size)
        except MemoryError as error:
            self.refused_bytes += size
            self.problem = str(error)
            return _REFUSED
        self._registered.append(self.address + start)
        return _REGISTERED

    def remark(self, *, on_gpu: bool) -> str:
        unread = ""
        if on_gpu and self.refused_bytes:
            unread = (
                f"; the GPU cannot read {self.refused_bytes / 1e6:.1f} MB of them "
                f"({self.problem}), and decodes their images again"
            )
        return super().remark(on_gpu=on_gpu) + unread


def _release(
    process: int, registry: HostRegistry, registered: list[int], memory: NDArray[np.uint8]
) -> None:
    """Undo what a map has registered, before the memory, which lives until then, is unmapped."""
    if os.getpid() == process:  # CUDA does not work in a fork
        for address in registered:
            registry.unregister(address)


class _Register:
    """The locked file that lists the processes that have a cache in memory open."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.name = path.name
        self._path = path
        self._descriptor = descriptor

    def living(self) -> list[_Holder]:
        """Return the processes that still have the cache open."""
        text = os.pread(self._descriptor, 1 << 20, 0).decode(errors="replace")
        holders = []
        for line in text.splitlines():
            with suppress(ValueError):
                process, descriptor = map(int, line.split())
                holders.append((process, descriptor))
        return [holder for holder in holders if self._holds(holder)]

    def _holds(self, holder: _Holder) -> bool:
        # The number of a process that has ended may be another's now.
        with suppress(OSError):
            return os.readlink(_path_of(holder)).startswith(f"/memfd:{self.name} ")
        return False

    def write(self, holders: list[_Holder]) -> None:
        """List these processes; without any, remove the file."""
        if not holders:
            self._path.unlink(missing_ok=True)
            return
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, "".join(f"{p} {d}\n" for p, d in holders).encode(), 0)


def _of_another(holders: Sequence[_Holder]) -> int | None:
    """Open the cache that other processes have open; return None if they have ended meanwhile."""
    for holder in holders:
        with suppress(OSError):
            return os.open(_path_of(holder), os.O_RDWR | os.O_CLOEXEC)
    return None


def _path_of(holder: _Holder) -> str:
    return f"/proc/{holder[0]}/fd/{holder[1]}"


@contextmanager
def _register(mebibytes: int) -> Iterator[_Register]:
    """Lock the register of the cache of a size; make it if it is missing."""
    shared = Path("/dev/shm")  # each host has its own, unlike a folder for temporary files
    folder = shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())
    path = folder / f"penstock-cache-{layout.VERSION}-{os.getuid()}-{mebibytes}"
    while True:
        try:
            descriptor = open_own(path)
        except OSError as error:
            raise ArgumentError(
                f"cache='ram' needs the file {path}, which cannot be opened: {error}"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, path):
                yield _Register(path, descriptor)
                return
        finally:
            os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the file that was locked is still the one of this name: others may remove it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    return False
