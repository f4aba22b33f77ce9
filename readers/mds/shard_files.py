"""The samples of shards, numbered through. A shard's table is read with its first sample.

uint32             the number n of samples
uint32, n + 1      the offset of each sample, and the end of the last one
JSON               what `index.json` tells of the shard, too
samples            uint32 for each column whose values differ in size: the size of the value;
                   then the values, in the order of the columns
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import SourceError
from ...engine.pending import wait_all
from ..source import checked_indices
from ..storage.claims import check_claim
from ..storage.damage import DamagedFileError, Damages
from ..storage.records import RecordFiles, Records
from ..storage.storage import Storage
from .index_file import Shard

_PLACE_BYTES = 16
"""Bytes of the offset and the length of a sample in memory."""


class ShardFiles(RecordFiles):
    """The samples of several shards, as records.

    To read them raises SourceError, too, if the table of a shard is damaged.
    """

    def __init__(
        self, storages: Sequence[Storage], shards: Sequence[Shard], counts: Sequence[int]
    ) -> None:
        """Take the shards, and how many of the samples of each are there.

        Raises:
            SourceError: the index claims more samples than memory could list.
        """
        check_claim(storages[0].name, _PLACE_BYTES * sum(counts))
        super().__init__(storages, [(np.zeros(count, np.int64),) * 2 for count in counts])
        self._shards = tuple(shards)
        self._counts = tuple(counts)
        self._known = np.zeros(len(shards), np.bool_)
        self._reset()

    def _reset(self) -> None:
        self._bad: dict[int, str] = {}  # why the samples of a shard cannot be read
        self._lock = Lock()

    def read_parts(self, indices: NDArray[np.int64], starts: Int64s, lengths: Int64s) -> Records:
        """Read `lengths` bytes from `starts` on of some samples, in which they lie."""
        self._learn(indices)
        return self._read(indices, self._addresses[indices] + starts, lengths, np.empty)

    def lengths(self, indices: NDArray[np.int64]) -> Int64s:
        """Return the bytes of samples."""
        self._learn(indices)
        lengths: Int64s = self._lengths[indices]
        return lengths

    def _learn(self, indices: NDArray[np.int64]) -> None:
        """Read the tables of the shards of samples that are not known yet."""
        numbers = np.unique(self.shards_of(indices))
        unknown = numbers[~self._known[numbers]].tolist()
        if not unknown:
            return
        for number in unknown:
            if number in self._bad:
                raise SourceError(self._bad[number])
        tables = [np.empty(self._shards[number].table_bytes, np.uint8) for number in unknown]
        wait_all(
            self._storages[number].start_read([0], [table])
            for number, table in zip(unknown, tables, strict=True)
        )
        for number, table in zip(unknown, tables, strict=True):
            shard, storage, count = (
                self._shards[number],
                self._storages[number],
                self._counts[number],
            )
            try:
                bounds = bounds_of(table, shard, storage.name)[: count + 1]
                storage.check(bounds[:-1], np.diff(bounds))
            except SourceError as error:
                self._bad[number] = str(error)
                raise
            rows = slice(int(self._firsts[number]), int(self._firsts[number]) + count)
            with self._lock:
                if not self._known[number]:
                    self._addresses[rows] += bounds[:-1]
                    self._lengths[rows] = np.diff(bounds)
                    self._known[number] = True

    def shards_of(self, indices: NDArray[np.int64]) -> Int64s:
        """Return the number of the shard of each sample."""
        numbers: Int64s = np.searchsorted(self._firsts, indices, "right") - 1
        return numbers

    def located(self, index: int) -> tuple[Shard, int]:
        """Return the shard of a sample, and the sample's number in the shard."""
        (number,) = self.shards_of(checked_indices(np.array([index]), len(self))).tolist()
        return self._shards[number], index - int(self._firsts[number])

    def where(self, index: int) -> str:
        """Return the file of a sample, and its number in the file, from 0."""
        _, number = self.located(index)
        return f"{self.storage_of(index).name}, sample {number}"

    def close(self) -> None:
        """See `RecordFiles.close`."""
        self._bad.clear()
        super().close()

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        del state["_bad"], state["_lock"]
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._reset()


def bounds_of(table: Bytes, shard: Shard, name: str) -> Int64s:
    """Return where the samples of a shard begin, and where the last one ends.

    Raises:
        SourceError: the table is damaged.
    """
    numbers = table.view("<u4").astype(np.int64)
    count, bounds = int(numbers[0]), numbers[1:]
    if count != shard.samples:
        raise SourceError(
            f"{name} has {count} samples, but the index tells {shard.samples}: it is damaged, or "
            "belongs to another data set"
        )
    steps = np.diff(bounds)
    if bounds[0] < table.size or bounds[-1] > shard.nbytes or (steps < 0).any():
        raise SourceError(
            f"{name}: the table of offsets is damaged: they go from {bounds[0]} to {bounds[-1]} in "
            f"{shard.nbytes} bytes, and must not go back"
        )
    return bounds


def count_whole(storage: Storage, shard: Shard, damages: Damages) -> int:
    """Return how many samples of a shard's file are there; `damages` takes what is cut off."""
    if storage.size == shard.file_bytes:
        return shard.samples

    def cut() -> tuple[Int64s, ...]:
        bounds: Int64s = np.zeros(1, np.int64)
        if not shard.compression and shard.table_bytes <= storage.size:
            table: Bytes = np.empty(shard.table_bytes, np.uint8)
            storage.fill([0], [table])
            bounds = bounds_of(table, shard, storage.name)
        whole = max(0, int(np.searchsorted(bounds, storage.size, "right")) - 1)
        offset = int(bounds[whole]) if whole else 0
        raise DamagedFileError(
            f"{storage.name} has {storage.size} bytes, but the index tells {shard.file_bytes}: it "
            f"is damaged from offset {offset} on, or belongs to another data set",
            offset,
            [bounds[:whole]],
            shard.samples - whole,
            whole,
        )

    (sound,) = damages.sound(storage.name, cut)
    return len(sound)
