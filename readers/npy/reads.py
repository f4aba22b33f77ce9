"""Planned reads of arrays, carried out for a whole batch, in all files together."""

from __future__ import annotations

import mmap
import os
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from time import perf_counter
from typing import Any

import numpy as np

from ...engine.arrays import Bytes
from ...engine.errors import SourceError
from ...engine.pending import Later, Pending, Then, wait_all
from ..source import Allocate
from ..storage.local_reads import OPEN_FLAGS, PIECE_BYTES
from ..storage.read_team import READ_TEAM
from ..storage.storage import Storage
from .mapped_copies import MappedCopies
from .region_reads import (
    ByteRanges,
    DirectRange,
    RegionRead,
    StagedRanges,
    byte_ranges_of,
    staged_nbytes,
)

COPIED_BYTES_PER_READ = 16 << 10
"""Bytes that are copied while a read holds the GIL: with shorter reads, threads only wait for one
another; with reads n times as long, n threads can copy."""


def carry_out(
    parts: Sequence[RegionRead],
    allocate: Allocate,
    *,
    threads: int,
    o_direct: bool = False,
    mapped: MappedCopies | None = None,
) -> bool:
    """Read all regions of a batch; return whether all were copied out of maps.

    Args:
        parts: regions of local and remote files.
        allocate: see `Source.read`.
        threads: threads that read local files, at most.
        o_direct: read local files past the page cache, where the file system allows it.
        mapped: copies regions of local files out of maps, unless `o_direct` is set.

    Raises:
        OSError: a file cannot be read. SourceError if it became shorter.
    """
    remote = [part for part in parts if part.storage.identity is None]
    if not remote:
        return _read_all_local(parts, allocate, threads, o_direct, mapped)
    local = [part for part in parts if part.storage.identity is not None]
    here = Later(lambda: _read_all_local(local, allocate, threads, o_direct, mapped))
    wait_all(chain([here], _start_remote(byte_ranges_of(remote), allocate)))
    return False


def _read_all_local(
    local: Sequence[RegionRead],
    allocate: Allocate,
    threads: int,
    o_direct: bool,
    mapped: MappedCopies | None,
) -> bool:
    """Read regions of local files; return whether all were copied out of maps."""
    if o_direct:
        _read_local(byte_ranges_of(local), allocate, _UncachedReader, threads)
    else:
        left = local if mapped is None else mapped.copy(local)
        if not left:
            return True
        started = perf_counter()
        waiting = _read_local(byte_ranges_of(left), allocate, _CachedReader, threads)
        if mapped is not None:
            mapped.count(left, perf_counter() - started)
        if waiting:
            _read_local(waiting, allocate, _WaitingReader, threads)
    return False


def _start_remote(work: Sequence[ByteRanges], allocate: Allocate) -> Iterator[Pending[Any]]:
    for _, group in groupby(work, key=lambda piece: id(piece.storage)):
        members, offsets, buffers, blocks = list(group), [], [], []
        for piece in members:
            if isinstance(piece, DirectRange):
                offsets.append(piece.offset)
                buffers.append(piece.buffer)
                continue
            length = piece.grid.length
            block = allocate((len(piece.offsets) * length,), np.uint8)
            offsets += piece.offsets.tolist()
            buffers += [block[at : at + length] for at in range(0, len(block), length)]
            blocks.append((piece, block))
        yield Then(members[0].storage.start_read(offsets, buffers), partial(_put_all, blocks))


def _put_all(blocks: Sequence[tuple[StagedRanges, Bytes]], _: None) -> None:
    for staged, block in blocks:
        staged.put(block)


class _RangeReader(ABC):
    """A thread's way to read byte ranges, with a block of its own for staged ranges."""

    def __init__(self, allocate: Allocate) -> None:
        self._allocate = allocate
        self._block: Bytes = np.empty(0, np.uint8)

    @abstractmethod
    def read(self, storage: Storage, offset: int, buffer: Bytes) -> bool:
        """Fill the buffer; return False if that would wait for the disk."""

    def do(self, piece: ByteRanges) -> bool:
        """Read byte ranges; return False if that would wait for the disk."""
        storage = piece.storage
        if isinstance(piece, DirectRange):
            return self.read(storage, piece.offset, piece.buffer)
        size, length = _size(piece), piece.grid.length
        if self._block.size < size:
            self._block = self._allocate((max(size, staged_nbytes()),), np.uint8)
        block = self._block
        were_cached = [
            self.read(storage, offset, block[i * length : (i + 1) * length])
            for i, offset in enumerate(piece.offsets.tolist())
        ]  # all of them, so that the disk is asked for all missing bytes
        if all(were_cached):
            piece.put(block)
        return all(were_cached)


class _CachedReader(_RangeReader):
    """Reads bytes that the page cache holds, and has the kernel fetch the others."""

    def read(self, storage: Storage, offset: int, buffer: Bytes) -> bool:
        return storage.fill_cached(offset, buffer)


class _WaitingReader(_RangeReader):
    """Reads any bytes, and waits for the disk."""

    def read(self, storage: Storage, offset: int, buffer: Bytes) -> bool:
        storage.wait_for(offset, buffer)
        return True


_BLOCK = 4096  # O_DIRECT demands multiples of it as offsets, lengths and addresses


class _UncachedReader(_WaitingReader):
    """Reads past the page cache, through a buffer that is aligned as O_DIRECT demands."""

    def __init__(self, allocate: Allocate) -> None:
        super().__init__(allocate)
        self._bounce = np.frombuffer(mmap.mmap(-1, staged_nbytes() + 2 * _BLOCK), np.uint8)

    def read(self, storage: Storage, offset: int, buffer: Bytes) -> bool:
        try:
            assert storage.path is not None
            fd = os.open(storage.path, OPEN_FLAGS | os.O_DIRECT)
        except (OSError, AttributeError):  # O_DIRECT is one of Linux
            warnings.warn(
                f"the file system of {storage.name} does not allow O_DIRECT: it is read through "
                "the page cache; leave use_o_direct out",
                stacklevel=2,
            )
            return super().read(storage, offset, buffer)
        try:
            for at in range(0, buffer.size, staged_nbytes()):
                self._read_piece(fd, storage.name, offset + at, buffer[at : at + staged_nbytes()])
        finally:
            os.close(fd)
        return True

    def _read_piece(self, fd: int, name: str, offset: int, buffer: Bytes) -> None:
        lead = offset % _BLOCK
        length = -(-(lead + buffer.size) // _BLOCK) * _BLOCK
        count = os.preadv(fd, (self._bounce[:length].data,), offset - lead)
        if count < lead + buffer.size:
            raise SourceError(f"{name}: the file ends before byte {offset + buffer.size}")
        buffer[:] = self._bounce[lead : lead + buffer.size]


def _read_local(
    work: Sequence[ByteRanges], allocate: Allocate, way: type[_RangeReader], threads: int
) -> list[ByteRanges]:
    """Read in as many threads as pay; return the byte ranges that were not in memory."""
    pieces = list(_divided(work))
    waiting: list[ByteRanges] = []
    own = threading.local()

    def take(piece: ByteRanges) -> None:
        if not hasattr(own, "way"):
            own.way = way(allocate)
        if not own.way.do(piece):
            waiting.append(piece)

    READ_TEAM.run_jobs(take, pieces, min(threads, _worth_threads(pieces)))
    return waiting


def _divided(work: Sequence[ByteRanges]) -> Iterator[ByteRanges]:
    for piece in work:
        if isinstance(piece, DirectRange) and piece.buffer.size > PIECE_BYTES:
            storage, offset, buffer = piece
            for at in range(0, buffer.size, PIECE_BYTES):
                yield DirectRange(storage, offset + at, buffer[at : at + PIECE_BYTES])
        else:
            yield piece


def _worth_threads(pieces: Sequence[ByteRanges]) -> int:
    nbytes, reads = sum(map(_size, pieces)), sum(map(_reads, pieces))
    return min(nbytes // PIECE_BYTES, max(2, nbytes // (COPIED_BYTES_PER_READ * max(1, reads))))


def _size(piece: ByteRanges) -> int:
    return (
        int(piece.buffer.size)
        if isinstance(piece, DirectRange)
        else _reads(piece) * piece.grid.length
    )


def _reads(piece: ByteRanges) -> int:
    return 1 if isinstance(piece, DirectRange) else piece.tile.reads.stop - piece.tile.reads.start
