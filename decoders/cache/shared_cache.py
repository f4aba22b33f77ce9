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

The CPU reads and writes arrays by `pread` and `pwrite` alone. With a mapped file, a full disk or a
failed one would end the process, page tables of every process would grow with the file, and results
would be views of it. A file in memory is mapped for kernels, which can read it in no other way.
Then the CPU reads the slots there, too.
"""

from __future__ import annotations

import fcntl
import os
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.tensors.results import Empty
from .mapped_cache import MappedCache

if TYPE_CHECKING:
    from ...engine.gpu.host_registry import HostRegistry

VERSION = 2
KEY_BYTES = 16

_MAGIC = b"PENSTOCK"
_HEADER = struct.Struct("<8sQQQ")
_SLOT = struct.Struct("<16sQQIIII")  # key, offset, bytes, shape, checksum of the array
SLOTS = np.dtype(
    [
        ("key", "<u8", 2),
        ("offset", "<u8"),
        ("nbytes", "<u8"),
        ("shape", "<u4", 3),
        ("checksum", "<u4"),
        ("check", "<u4"),
        ("rest", "V12"),
    ]
)
"""The same slots in NumPy, with the slot's own checksum."""

_USED_AT, _USED_BYTES = 64, 8
_SLOTS_AT = 4096
_STEP = 64
_WORDS, _NBYTES = _STEP // 8, 3  # 64-bit words of a slot, and which of them is `nbytes`
_BLOCK = 512  # bytes in the unit of `st_blocks`: stat(2)
LARGEST = 1 << 31
"""Bytes of an array that one system call does not read."""

BYTES_PER_SLOT = 8192
"""Size of the file for each slot. Smaller arrays fill the slots before the bytes."""

NEIGHBORS = 16
"""Slots that a key may have, one beside the other. They are read by one call."""


class _Slot(NamedTuple):
    key: bytes
    offset: int
    nbytes: int
    height: int
    width: int
    channels: int
    checksum: int

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.height, self.width, self.channels

    @property
    def is_published(self) -> bool:
        return self.nbytes > 0

    @property
    def claimant(self) -> int:
        """The process that claimed the slot, while it is not published."""
        return self.offset


class SharedCache:
    """The cache in one open file. Threads and processes may use it together.

    Args:
        descriptor: the file, open to read and write; `close` closes it.
        nbytes: the size of the file in bytes, index included.
        name: of the file, for messages.
        verify: whether to check the checksum of each array that is read: a disk may lose pages when
            the power fails, and may be damaged.

    Attributes:
        damaged: number of arrays that this process found damaged, and dropped.

    Raises:
        ArgumentError: the file is no cache of this version and size.
    """

    def __init__(self, descriptor: int, nbytes: int, name: str, *, verify: bool) -> None:
        self.descriptor = descriptor
        self.nbytes = nbytes
        self.name = name
        self.damaged = 0
        self._verify = verify
        self._slots = max(1, nbytes // BYTES_PER_SLOT)
        self._data_at = _rounded(_SLOTS_AT + (self._slots + NEIGHBORS) * _STEP)
        self._mutex = threading.Lock()
        self._may_write = True
        self._mapped: MappedCache | None = None
        self._sound: NDArray[np.bool_]  # by slot, in memory: whether its checksum was verified
        with self._locked():
            self._begin_or_check()

    def _begin_or_check(self) -> None:
        header = _HEADER.pack(_MAGIC, VERSION, self.nbytes, self._slots)
        is_new = os.fstat(self.descriptor).st_size == 0
        present = header if is_new else os.pread(self.descriptor, _HEADER.size, 0)
        if present != header:
            raise ArgumentError(f"{self.name} {_difference(present)}")
        try:
            os.pwrite(self.descriptor, header, 0)
            os.ftruncate(self.descriptor, self.nbytes)  # again, if a process died before it
        except OSError:
            if is_new:
                os.ftruncate(self.descriptor, 0)
            raise

    @property
    def used(self) -> int:
        """Bytes of the file that are taken, index included."""
        used = int.from_bytes(os.pread(self.descriptor, _USED_BYTES, _USED_AT), "little")
        return min(max(used, self._data_at), self.nbytes)

    @property
    def resident(self) -> int:
        """Bytes of memory or disk that the file takes."""
        return os.fstat(self.descriptor).st_blocks * _BLOCK

    @property
    def room(self) -> int:
        """Bytes that arrays may still take."""
        with suppress(OSError):
            return self.nbytes - self.used if self._may_write else 0
        return 0

    def has_room(self, nbytes: int) -> bool:
        """Whether an array of this size may be stored."""
        return 0 < nbytes < LARGEST and nbytes <= self.room

    def mapped(self, registry: HostRegistry) -> MappedCache:
        """Return the map of the file, which is in memory; the process has one.

        Raises:
            ArgumentError: the process may have no more addresses.
        """
        with self._mutex:
            if self._mapped is None:
                try:
                    self._sound = np.zeros(self._slots + NEIGHBORS, np.bool_)
                    self._mapped = MappedCache(self.descriptor, self.nbytes, registry)
                except OSError as error:
                    raise ArgumentError(
                        f"cache_size is {self.nbytes >> 20} MiB, but the process may not have as "
                        f"many more addresses ({error}); raise the limit (`ulimit -v`), or cache a "
                        "part of the data set"
                    ) from error
            return self._mapped

    def find(self, key: bytes, dtype: np.dtype[Any], empty: Empty) -> Array | None:
        """Return a copy of an array.

        Args:
            key: of `KEY_BYTES` bytes.
            dtype: of the array; it follows from the key.
            empty: allocates C-contiguous memory for a shape and a dtype.

        Returns:
            The array, in memory of `empty`; None if it is not stored.
        """
        with suppress(OSError):  # of the disk: the sample is decoded again
            at, slot = self._search(self._neighbors(key), key)
            if slot is None or not slot.is_published:
                return None
            array = self._read(slot, dtype, empty)
            if array is not None:
                return array
            self._drop(self._home(key) + at * _STEP, slot)
        return None

    def find_all(self, keys: Sequence[bytes]) -> NDArray[np.void]:
        """Return the slots of several arrays, for `read_all`: (keys,) of the dtype `SLOTS`.

        Arrays that are not stored have 0 in `nbytes`.
        """
        found = np.zeros((len(keys), _WORDS), "<u8")
        with suppress(OSError):  # of the disk: the samples are decoded again
            wanted = np.frombuffer(b"".join(keys), "<u8").reshape(-1, 2)
            mapped = self._mapped
            index, places = self._index(mapped, keys, wanted)
            rows = np.arange(len(keys))
            for _ in range(NEIGHBORS):  # most arrays are in the first slot
                near, key = index[places[rows]], wanted[rows]
                same = (near[:, 0] == key[:, 0]) & (near[:, 1] == key[:, 1])
                same &= near[:, _NBYTES] > 0
                found[rows[same]] = near[same]
                rows = rows[~same]
                if not len(rows):
                    break
                places[rows] += 1
            self._clear_unsound(found, None if mapped is None else places)
            self._clear_outside(found)
        slots: NDArray[np.void] = found.view(SLOTS)[:, 0]
        return slots

    def _index(
        self, mapped: MappedCache | None, keys: Sequence[bytes], wanted: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
        """Return slots as rows of words, and which row is the first that each key may have."""
        if mapped is None:
            blocks = b"".join([self._neighbors(key) for key in keys])
            index = np.frombuffer(blocks, "<u8").reshape(-1, _WORDS)
            return index, np.arange(0, len(index), NEIGHBORS)
        # Hundreds of system calls a batch, each of which gives up the GIL, would take longer.
        index = mapped.memory[_SLOTS_AT : self._data_at].view("<u8").reshape(-1, _WORDS)
        return index, (wanted[:, 0] % self._slots).astype(np.intp)

    def _clear_unsound(self, found: NDArray[np.uint64], places: NDArray[np.intp] | None) -> None:
        """Clear found slots whose checksum does not hold.

        Args:
            found: the slots, as rows of words.
            places: their numbers, in memory, where each slot is checked once; or None.
        """
        is_unknown = found[:, _NBYTES] > 0
        if places is not None:
            is_unknown &= ~self._sound[places]
        unknown = np.flatnonzero(is_unknown)
        if not len(unknown):
            return
        data, checks = found[unknown].tobytes(), found.view(SLOTS)["check"][unknown, 0]
        starts = range(0, len(data), _STEP)
        sound = checks == [zlib.crc32(data[start : start + _SLOT.size]) for start in starts]
        found[unknown[~sound]] = 0
        if places is not None:
            self._sound[places[unknown[sound]]] = True

    def _clear_outside(self, found: NDArray[np.uint64]) -> None:
        """Clear found slots whose array lies not in the file: somebody may have forged them."""
        offset, nbytes = found[:, _NBYTES - 1], found[:, _NBYTES]
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
            if not whole or (self._verify and _checksum(pixels) != slots["checksum"][i]):
                damaged.append(i)
        return damaged

    def _read(self, slot: _Slot, dtype: np.dtype[Any], empty: Empty) -> Array | None:
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
        return array if whole and (not self._verify or _checksum(pixels) == slot.checksum) else None

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
            checksum = _checksum(pixels) if self._verify else 0
            slot = _Slot(key, offset, pixels.nbytes, height, width, channels, checksum)
            with self._locked():
                self._write(place, _packed(slot))
        except OSError:  # no memory or disk is left: what is stored stays useful
            self._may_write = False
            return False
        return True

    def _claim(self, key: bytes, nbytes: int) -> tuple[int, int] | None:
        """Return the place of a slot that is this process's now, and the place of the array."""
        home = self._home(key)
        with self._locked():
            block = self._neighbors(key)
            at, slot = self._search(block, key)
            if slot is None:
                at = next((i for i in range(NEIGHBORS) if _unpacked(block, i) is None), -1)
            elif slot.is_published or _is_alive(slot.claimant):
                return None
            offset = self.used
            if at < 0 or offset + nbytes > self.nbytes:
                return None
            claimed = _Slot(key, os.getpid(), 0, 0, 0, 0, 0)
            self._write(home + at * _STEP, _packed(claimed))
            self._write(_USED_AT, _rounded(offset + nbytes).to_bytes(_USED_BYTES, "little"))
        return home + at * _STEP, offset

    def _drop(self, place: int, slot: _Slot) -> None:
        """Free the slot of a damaged array, unless it has changed."""
        with self._locked():
            if os.pread(self.descriptor, _STEP, place) == _packed(slot):
                self._write(place, bytes(_STEP))
                self.damaged += 1

    def _home(self, key: bytes) -> int:
        return _SLOTS_AT + int.from_bytes(key[:8], "little") % self._slots * _STEP

    def _neighbors(self, key: bytes) -> bytes:
        near = os.pread(self.descriptor, NEIGHBORS * _STEP, self._home(key))
        return near.ljust(NEIGHBORS * _STEP, b"\0")  # somebody may have cut the file

    @staticmethod
    def _search(block: bytes, key: bytes) -> tuple[int, _Slot | None]:
        """Return the number and the content of the slot that holds `key`: -1, None if none does."""
        offset = block.find(key)
        while offset >= 0:
            number, rest = divmod(offset, _STEP)
            slot = None if rest else _unpacked(block, number)
            if slot is not None:
                return number, slot
            offset = block.find(key, offset + 1)
        return -1, None

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

    def close(self) -> None:
        """Close the file. Threads that are late find nothing, and store nothing."""
        self._mapped = None
        descriptor, self.descriptor = self.descriptor, -1
        os.close(descriptor)


def _checksum(pixels: memoryview) -> int:
    return zlib.crc32(pixels)


def _rounded(nbytes: int) -> int:
    return -(-nbytes // _STEP) * _STEP


def _packed(slot: _Slot) -> bytes:
    packed = _SLOT.pack(*slot)
    return (packed + zlib.crc32(packed).to_bytes(4, "little")).ljust(_STEP, b"\0")


def _unpacked(block: bytes, number: int) -> _Slot | None:
    """Return the content of a slot; None if it is free."""
    data = block[number * _STEP : (number + 1) * _STEP]
    packed = data[: _SLOT.size]
    check = data[_SLOT.size : _SLOT.size + 4]
    if zlib.crc32(packed) != int.from_bytes(check, "little") or not any(check):
        return None
    return _Slot._make(_SLOT.unpack(packed))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's
        return True
    return True


def _difference(header: bytes) -> str:
    """Return what a file is whose header is not the expected one."""
    if len(header) == _HEADER.size:
        magic, version, nbytes, _ = _HEADER.unpack(header)
        if magic == _MAGIC and version == VERSION:
            return (
                f"was made with cache_size={nbytes >> 20}; pass that, name another folder, or "
                "remove the file"
            )
    return "is damaged, or no cache of decoded samples; remove the file, or name another folder"
