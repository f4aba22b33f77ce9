"""Planned reads of arrays carried out: the parts of a batch, in all files together."""

from __future__ import annotations

import mmap
import os
import threading
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from time import perf_counter
from typing import Any

import numpy as np

from ...engine.errors import SourceError
from ..source import Allocate
from ..storage.local_reads import OPEN_FLAGS, read_cached
from ..storage.sharing import share
from ..storage.storage import Bytes, LocalFile
from .mapped_copies import MappedCopies
from .parts import MOST_STAGED, Direct, Part, Work, work_of

_PIECE = 4 << 20
"""Longer reads are divided, so that threads share them. Each thread has so much to copy, too: that
takes half a millisecond, in which it makes up for its start (50 us)."""

_PER_READ = 16 << 10
"""Bytes that are copied while a read holds Python's lock: with reads so long, threads only wait for
one another; with longer ones, so many times as many can copy."""


def carry_out(
    parts: Sequence[Part],
    allocate: Allocate,
    *,
    threads: int,
    o_direct: bool = False,
    mapped: MappedCopies | None = None,
) -> None:
    """Read all of them.

    Args:
        parts: of local and remote files.
        allocate: see `Source.read`.
        threads: that local files are read by at most.
        o_direct: read local files past the page cache, where the file system allows it.
        mapped: copies what it can of local files, if they are not read so.

    Raises:
        OSError: a file cannot be read. SourceError if it became shorter.
    """
    remote = [each for each in parts if not isinstance(each.storage, LocalFile)]
    waits = [*_begin_remote(work_of(remote), allocate)]
    local = [each for each in parts if isinstance(each.storage, LocalFile)] if remote else parts
    if o_direct:
        _read_local(work_of(local), allocate, _Uncached, threads)
    else:
        left = local if mapped is None else mapped.copy(local)
        started = perf_counter()
        waiting = _read_local(work_of(left), allocate, _Cached, threads)
        if mapped is not None:
            mapped.count(left, perf_counter() - started)
        if waiting:
            _read_local(waiting, allocate, _Waiting, threads)
    for wait in waits:
        wait()


def _begin_remote(work: Sequence[Work], allocate: Allocate) -> Iterator[Any]:
    for _, group in groupby(work, key=lambda each: id(each.storage)):
        members, offsets, buffers, blocks = list(group), [], [], []
        for each in members:
            if isinstance(each, Direct):
                offsets.append(each.offset)
                buffers.append(each.buffer)
                continue
            length = each.grid.length
            block = allocate((len(each.offsets) * length,), np.uint8)
            offsets += each.offsets.tolist()
            buffers += [block[at : at + length] for at in range(0, len(block), length)]
            blocks.append((each, block))
        wait = members[0].storage.begin(offsets, buffers)

        def finish(wait: Any = wait, blocks: Any = blocks) -> None:
            wait()
            for each, block in blocks:
                each.put(block)

        yield finish


class _Way:
    """How one thread reads pieces: with memory of its own for what is staged."""

    def __init__(self, allocate: Allocate) -> None:
        self._allocate = allocate
        self._block: Bytes = np.empty(0, np.uint8)

    def read(self, storage: LocalFile, offset: int, buffer: Bytes) -> bool:
        """Fill the buffer; return False if that would have to wait."""
        raise NotImplementedError

    def do(self, piece: Work) -> bool:
        """Do a piece of work; return False if it would have to wait."""
        storage = piece.storage
        assert isinstance(storage, LocalFile)
        if isinstance(piece, Direct):
            return self.read(storage, piece.offset, piece.buffer)
        size, length = _size(piece), piece.grid.length
        if self._block.size < size:
            self._block = self._allocate((max(size, MOST_STAGED),), np.uint8)
        block = self._block
        found = [
            self.read(storage, offset, block[i * length : (i + 1) * length])
            for i, offset in enumerate(piece.offsets.tolist())
        ]  # all of them: the disk is asked for all that is missing
        if all(found):
            piece.put(block)
        return all(found)


class _Cached(_Way):
    """Reads what the page cache holds, and has the kernel fetch the rest."""

    def read(self, storage: LocalFile, offset: int, buffer: Bytes) -> bool:
        return read_cached(storage.opened().number, buffer, offset)


class _Waiting(_Way):
    """Reads whatever there is, waiting for the disk."""

    def read(self, storage: LocalFile, offset: int, buffer: Bytes) -> bool:
        storage.wait_for(storage.opened(), offset, buffer)
        return True


_BLOCK = 4096  # what O_DIRECT wants offsets, lengths and memory to be multiples of


class _Uncached(_Waiting):
    """Reads past the page cache, through a buffer that is aligned as O_DIRECT demands."""

    def __init__(self, allocate: Allocate) -> None:
        super().__init__(allocate)
        self._bounce = np.frombuffer(mmap.mmap(-1, MOST_STAGED + 2 * _BLOCK), np.uint8)

    def read(self, storage: LocalFile, offset: int, buffer: Bytes) -> bool:
        try:
            fd = os.open(storage.path, OPEN_FLAGS | os.O_DIRECT)
        except OSError:
            warnings.warn(
                f"the file system of {storage.name} does not allow O_DIRECT: it is read through "
                "the page cache; leave use_o_direct out",
                stacklevel=2,
            )
            return super().read(storage, offset, buffer)
        try:
            for at in range(0, buffer.size, MOST_STAGED):
                self._read_piece(fd, storage.name, offset + at, buffer[at : at + MOST_STAGED])
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
    work: Sequence[Work], allocate: Allocate, way: type[_Way], threads: int
) -> list[Work]:
    """Do work in as many threads as it is worth; return what was not in memory."""
    pieces = list(_divided(work))
    waiting: list[Work] = []
    own = threading.local()

    def take(piece: Work) -> None:
        if not hasattr(own, "way"):
            own.way = way(allocate)
        if not own.way.do(piece):
            waiting.append(piece)

    share(take, pieces, min(threads, _worth_threads(pieces)))
    return waiting


def _divided(work: Sequence[Work]) -> Iterator[Work]:
    for each in work:
        if isinstance(each, Direct) and each.buffer.size > _PIECE:
            storage, offset, buffer = each
            for at in range(0, buffer.size, _PIECE):
                yield Direct(storage, offset + at, buffer[at : at + _PIECE])
        else:
            yield each


def _worth_threads(pieces: Sequence[Work]) -> int:
    nbytes, reads = sum(map(_size, pieces)), sum(map(_reads, pieces))
    return min(nbytes // _PIECE, max(2, nbytes // (_PER_READ * max(1, reads))))


def _size(each: Work) -> int:
    return int(each.buffer.size) if isinstance(each, Direct) else _reads(each) * each.grid.length


def _reads(each: Work) -> int:
    return 1 if isinstance(each, Direct) else each.tile.reads.stop - each.tile.reads.start
