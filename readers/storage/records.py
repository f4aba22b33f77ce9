"""Records in several files as one sequence, for TFRecord, RecordIO, LMDB and tar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from mmap import PAGESIZE
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Bytes, Int64s
from ...engine.machine import memory_of_machine
from ...engine.pending import Pending, wait_all
from ..source import Allocate, checked_indices
from .claims import check_claim
from .read_plan import ReadPlan, plan_reads
from .storage import Storage, cut


@dataclass(frozen=True)
class Records:
    """Records in one block of memory: number i is `block[starts[i]:][:lengths[i]]`."""

    block: Bytes
    starts: Int64s
    lengths: Int64s

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def ends(self) -> Int64s:
        """The offsets at which the records end in the block."""
        return self.starts + self.lengths

    def views(self) -> list[Bytes]:
        """Return one array a record."""
        return cut(self.block, self.starts, self.lengths)


UseRecords = Callable[[Records, Sequence[int]], None]
"""`use(records, rows)` works on these rows of the records, which are read."""


def windows(block: Bytes, dtype: Any) -> Array:
    """Return an array whose element i is `block` from byte i on, read as `dtype`.

    The elements overlap and are not aligned: for taking the elements at many offsets at once.

    >>> windows(np.array([1, 0, 2, 0], np.uint8), "<u2").tolist()
    [1, 512, 2]
    """
    dtype = np.dtype(dtype)
    count = max(0, len(block) - dtype.itemsize + 1)
    return np.ndarray((count,), dtype, block.data, strides=(1,))


class RecordFiles:
    """The records of several files, numbered through.

    A record costs 16 bytes. The files are laid end to end in one space of addresses, with gaps
    between them, so that one plan serves the reads of a batch over all files.
    """

    def __init__(
        self, storages: Sequence[Storage], extents: Sequence[tuple[Int64s, Int64s]]
    ) -> None:
        """Take the files and, for each file, the offsets and lengths of its records.

        Raises:
            SourceError: a record does not lie inside its file.
        """
        if not storages:
            raise ValueError("no files")
        self._storages = tuple(storages)
        self._gap = max(storage.gap for storage in storages)
        parts = [storage.part for storage in storages if storage.part is not None]
        self._part = max(parts) if len(parts) == len(storages) else None
        spaces = [storage.size + self._gap + 1 for storage in storages]
        self._bases: Int64s = np.cumsum([0, *spaces[:-1]], dtype=np.int64)
        counts = [len(offsets) for offsets, _ in extents]
        self._firsts: Int64s = np.cumsum([0, *counts[:-1]], dtype=np.int64)
        self._addresses: Int64s = np.empty(sum(counts), np.int64)
        self._lengths: Int64s = np.empty(sum(counts), np.int64)
        self._enter(extents)

    def _enter(self, extents: Sequence[tuple[Int64s, Int64s]]) -> None:
        for number, (offsets, lengths) in enumerate(extents):
            self._storages[number].check(offsets, lengths)
            start = int(self._firsts[number])
            rows = slice(start, start + len(offsets))
            np.add(offsets, self._bases[number], out=self._addresses[rows])
            self._lengths[rows] = lengths

    def __len__(self) -> int:
        return len(self._lengths)

    def read(
        self,
        indices: NDArray[np.int64],
        allocate: Allocate,
        slack: int = 0,
        use: UseRecords | None = None,
    ) -> Records:
        """Read the records `indices` into one block, asking each file once.

        The block has `slack` unfilled bytes at its end, so that parsers may look beyond the end of
        a record. `use` is called with groups of records, with each record once, while caches still
        hold the group, possibly in several threads.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. SourceError if it became shorter.
        """
        indices = checked_indices(indices, len(self))
        self._learn(indices)
        return self._read(
            indices, self._addresses[indices], self._lengths[indices], allocate, slack, use
        )

    def _learn(self, indices: NDArray[np.int64]) -> None:
        """Find where records lie whose places are not known; called before they are read."""

    def _read(
        self,
        indices: NDArray[np.int64],
        addresses: Int64s,
        lengths: Int64s,
        allocate: Allocate,
        slack: int = 0,
        use: UseRecords | None = None,
    ) -> Records:
        """Read ranges of the records `indices`."""
        plan = plan_reads(addresses, lengths, self._gap, self._part)
        if plan.size > memory_of_machine():
            check_claim(self.where(int(indices[lengths.argmax()])), plan.size)
        block: Bytes = allocate((plan.size + slack,), np.uint8)
        if self._part is None:
            # Threads copy what comes from a network, and mostly keep the GIL: see `copy_into`. The
            # system may take milliseconds to give a large page. Here nobody waits for that.
            block[::PAGESIZE] = 0
        records = Records(block, plan.starts, lengths)
        self._fill(plan, records, use)
        return records

    def _fill(self, plan: ReadPlan, records: Records, use: UseRecords | None) -> None:
        block = records.block
        files = self._file_of(plan.offsets)
        offsets = (plan.offsets - self._bases[files]).tolist()
        buffers = cut(block, plan.block_offsets, plan.lengths)
        borders = [0, *((files[1:] > files[:-1]).nonzero()[0] + 1).tolist(), len(offsets)]

        use_runs = None if use is None else _by_runs(use, records, plan.block_offsets)

        def start(begin: int, end: int) -> Pending[None]:
            storage: Storage = self._storages[files[begin]]
            runs = slice(begin, end)
            if use_runs is None:
                return storage.start_read(offsets[runs], buffers[runs])
            used = partial(use_runs, begin)
            return storage.start_read_using(offsets[runs], buffers[runs], used)

        parts = [(begin, end) for begin, end in pairwise(borders) if begin < end]  # no empty one
        wait_all(start(begin, end) for begin, end in parts)

    def _file_of(self, addresses: Int64s) -> Int64s:
        bases: Int64s = self._bases.searchsorted(addresses, "right") - 1
        return bases

    def position_of(self, index: int) -> tuple[str, int, int]:
        """Return the file of record `index`, the record's number in the file, and its offset."""
        (index,) = checked_indices(np.array([index]), len(self)).tolist()
        address = self._addresses[index]
        (file,) = self._file_of(np.array([address])).tolist()
        number = index - int(self._firsts[file])
        return self._storages[file].name, number, int(address - self._bases[file])

    def storage_of(self, index: int) -> Storage:
        """Return the file that holds record `index`."""
        (file,) = self._file_of(self._addresses[index : index + 1]).tolist()
        storage: Storage = self._storages[file]
        return storage

    def where(self, index: int) -> str:
        """Return the location of record `index`: file, number in the file (from 0), offset."""
        name, number, offset = self.position_of(index)
        return f"{name}, record {number}, offset {offset}"

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        for storage in self._storages:
            storage.close()


def _by_runs(
    use: UseRecords, records: Records, block_offsets: Int64s
) -> Callable[[int, range], None]:
    """Return a function that uses the records of runs; it takes the number of a first run, and
    numbers of runs counted from there."""
    order = records.starts.argsort(kind="stable")
    firsts = [*records.starts[order].searchsorted(block_offsets).tolist(), len(order)]
    rows: list[int] = order.tolist()

    def use_runs(begin: int, runs: range) -> None:
        use(records, rows[firsts[begin + runs.start] : firsts[begin + runs.stop]])

    return use_runs
