"""Parquet files: a block is a row group. Format: https://parquet.apache.org/docs/file-format/"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.errors import SourceError
from ..storage.file_object import StorageFile
from ..storage.read_plan import Int64s
from ..storage.storage import Bytes, Storage
from .library import check_names, named_errors, pyarrow
from .table_file import LARGEST_BLOCK, TableFile

MAGIC = b"PAR1"
_ROWS_AT_ONCE = 1024  # that are decoded before the size is looked at
_PADDING = 100  # bytes: old writers count too few for a column chunk (PARQUET-816)


class ParquetTable(TableFile):
    """A Parquet file. Its footer stays in memory, no file stays open."""

    block_title = "row group"

    def __init__(self, storage: Storage) -> None:
        """Read the footer.

        Raises:
            SourceError: the file is no Parquet file, or its footer is damaged.
            OSError: it cannot be read.
        """
        arrow = pyarrow()
        with named_errors(f"{storage.name} is no sound Parquet file"):
            file = arrow.parquet.ParquetFile(arrow.PythonFile(StorageFile(storage), mode="r"))
            self._metadata = file.metadata
            groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
            check_names(file.schema_arrow)
            super().__init__(storage, file.schema_arrow, [group.num_rows for group in groups])
            paths = [file.schema.column(i).path for i in range(len(file.schema))]
        self._paths = tuple(paths)

    def _chunks(self, columns: Sequence[str] | None) -> list[int]:
        """Return the numbers of the column chunks that hold columns."""
        if columns is None:
            return list(range(len(self._paths)))
        starts = tuple(f"{name}." for name in columns)
        return [
            number
            for number, path in enumerate(self._paths)
            if path in columns or path.startswith(starts)
        ]

    def nbytes(self, columns: Sequence[str] | None) -> int:
        """See `TableFile.nbytes`; dictionaries count once."""
        chunks = self._chunks(columns)
        with named_errors(f"{self.storage.name} is no sound Parquet file"):
            return sum(
                max(0, self._metadata.row_group(group).column(chunk).total_uncompressed_size)
                for group in range(len(self.counts))
                for chunk in chunks
            )

    def extents(self, block: int, columns: Sequence[str] | None) -> tuple[Int64s, Int64s]:
        """See `TableFile.extents`: one extent for each column chunk."""
        offsets, lengths = [], []
        with named_errors(self.title(block)):
            group = self._metadata.row_group(block)
            for number in self._chunks(columns):
                chunk = group.column(number)
                if chunk.file_path:
                    raise SourceError(
                        f"{self.title(block)}: its columns are in the file {chunk.file_path!r}; "
                        "such files are not read"
                    )
                first = chunk.data_page_offset
                if chunk.has_dictionary_page and chunk.dictionary_page_offset:
                    first = min(first, chunk.dictionary_page_offset)
                offsets.append(first)
                lengths.append(chunk.total_compressed_size)
        starts, sizes = np.array(offsets, np.int64), np.array(lengths, np.int64)
        self.storage.check(starts, sizes)
        return starts, np.minimum(sizes + _PADDING, self.storage.size - starts)

    def decode(
        self, block: int, columns: Sequence[str] | None, parts: Sequence[Bytes]
    ) -> list[Any]:
        """See `TableFile.decode`."""
        arrow = pyarrow()
        offsets, _ = self.extents(block, columns)
        stream = _Parts(self.storage.size, offsets.tolist(), parts)
        with named_errors(self.title(block)):
            file = arrow.parquet.ParquetFile(
                arrow.PythonFile(stream, mode="r"),
                metadata=self._metadata,
                pre_buffer=False,
                page_checksum_verification=True,
            )
            batches, nbytes = [], 0
            names = None if columns is None else list(columns)
            rows = file.iter_batches(_ROWS_AT_ONCE, [block], names, use_threads=False)
            for batch in rows:
                batch.validate(full=True)
                batches.append(batch)
                nbytes += batch.nbytes
                if nbytes > LARGEST_BLOCK:
                    raise SourceError(
                        f"{self.title(block)} takes more than {LARGEST_BLOCK} bytes in memory; "
                        "write the file with smaller row groups"
                    )
        return self.checked(block, batches)


class _Parts(io.RawIOBase):
    """A file of which some parts are in memory; others cannot be read."""

    def __init__(self, size: int, offsets: Sequence[int], parts: Sequence[Bytes]) -> None:
        self._size = size
        self._parts = list(zip(offsets, parts, strict=True))
        self._position = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """See `io.IOBase.seek`."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}
        self._position = base[whence] + offset
        return self._position

    def tell(self) -> int:
        """See `io.IOBase.tell`."""
        return self._position

    def read(self, size: int = -1) -> Any:
        """Return the bytes as a memoryview: nothing is copied."""
        found = memoryview(b"")
        for offset, part in self._parts:  # parts overlap by the padding
            start = self._position - offset
            if 0 <= start < len(part) and len(part) - start > len(found):
                found = part[start:].data
        if found or size == 0 or self._position >= self._size:
            found = found[: size if size >= 0 else None]
            self._position += len(found)
            return found
        raise SourceError(f"bytes at offset {self._position} are none of the columns'")
