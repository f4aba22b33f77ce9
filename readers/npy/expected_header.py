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
from operator import mul

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
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

ReadRow = Callable[[int, int, memoryview], None]
"""`read(row, descriptor, head)` reads an open file into its row, and the file's first bytes into
`head`. It raises OSError if the bytes are not all in memory."""


def may_be_read_at_once(nbytes: int) -> bool:
    """Return whether so many bytes of elements are best read by one call, with their header."""
    return 0 < nbytes <= MAX_FILE_BYTES


@dataclass(frozen=True)
class ExpectedHeader:
    """The header that files are expected to have: its bytes, and the same parsed."""

    beginning: bytes
    header: NpyHeader

    def may_read(self, regions: Regions) -> bool:
        """Return whether regions are alike, and best read by one call each."""
        counts, shape = regions.count, regions.shape
        if (counts != counts[0]).any() or (shape != counts).any() or not counts[0].all():
            return False
        span = self._span(regions)
        wanted = int(counts[0].prod()) * self.header.dtype.itemsize
        return span <= MAX_FILE_BYTES and span - wanted <= MAX_UNUSED_BYTES

    def start(self, paths: Sequence[str], regions: Regions | None, result: Array) -> Pending[bool]:
        """Start to read local files; the result says whether all are alike and were in memory.

        Args:
            paths: paths of the files.
            regions: one of each file, or one for all files; `may_read` is true of them. None for
                whole arrays.
            result: memory for the elements, native: (files, *shape) of the array or of a region.
        """
        if regions is None:
            nbytes, read = self.header.nbytes, self._whole_reads(result)
        else:
            nbytes, read = self._span(regions), self._region_reads(paths, regions, result)
        return Later(partial(self._read_files, paths, nbytes, read))

    def _whole_reads(self, result: Array) -> ReadRow:
        """Return a function that reads header and elements of a file by one call."""
        size = self.header.offset + self.header.nbytes
        rows = result.reshape(len(result), -1).view(np.uint8)

        def read(row: int, fd: int, head: memoryview) -> None:
            if os.preadv(fd, (head, rows[row].data), 0, os.RWF_NOWAIT) != size:
                raise OSError("not all in memory")

        return read

    def _region_reads(self, paths: Sequence[str], regions: Regions, result: Array) -> ReadRow:
        """Return a function that reads the header of a file, and then the bytes of its region.

        header | . . . [x . x . x] . . .      x: elements of the region
                       '- span -'
        """
        offset, span = self.header.offset, self._span(regions)
        begins = self._begins(paths, regions).tolist()
        shape, steps = regions.count[0].tolist(), (regions.step * self.header.strides).tolist()
        own = threading.local()

        def read(row: int, fd: int, head: memoryview) -> None:
            if not hasattr(own, "memory"):
                own.memory = np.empty(span, np.uint8)
                own.elements = np.ndarray(shape, result.dtype, own.memory.data, strides=steps)
            count = os.preadv(fd, (head,), 0, os.RWF_NOWAIT)
            count += os.preadv(fd, (own.memory,), begins[row], os.RWF_NOWAIT)
            if count != offset + span:
                raise OSError("not all in memory")
            np.copyto(result[row, ...], own.elements)

        return read

    def _begins(self, paths: Sequence[str], regions: Regions) -> NDArray[np.int64]:
        """Return the offset of the first element of each region in its file."""
        begins = self.header.offset + regions.start @ np.array(self.header.strides, np.int64)
        return np.broadcast_to(begins, len(paths))

    def _span(self, regions: Regions) -> int:
        """Return the bytes from the first to the last element of the first region."""
        steps = (regions.count[0] - 1) * regions.step
        return int(steps @ np.array(self.header.strides, np.int64)) + self.header.dtype.itemsize

    def _read_files(self, paths: Sequence[str], nbytes: int, read: ReadRow) -> bool:
        """Read `nbytes` of each file; return whether all are alike and were in memory."""
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
        except (OSError, AttributeError):  # such a read is one of Linux
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

    def may_read(self, regions: Regions) -> bool:
        return bool((regions.count == self.count).all() and (regions.shape == self.count).all())

    def start(self, paths: Sequence[str], regions: Regions | None, result: Array) -> Pending[bool]:
        begins, strides = np.full(len(paths), self.header.offset), self.header.strides
        if regions is not None:
            begins = self._begins(paths, regions)
            strides = tuple(map(mul, strides, regions.step.tolist()))
        beginning = self.beginning, self.header.offset + self.header.nbytes
        return self.mapped.start_expected(paths, beginning, begins, strides, result)
