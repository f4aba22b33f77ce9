"""Planned reads of arrays, carried out for a whole batch, in all files together."""

from __future__ import annotations

import mmap
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
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
        _read_local(byte_ranges_of(local), allocate, _Uncached().fill, threads)
    else:
        left = local if mapped is None else mapped.copy(local)
        if not left:
            return True
        started = perf_counter()
        waiting = _read_local(byte_ranges_of(left), allocate, _fill_cached, threads)
        if mapped is not None:
            mapped.count(left, perf_counter() - started)
        if waiting:
            _read_local(waiting, allocate, _fill_waiting, threads)
    return False


def _start_remote(work: Sequence[ByteRanges], allocate: Allocate) -> Iterator[Pending[Any]]:
    for _, group in groupby(work, key=lambda piece: id(piece.storage)):
        pieces, offsets, buffers, blocks = list(group), [], [], []
        for piece in pieces:
            if isinstance(piece, DirectRange):
                offsets.append(piece.offset)
                buffers.append(piece.buffer)
                continue
            block = allocate((piece.nbytes,), np.uint8)
            offsets += piece.offsets.tolist()
            buffers += piece.buffers(block)
            blocks.append((piece, block))
        yield Then(pieces[0].storage.start_read(offsets, buffers), partial(_put_all, blocks))


def _put_all(blocks: Sequence[tuple[StagedRanges, Bytes]], _: None) -> None:
    for staged, block in blocks:
        staged.put(block)


Fill = Callable[[Storage, int, Bytes], bool]
"""`fill(storage, offset, buffer)` fills the buffer; it returns False if that would wait for the
disk."""


def _fill_cached(storage: Storage, offset: int, buffer: Bytes) -> bool:
    """Read bytes that the page cache holds; have the kernel fetch the others."""
    return storage.fill_cached(offset, buffer)


def _fill_waiting(storage: Storage, offset: int, buffer: Bytes) -> bool:
    """Read any bytes, and wait for the disk."""
    storage.wait_for(offset, buffer)
    return True


_BLOCK = 4096  # O_DIRECT demands multiples of it as offsets, lengths and addresses


class _Uncached(threading.local):
    """Reads past the page cache, through a buffer that is aligned as O_DIRECT demands."""

    def __init__(self) -> None:
        self._bounce = np.frombuffer(mmap.mmap(-1, staged_nbytes() + 2 * _BLOCK), np.uint8)

    def fill(self, storage: Storage, offset: int, buffer: Bytes) -> bool:
        """Read any bytes, and wait for the disk."""
        try:
            assert storage.path is not None
            fd = os.open(storage.path, OPEN_FLAGS | os.O_DIRECT)
        except (OSError, AttributeError):  # O_DIRECT is one of Linux
            warnings.warn(
                f"the file system of {storage.name} does not allow O_DIRECT: it is read through "
                "the page cache; leave use_o_direct out",
                stacklevel=2,
            )
            return _fill_waiting(storage, offset, buffer)
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


class _Staging(threading.local):
    """A block of memory of each thread, for the bytes of staged ranges."""

    def __init__(self, allocate: Allocate) -> None:
        self._allocate = allocate
        self._block: Bytes = np.empty(0, np.uint8)

    def block(self, nbytes: int) -> Bytes:
        """Return a block of so many bytes at least."""
        if self._block.size < nbytes:
            self._block = self._allocate((max(nbytes, staged_nbytes()),), np.uint8)
        return self._block


def _read_local(
    work: Sequence[ByteRanges], allocate: Allocate, fill: Fill, threads: int
) -> list[ByteRanges]:
    """Read in as many threads as pay; return the byte ranges that were not in memory."""
    pieces = list(_divided(work))
    waiting: list[ByteRanges] = []
    staging = _Staging(allocate)

    def read(piece: ByteRanges) -> None:
        if isinstance(piece, DirectRange):
            filled = fill(*piece)
        else:
            filled = _read_staged(piece, staging.block(piece.nbytes), fill)
        if not filled:
            waiting.append(piece)

    READ_TEAM.run_jobs(read, pieces, min(threads, _worth_threads(pieces)))
    return waiting


def _read_staged(staged: StagedRanges, block: Bytes, fill: Fill) -> bool:
    buffers = staged.buffers(block)
    # All of them are asked for, so that the disk fetches all missing bytes.
    filled = [
        fill(staged.storage, *read) for read in zip(staged.offsets.tolist(), buffers, strict=True)
    ]
    if all(filled):
        staged.put(block)
    return all(filled)


def _divided(work: Sequence[ByteRanges]) -> Iterator[ByteRanges]:
    for piece in work:
        if isinstance(piece, DirectRange) and piece.buffer.size > PIECE_BYTES:
            storage, offset, buffer = piece
            for at in range(0, buffer.size, PIECE_BYTES):
                yield DirectRange(storage, offset + at, buffer[at : at + PIECE_BYTES])
        else:
            yield piece


def _worth_threads(pieces: Sequence[ByteRanges]) -> int:
    nbytes = sum(piece.nbytes for piece in pieces)
    reads = sum(piece.read_count for piece in pieces)
    return min(nbytes // PIECE_BYTES, max(2, nbytes // (COPIED_BYTES_PER_READ * max(1, reads))))
