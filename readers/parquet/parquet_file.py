"""Parquet files: a block is a row group. Format: https://parquet.apache.org/docs/file-format/

PyArrow's `RowGroupMetaData.column` is not called: on some damaged footers it ends the process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...engine.errors import SourceError
from ..storage.file_object import StorageFile
from ..storage.storage import Storage
from .library import check_names, named_errors, pyarrow
from .table_file import LARGEST_BLOCK, TableFile

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"PAR1"
FOOTER = 64 << 10
"""Bytes of a file's end that PyArrow reads first: the footer of most files, and its length."""

BYTES_AT_ONCE = 256 << 20
"""About the bytes of rows that are decoded before the size is looked at."""

MOST_ROWS_AT_ONCE = 1024
"""Rows at once; more save no time."""

MOST_BYTES_AT_ONCE = 512 << 20
"""Bytes that these rows may take if each is as large as the whole group in its encoded form. Rows
of a dictionary share values, so a kilobyte of a file may stand for terabytes."""


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
            self._sizes = [max(1, group.total_byte_size) for group in groups]
            check_names(file.schema_arrow)
            super().__init__(storage, file.schema_arrow, [group.num_rows for group in groups])

    def read(self, block: int, columns: Sequence[str] | None) -> list[pa.RecordBatch]:
        """See `TableFile.read`; each column chunk is one read of the file, by this thread."""
        size, rows = self._sizes[block], max(1, self.counts[block])
        with named_errors(self.title(block)):
            try:
                batches = self._decoded(block, columns, BYTES_AT_ONCE * rows // size)
            except pyarrow().ArrowNotImplementedError:
                # Arrow decodes no column of structs beyond 2 GiB at once. Rows may share values, so
                # the group's size tells the most that one row takes.
                batches = self._decoded(block, columns, BYTES_AT_ONCE // size)
        return self.checked(block, batches)

    def _decoded(
        self, block: int, columns: Sequence[str] | None, rows: int
    ) -> list[pa.RecordBatch]:
        """Return the record batches of a block, which have about so many rows."""
        arrow = pyarrow()
        file = arrow.parquet.ParquetFile(
            arrow.PythonFile(StorageFile(self.storage), mode="r"),
            metadata=self._metadata,
            pre_buffer=False,
            page_checksum_verification=True,
        )
        size, nbytes, joined = self._sizes[block], 0, 0  # bytes of all, and of those in `batches`
        batches: list[pa.RecordBatch] = []
        parts: list[pa.RecordBatch] = []
        names = None if columns is None else list(columns)
        rows = min(max(1, rows), MOST_ROWS_AT_ONCE)
        at_once = max(1, min(rows, MOST_BYTES_AT_ONCE // size))
        for batch in file.iter_batches(at_once, [block], names, use_threads=False):
            parts.append(batch)
            nbytes += batch.nbytes
            if nbytes > LARGEST_BLOCK:
                raise SourceError(
                    f"{self.title(block)} takes more than {LARGEST_BLOCK} bytes in memory, and "
                    f"{size} in the file, by its footer; write the file with smaller row groups"
                )
            if len(parts) * at_once >= rows or nbytes - joined >= BYTES_AT_ONCE:
                batches += _joined(parts)
                parts, joined = [], nbytes
        return batches + _joined(parts)


def _joined(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Return batches as one, or as few: samples of many small ones take longer to collect."""
    if len(batches) > 1:
        batches = pyarrow().Table.from_batches(batches).combine_chunks().to_batches()
    for batch in batches:
        batch.validate(full=True)
    return batches
