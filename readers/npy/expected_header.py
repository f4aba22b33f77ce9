"""Files that are all like the last one: one call a file reads both header and elements.

The files of a data set commonly begin with the same bytes and have the same size. So the elements
are read straight into the batch, and the header is compared afterwards. Of a region, all bytes from
its first element to its last are read by one call, if few of them lie outside of the region.

Regions of large files are copied out of maps by the reading process (`mapped_copies`). One message
a batch asks the process for the regions and to compare the headers.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.pending import Later, Pending
from ...formats.npy import NpyHeader
from ..storage.local_reads import OPEN_FLAGS
from ..storage.read_team import READ_TEAM
from .mapped_copies import MappedCopies
from .region import Regions

MAX_FILE_BYTES = 1 << 20
"""Bytes of a file at most: two threads read the elements of larger files faster."""

TWO_THREADS_BYTES = 2 << 20
"""Bytes of a batch that two threads read faster than one."""

MAX_UNUSED_BYTES = 256 << 10
"""Bytes that may be read in vain for a region: to plan single reads takes as long."""


def may_be_read_at_once(nbytes: int) -> bool:
    """Return whether so many bytes of elements are best read by one call, with their header."""
    return 0 < nbytes <= MAX_FILE_BYTES


@dataclass(frozen=True)
class ExpectedHeader:
    """The header that files are expected to have: its bytes, and the same parsed."""

    beginning: bytes
    header: NpyHeader

    def read(self, paths: Sequence[str], result: NDArray[Any]) -> bool:
        """Read the elements of local files; return whether all are alike and were in memory.

        Args:
            paths: of the files.
            result: memory for them, (files, *shape), native and C-contiguous.
        """
        offset, nbytes = self.header.offset, self.header.nbytes
        rows = result.reshape(len(paths), -1).view(np.uint8)

        def read(row: int, fd: int, head: memoryview) -> None:
            if os.preadv(fd, (head, rows[row].data), 0, os.RWF_NOWAIT) != offset + nbytes:
                raise OSError("not all in memory")

        return self._read_files(paths, nbytes, read)

    def may_read(self, regions: Regions) -> bool:
        """Return whether regions are alike, and best read by one call each."""
        counts, shape = regions.count, regions.shape
        if (counts != counts[0]).any() or (shape != counts).any() or not counts[0].all():
            return False
        span = self._span(regions)
        wanted = int(counts[0].prod()) * self.header.dtype.itemsize
        return span <= MAX_FILE_BYTES and span - wanted <= MAX_UNUSED_BYTES

    def read_regions(self, paths: Sequence[str], regions: Regions, result: NDArray[Any]) -> bool:
        """Read regions of local files; return whether all files are alike and were in memory.

        Args:
            paths: of the files.
            regions: one of each file, or one for all files; `may_read` is true of them.
            result: memory for them: (files, *regions.shape[0]), native.
        """
        offset, strides, span = self.header.offset, self._strides(), self._span(regions)
        begins = self._begins(paths, regions).tolist()
        shape, steps = regions.count[0].tolist(), (regions.step * strides).tolist()
        own = threading.local()

        def read(row: int, fd: int, head: memoryview) -> None:
            if not hasattr(own, "memory"):
                own.memory = np.empty(span, np.uint8)
                own.elements = np.ndarray(shape, result.dtype, own.memory.data, strides=steps)
            found = os.preadv(fd, (head,), 0, os.RWF_NOWAIT)
            found += os.preadv(fd, (own.memory,), begins[row], os.RWF_NOWAIT)
            if found != offset + span:
                raise OSError("not all in memory")
            np.copyto(result[row, ...], own.elements)

        return self._read_files(paths, span, read)

    def start(self, paths: Sequence[str], result: NDArray[Any]) -> Pending[bool]:
        """Start to read the elements: see `read`."""
        return Later(partial(self.read, paths, result))

    def start_regions(
        self, paths: Sequence[str], regions: Regions, result: NDArray[Any]
    ) -> Pending[bool]:
        """Start to read the regions: see `read_regions`."""
        return Later(partial(self.read_regions, paths, regions, result))

    def _begins(self, paths: Sequence[str], regions: Regions) -> NDArray[np.int64]:
        """Return the offset of the first element of each region in its file."""
        begins = self.header.offset + regions.start @ self._strides()
        return np.broadcast_to(begins, len(paths))

    def _strides(self) -> NDArray[np.int64]:
        """Return the bytes from one element to the next along each axis."""
        extents = (*self.header.shape[1:], self.header.dtype.itemsize)
        return np.cumprod(extents[::-1], dtype=np.int64)[::-1]

    def _span(self, regions: Regions) -> int:
        """Return the bytes from the first to the last element of the first region."""
        steps = (regions.count[0] - 1) * regions.step
        return int(steps @ self._strides()) + self.header.dtype.itemsize

    def _read_files(
        self, paths: Sequence[str], nbytes: int, read: Callable[[int, int, memoryview], None]
    ) -> bool:
        """Open each file and `read` it; return whether all are alike and were in memory.

        Args:
            paths: of the files.
            nbytes: that are read of each.
            read: called with number and descriptor of a file, and memory for its header; raises
                OSError unless it could read.
        """
        size = self.header.offset + self.header.nbytes
        heads = np.empty((len(paths), self.header.offset), np.uint8)

        def open_and_read(row: int) -> None:
            fd = os.open(paths[row], OPEN_FLAGS)
            try:
                if os.fstat(fd).st_size != size:
                    raise OSError("another size")
                read(row, fd, heads[row].data)
            finally:
                os.close(fd)

        threads = 2 if len(paths) * nbytes >= TWO_THREADS_BYTES else 1
        try:
            READ_TEAM.run_jobs(open_and_read, range(len(paths)), threads)
        except OSError:
            return False  # the caller reads the files again, and raises the error
        return bool((heads == np.frombuffer(self.beginning, np.uint8)).all())


@dataclass(frozen=True)
class ExpectedCopies(ExpectedHeader):
    """The same for files whose regions the reading process copies.

    Attributes:
        count: number of elements of each region along each axis: those of the last batch, all of
            which was copied.
        mapped: what copies them.
    """

    count: tuple[int, ...]
    mapped: MappedCopies

    def read(self, paths: Sequence[str], result: NDArray[Any]) -> bool:
        return self.start(paths, result).result()

    def start(self, paths: Sequence[str], result: NDArray[Any]) -> Pending[bool]:
        begins = np.full(len(paths), self.header.offset)
        return self._start(paths, begins, self._strides(), result)

    def may_read(self, regions: Regions) -> bool:
        return bool((regions.count == self.count).all() and (regions.shape == self.count).all())

    def read_regions(self, paths: Sequence[str], regions: Regions, result: NDArray[Any]) -> bool:
        return self.start_regions(paths, regions, result).result()

    def start_regions(
        self, paths: Sequence[str], regions: Regions, result: NDArray[Any]
    ) -> Pending[bool]:
        steps = regions.step * self._strides()
        return self._start(paths, self._begins(paths, regions), steps, result)

    def _start(
        self,
        paths: Sequence[str],
        begins: NDArray[np.int64],
        steps: NDArray[np.int64],
        result: NDArray[Any],
    ) -> Pending[bool]:
        beginning = self.beginning, self.header.offset + self.header.nbytes
        return self.mapped.start_expected(paths, beginning, begins, steps.tolist(), result)
