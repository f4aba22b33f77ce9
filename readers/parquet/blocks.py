"""The rows of several table files: their blocks are read together, and the last ones are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import PenstockError
from ..interrupt import passed_on
from ..source import checked_indices
from ..storage.block_cache import BlockCache, Decoded
from ..storage.damage import STRICT, Damages
from ..storage.read_team import READ_TEAM
from ..storage.storage import Storage
from .arrow_file import ArrowTable
from .library import named_errors
from .parquet_file import MAGIC, ParquetTable
from .table_file import TableFile

if TYPE_CHECKING:
    import pyarrow as pa

_DECODED_TOGETHER = 4
"""Blocks that threads decode at a time, and that memory must hold beside the cache."""


def open_tables(storages: Sequence[Storage], damages: Damages = STRICT) -> list[TableFile]:
    """Return Parquet and Arrow files; those in object stores are opened by several threads.

    Args:
        storages: the files.
        damages: takes what is wrong with the files.

    Raises:
        SourceError: a file is neither, or is damaged. OSError: it cannot be read.
    """
    files: dict[int, TableFile] = {}
    bad: dict[int, Exception] = {}

    def open_one(number: int) -> None:
        try:
            files[number] = _opened(storages[number])
        except (OSError, PenstockError) as error:
            bad[number] = error
            if damages is STRICT:
                raise

    threads = None if any(storage.path is None for storage in storages) else 1
    READ_TEAM.run_jobs(open_one, range(len(storages)), threads)
    for number in sorted(bad):
        damages.take(storages[number].name, bad[number])
    damages.require(files)
    return [files[number] for number in sorted(files)]


def _opened(storage: Storage) -> TableFile:
    if storage.path is None and _ends_as_parquet(storage):
        table = ParquetTable(storage)
        storage.close()  # the footer came with the version, and is not needed twice
        return table
    head: Bytes = np.empty(min(8, storage.size), np.uint8)
    storage.fill([0], [head])
    is_arrow = head[:6].tobytes() == b"ARROW1" or head[:4].tobytes() == b"\xff\xff\xff\xff"
    return ArrowTable(storage) if is_arrow else ParquetTable(storage)


def _ends_as_parquet(storage: Storage) -> bool:
    """Return whether the last bytes of an object are there, and are those of a Parquet file."""
    end: Bytes = np.zeros(len(MAGIC), np.uint8)
    return storage.fill_cached(storage.size - len(MAGIC), end) and end.tobytes() == MAGIC


class RowBlocks(Generic[Decoded]):
    """The rows of several files, numbered through, in blocks that are decoded as a whole.

    Args:
        files: the tables.
        columns: names of what is read, with dots before the fields of a struct; None for all.
        decoded: makes of a file's number and a block's record batches what is kept, and says how
            many bytes that takes.
        cache_bytes: of the blocks that are kept, at most. The block that was read last is kept in
            any case.
    """

    def __init__(
        self,
        files: Sequence[TableFile],
        columns: Sequence[str] | None,
        decoded: Callable[[int, list[pa.RecordBatch]], tuple[Decoded, int]],
        cache_bytes: int,
    ) -> None:
        self.files = tuple(files)
        self._columns = columns
        self._decoded = decoded
        self._cache = BlockCache[Decoded](cache_bytes)
        counts = [count for file in files for count in file.counts]
        self._firsts: Int64s = np.cumsum([0, *counts], dtype=np.int64)
        self._file_firsts: Int64s = np.cumsum([0, *(len(f.counts) for f in files)], dtype=np.int64)

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def groups(
        self, indices: NDArray[np.int64]
    ) -> Iterator[tuple[int, Decoded, NDArray[np.intp], Int64s]]:
        """Yield the blocks that hold some rows, each block once.

        Yields:
            the number of the block; the block; which of `indices` lie in the block; and their rows
            in the block.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            SourceError: a block is damaged. OSError: a file cannot be read.
        """
        numbers = np.searchsorted(self._firsts, checked_indices(indices, len(self)), "right") - 1
        wanted = np.unique(numbers).tolist()
        for start in range(0, len(wanted), _DECODED_TOGETHER):
            some = wanted[start : start + _DECODED_TOGETHER]
            blocks = self._cache.get(some, self._read)
            for number in some:
                places = np.flatnonzero(numbers == number)
                yield number, blocks.pop(number), places, indices[places] - self._firsts[number]

    def _read(self, numbers: list[int]) -> dict[int, tuple[Decoded, int]]:
        """Read and decode blocks, each by one thread."""
        decoded: dict[int, tuple[Decoded, int]] = {}
        waits = passed_on()

        def read(number: int) -> None:
            file, block = self.position_of(number)
            with waits, named_errors(file.title(block)):
                batches = file.read(block, self._columns)
                decoded[number] = self._decoded(self.file_of(number), batches)

        READ_TEAM.run_jobs(read, numbers)
        return decoded

    def file_of(self, number: int) -> int:
        """Return the number of the file that holds a block."""
        return int(np.searchsorted(self._file_firsts, number, "right")) - 1

    def position_of(self, number: int) -> tuple[TableFile, int]:
        """Return the file of a block, and the block's number in the file."""
        file = self.file_of(number)
        return self.files[file], number - int(self._file_firsts[file])

    def row_of(self, index: int) -> tuple[TableFile, int]:
        """Return the file of a row, and the row's number in the file."""
        (index,) = checked_indices(np.array([index]), len(self)).tolist()
        block = int(np.searchsorted(self._firsts, index, "right")) - 1
        number = self.file_of(block)
        return self.files[number], index - int(self._firsts[self._file_firsts[number]])

    def where(self, index: int) -> str:
        """Return the file and the row in it, from 0."""
        file, row = self.row_of(index)
        return f"{file.storage.name} row {row}"

    def place_of(self, index: int) -> str:
        """Return the file, the block, and the row in the block."""
        (index,) = checked_indices(np.array([index]), len(self)).tolist()
        number = int(np.searchsorted(self._firsts, index, "right")) - 1
        file, block = self.position_of(number)
        return f"{file.title(block)}, row {index - int(self._firsts[number])}"

    def close(self) -> None:
        """Release files and blocks; a later read opens them again."""
        self._cache.clear()
        for file in self.files:
            file.storage.close()
