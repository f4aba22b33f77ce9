"""The contract of a file that holds a table in blocks of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...engine.errors import SourceError
from ..storage.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST_BLOCK = 4 << 30
"""Bytes of a block in memory. A damaged or hostile file may claim more than there is memory."""

MOST_ROWS = 1 << 40
"""Rows of a file: a larger number is a damaged one."""


class TableFile(ABC):
    """A table in blocks of rows, each of which is decoded as a whole.

    It can be pickled, and many threads may use it.

    Attributes:
        storage: the file.
        schema: PyArrow's, of the table.
        counts: number of rows of each block.
        block_title: what a block is called in messages.
    """

    block_title: str

    def __init__(self, storage: Storage, schema: pa.Schema, counts: Sequence[int]) -> None:
        """Take what was learned of the file.

        Raises:
            SourceError: a number of rows is impossible.
        """
        if any(not 0 <= count <= MOST_ROWS for count in counts):
            raise SourceError(f"{storage.name} claims impossible numbers of rows; it is damaged")
        self.storage = storage
        self.schema = schema
        self.counts = tuple(counts)

    @abstractmethod
    def read(self, block: int, columns: Sequence[str] | None) -> list[pa.RecordBatch]:
        """Read and decode a block; return PyArrow's record batches.

        Args:
            block: its number.
            columns: names, with dots before the fields of a struct; None for all.

        Raises:
            SourceError: the block is damaged, or too large. OSError: the file cannot be read.
        """

    def title(self, block: int) -> str:
        """Return the name of a block for messages."""
        return f"{self.storage.name}, {self.block_title} {block}"

    def checked(self, block: int, batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """Return the batches of a block; raise SourceError if rows are missing."""
        rows = sum(batch.num_rows for batch in batches)
        if rows != self.counts[block]:
            raise SourceError(
                f"{self.title(block)} has {rows} rows, not the {self.counts[block]} that the "
                "file claims; it is damaged"
            )
        return batches
