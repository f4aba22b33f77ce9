"""A bounded file of decoded arrays, which processes fill and read together, without a server.

    0      magic, version, size of the file, number of slots
    64     the first byte that no array has taken
    4096   slots of 64 bytes, found by key
    ...    arrays, one after the other, at multiples of 64 bytes

A slot is *claimed* (key and process), then *published* (key, place, shape and checksum). A slot
whose own checksum does not hold is free. A process writes an array before it publishes the slot, so
a process that dies leaves no half array behind: its claim passes to whoever wants the slot next.
Locks are held while slots are claimed and published; nobody locks to read. Arrays stay until the
file goes: an epoch reads every sample once, so to give one up for another gains nothing.

The CPU reads and writes arrays by `pread` and `pwrite` alone. A file in memory is mapped for
kernels, which can read it in no other way. Then the CPU reads the slots there, too.
"""

from __future__ import annotations

import fcntl
import os
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType
from ...engine.errors import ArgumentError
from ...engine.tensors.results import Empty
from . import layout
from .cache import Add, Cache, Hits, Kept, Located, Rows
from .layout import SLOTS, Slot

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ..on_cpu import CpuFallback

_BLOCK = 512  # bytes in the unit of `st_blocks`: stat(2)
LARGEST = 1 << 31
"""Bytes of an array that one system call does not read."""

BYTES_PER_SLOT = 8192
"""Size of the file for each slot. Smaller arrays fill the slots before the bytes."""

NEIGHBORS = 16
"""Slots that a key may have, one beside the other. They are read by one call."""

ROWS_OF_THREAD = 16
"""Arrays that a thread copies out of the cache, or into it, at a time. To hand a job to a thread
takes as long as to copy an image of a few KB."""


class SharedCache(Cache):
    """The cache of a host in one open file. Threads and processes may use it together.

    Args:
        descriptor: the file, open to read and write; `close` closes it.
        nbytes: the size of the file in bytes, index included.
        name: of the file, for messages.

    Raises:
        ArgumentError: the file is no cache of this version and size.
    """

    verifies: bool
    """Whether the checksum of each array that is read is checked."""

    def __init__(self, descriptor: int, nbytes: int, name: str) -> None:
        self.descriptor = descriptor
        self.nbytes = nbytes
        self.name = name
        self._slots = max(1, nbytes // BYTES_PER_SLOT)
        self._data_at = layout.rounded(layout.SLOTS_AT + (self._slots + NEIGHBORS) * layout.STEP)
        self._mutex = threading.Lock()
        self._may_write = True
        with self._locked():
            self._begin_or_check()

    def _begin_or_check(self) -> None:
        header = layout.HEADER.pack(layout.MAGIC, layout.VERSION, self.nbytes, self._slots)
        is_new = os.fstat(self.descriptor).st_size == 0
        present = header if is_new else os.pread(self.descriptor, layout.HEADER.size, 0)
        if present != header:
            raise ArgumentError(f"{self.name} {layout.difference(present)}")
        try:
            os.pwrite(self.descriptor, header, 0)
            os.ftruncate(self.descriptor, self.nbytes)  # again, if a process died before it
        except OSError:
            if is_new:
                os.ftruncate(self.descriptor, 0)
            raise

    @property
    def used(self) -> int:  # index included
        used = os.pread(self.descriptor, layout.USED_BYTES, layout.USED_AT)
        return min(max(int.from_bytes(used, "little"), self._data_at), self.nbytes)

    @property
    def resident(self) -> int:
        """Bytes of memory or disk that the file takes."""
        return os.fstat(self.descriptor).st_blocks * _BLOCK

    @property
    def room(self) -> int:
        with suppress(OSError):
            return self.nbytes - self.used if self._may_write else 0
        return 0

    def has_room(self, nbytes: int) -> bool:
        """Whether an array of this size may be stored."""
        return 0 < nbytes < LARGEST and nbytes <= self.room

    def find(self, key: bytes, dtype: DType, empty: Empty) -> Array | None:
        """Return a copy of an array.

        Args:
            key: of `KEY_BYTES` bytes.
            dtype: of the array; it follows from the key.
            empty: allocates C-contiguous memory for a shape and a dtype.

        Returns:
            The array, in memory of `empty`; None if it is not stored.
        """
        with suppress(OSError):  # of the disk: the sample is decoded again
            at, slot = layout.searched(self._neighbors(key), key)
            if slot is None or not slot.is_published:
                return None
            array = self._read(slot, dtype, empty)
            if array is not None:
                return array
            self._drop(self._home(key) + at * layout.STEP, slot)
        return None

    def find_all(self, keys: Sequence[bytes]) -> NDArray[np.void]:
        """Return the slots of several arrays, for `read_all`: (keys,) of the dtype `SLOTS`.

        Arrays that are not stored have 0 in `nbytes`.
        """
        found = np.zeros((len(keys), layout.WORDS), "<u8")
        with suppress(OSError):  # of the disk: the samples are decoded again
            wanted = np.frombuffer(b"".join(keys), "<u8").reshape(-1, 2)
            index, places, sound = self._index(keys, wanted)
            rows = np.arange(len(keys))
            for _ in range(NEIGHBORS):  # most arrays are in the first slot
                near, key = index[places[rows]], wanted[rows]
                same = (near[:, 0] == key[:, 0]) & (near[:, 1] == key[:, 1])
                same &= near[:, layout.NBYTES] > 0
                found[rows[same]] = near[same]
                rows = rows[~same]
                if not len(rows):
                    break
                places[rows] += 1
            self._clear_unsound(found, places, sound)
            self._clear_outside(found)
        slots: NDArray[np.void] = found.view(SLOTS)[:, 0]
        return slots

    def _index(
        self, keys: Sequence[bytes], wanted: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.bool_] | None]:
        """Return slots, as rows of words; which row is the first that each key may have; and of
        which rows the checksum is known to hold, if that can be known."""
        blocks = b"".join([self._neighbors(key) for key in keys])
        index = np.frombuffer(blocks, "<u8").reshape(-1, layout.WORDS)
        return index, np.arange(0, len(index), NEIGHBORS), None

    def _clear_unsound(
        self,
        found: NDArray[np.uint64],
        places: NDArray[np.intp],
        sound: NDArray[np.bool_] | None,
    ) -> None:
        """Clear found slots whose checksum does not hold.

        Args:
            found: the slots, as rows of words.
            places: their numbers.
            sound: by these numbers, whether the checksum is known to hold; or None.
        """
        is_unknown = found[:, layout.NBYTES] > 0
        if sound is not None:
            is_unknown &= ~sound[places]
        unknown = np.flatnonzero(is_unknown)
        if not len(unknown):
            return
        data, checks = found[unknown].tobytes(), found.view(SLOTS)["check"][unknown, 0]
        crcs = [
            zlib.crc32(data[start : start + layout.CHECKED_BYTES])
            for start in range(0, len(data), layout.STEP)
        ]
        holds = checks == crcs
        found[unknown[~holds]] = 0
        if sound is not None:
            sound[places[unknown[holds]]] = True

    def _clear_outside(self, found: NDArray[np.uint64]) -> None:
        """Clear found slots whose array lies not in the file: somebody may have forged them."""
        offset, nbytes = found[:, layout.NBYTES - 1], found[:, layout.NBYTES]
        first, end = np.uint64(self._data_at), np.uint64(self.nbytes)
        inside = (offset >= first) & (offset <= end) & (nbytes <= end - offset) & (nbytes < LARGEST)
        found[~inside] = 0

    def read_all(
        self, slots: NDArray[np.void], memory: memoryview, starts: NDArray[np.int64]
    ) -> list[int]:
        """Copy arrays into memory.

        Args:
            slots: their slots.
            memory: of bytes.
            starts: where each array begins in the memory.

        Returns:
            The numbers of the arrays that are damaged. `find` drops them.
        """
        sizes, offsets = slots["nbytes"].tolist(), slots["offset"].tolist()
        damaged = []
        for i, start in enumerate(starts.tolist()):
            pixels = memory[start : start + sizes[i]]
            try:
                whole = os.preadv(self.descriptor, [pixels], offsets[i]) == sizes[i]
            except OSError:
                whole = False
            if not whole or (self.verifies and _checksum(pixels) != slots["checksum"][i]):
                damaged.append(i)
        return damaged

    def _read(self, slot: Slot, dtype: DType, empty: Empty) -> Array | None:
        """Return the array of a slot; None if it is damaged."""
        is_inside = self._data_at <= slot.offset <= self.nbytes - slot.nbytes
        if not is_inside or not slot.nbytes == prod(slot.shape) * dtype.itemsize < LARGEST:
            return None  # somebody may have forged the slot
        array = empty(slot.shape, dtype)
        pixels = array.reshape(-1).view(np.uint8).data
        try:
            whole = os.preadv(self.descriptor, [pixels], slot.offset) == slot.nbytes
        except OSError:
            return None
        if self.verifies:
            whole = whole and _checksum(pixels) == slot.checksum
        return array if whole else None

    def store(self, key: bytes, array: Array) -> bool:
        """Store an array, unless it is there, or somebody else stores it, or there is no room.

        Args:
            key: of `KEY_BYTES` bytes.
            array: HWC, C-contiguous.

        Returns:
            Whether the array was stored.
        """
        pixels = array.reshape(-1).view(np.uint8).data
        if not self.has_room(pixels.nbytes):
            return False
        try:
            claim = self._claim(key, pixels.nbytes)
            if claim is None:
                return False
            place, offset = claim
            if os.pwrite(self.descriptor, pixels, offset) != pixels.nbytes:
                raise OSError("the disk is full")
            height, width, channels = array.shape
            checksum = _checksum(pixels) if self.verifies else 0
            slot = Slot(key, offset, pixels.nbytes, height, width, channels, checksum)
            with self._locked():
                self._write(place, layout.packed(slot))
        except OSError:  # no memory or disk is left: what is stored stays useful
            self._may_write = False
            return False
        return True

    def _claim(self, key: bytes, nbytes: int) -> tuple[int, int] | None:
        """Return the place of a slot that is this process's now, and the place of the array."""
        home = self._home(key)
        with self._locked():
            block = self._neighbors(key)
            at, slot = layout.searched(block, key)
            if slot is None:
                at = next((i for i in range(NEIGHBORS) if layout.unpacked(block, i) is None), -1)
            elif slot.is_published or _is_alive(slot.claimant):
                return None
            offset = self.used
            if at < 0 or offset + nbytes > self.nbytes:
                return None
            claimed = Slot(key, os.getpid(), 0, 0, 0, 0, 0)
            self._write(home + at * layout.STEP, layout.packed(claimed))
            used = layout.rounded(offset + nbytes).to_bytes(layout.USED_BYTES, "little")
            self._write(layout.USED_AT, used)
        return home + at * layout.STEP, offset

    def _drop(self, place: int, slot: Slot) -> None:
        """Free the slot of a damaged array, unless it has changed."""
        with self._locked():
            if os.pread(self.descriptor, layout.STEP, place) == layout.packed(slot):
                self._write(place, bytes(layout.STEP))
                self.damaged += 1

    def _home(self, key: bytes) -> int:
        return layout.SLOTS_AT + int.from_bytes(key[:8], "little") % self._slots * layout.STEP

    def _neighbors(self, key: bytes) -> bytes:
        near = os.pread(self.descriptor, NEIGHBORS * layout.STEP, self._home(key))
        return near.ljust(NEIGHBORS * layout.STEP, b"\0")  # somebody may have cut the file

    def _write(self, place: int, data: bytes) -> None:
        if os.pwrite(self.descriptor, data, place) != len(data):
            raise OSError("the disk is full")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._mutex:
            fcntl.lockf(self.descriptor, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.lockf(self.descriptor, fcntl.LOCK_UN)

    # Batches of a device

    def _stored(self, keys: Sequence[bytes], dtype: DType) -> tuple[Hits, NDArray[np.void]]:
        """Return the arrays of a batch that are stored, without their memory; and their slots."""
        slots = self.find_all(keys)
        shapes = slots["shape"].astype(np.int64)
        sizes = shapes.prod(axis=1) * dtype.itemsize
        is_stored = (slots["nbytes"] > 0) & (slots["nbytes"] == sizes)
        rows, slots = np.flatnonzero(is_stored), slots[is_stored]
        none = np.empty(0, np.int64)
        return Hits(self, rows, shapes[rows], none, None, keys, ~is_stored), slots

    def place(self, device: Device, kept: Kept, dtype: DType) -> Located:
        written = device.scratch(kept.shapes, dtype)
        return written.pointers(), written

    def add(self, batch: BatchContext, kept: Kept, memory: Any, threads: CpuFallback) -> Add:
        arrays = batch.device.to_host(memory, batch.empty)

        def store(chosen: list[int]) -> int:
            return sum(self.store(kept.keys[i], arrays.row(i)) for i in chosen)

        def store_all(chosen: Rows) -> int:
            stores: list[int] = []
            parts = [chosen[part].tolist() for part in parts_of(len(chosen))]
            threads.run_jobs(lambda part: stores.append(store(part)), parts)
            return sum(stores)

        return store_all

    def remark(self, *, on_gpu: bool) -> str:
        return f"cache: {self.used / 1e6:.1f} of {self.nbytes / 1e6:.1f} MB are taken"

    def close(self) -> None:
        descriptor, self.descriptor = self.descriptor, -1
        os.close(descriptor)


def _checksum(pixels: memoryview) -> int:
    return zlib.crc32(pixels)


def parts_of(count: int) -> list[slice]:
    """Divide so many arrays among threads."""
    return [slice(at, at + ROWS_OF_THREAD) for at in range(0, count, ROWS_OF_THREAD)]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's
        return True
    return True
