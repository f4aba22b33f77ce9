"""Arrow files: a block is a record batch. `datasets` saves such files (`save_to_disk`).

A file is a stream of messages: 4 bytes FF, the length of the metadata, the metadata (a FlatBuffer),
and the body. Files of the random access format have the same messages behind 8 bytes "ARROW1".
Format: https://arrow.apache.org/docs/format/Columnar.html
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...engine.errors import SourceError
from ..storage.lookahead import Lookahead
from ..storage.storage import Storage
from .library import check_names, named_errors, pyarrow
from .table_file import LARGEST_BLOCK, TableFile

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"ARROW1"
_MARK = b"\xff\xff\xff\xff"
_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3  # the types of messages
_LARGEST_METADATA = 64 << 20


class _Message(NamedTuple):
    """A message: its type, where it lies, and how many rows it has."""

    kind: int
    offset: int
    length: int
    rows: int


class ArrowTable(TableFile):
    """An Arrow file, of the stream format or the random access format."""

    block_title = "record batch"

    def __init__(self, storage: Storage) -> None:
        """Walk through the messages.

        Raises:
            SourceError: the file is no Arrow file, is damaged or compressed as a whole, or has
                dictionaries.
            OSError: it cannot be read.
        """
        messages = _messages(storage)
        if not messages or messages[0].kind != _SCHEMA:
            raise SourceError(f"{storage.name} is no Arrow file: it does not begin with a schema")
        head = messages[0]
        (content,) = storage.read(np.array([head.offset]), np.array([head.length]), np.empty)
        with named_errors(f"{storage.name} is no sound Arrow file"):
            schema = pyarrow().ipc.read_schema(pyarrow().py_buffer(content))
            check_names(schema)
        if any(message.kind == _DICTIONARY for message in messages):
            raise SourceError(
                f"{storage.name} has columns of a dictionary type, which are read of Parquet files "
                "alone; write it as Parquet"
            )
        batches = [message for message in messages if message.kind == _BATCH]
        super().__init__(storage, schema, [batch.rows for batch in batches])
        self._offsets = np.array([batch.offset for batch in batches], np.int64)
        self._lengths = np.array([batch.length for batch in batches], np.int64)

    def read(self, block: int, columns: Sequence[str] | None) -> list[pa.RecordBatch]:
        """See `TableFile.read`; a record batch is read whole."""
        one = slice(block, block + 1)
        if int(self._lengths[block]) > LARGEST_BLOCK:
            raise SourceError(
                f"{self.title(block)} has more than {LARGEST_BLOCK} bytes; write the file with "
                "smaller record batches"
            )
        (content,) = self.storage.read(self._offsets[one], self._lengths[one], np.empty)
        ipc = pyarrow().ipc
        with named_errors(self.title(block)):
            message = ipc.read_message(pyarrow().py_buffer(content))
            batch = ipc.read_record_batch(message, self.schema)
            if columns is not None:
                batch = batch.select(list(dict.fromkeys(n.split(".")[0] for n in columns)))
            batch.validate(full=True)
        return self.checked(block, [batch])


def _messages(storage: Storage) -> list[_Message]:
    """Return the messages of a file up to its end."""
    ahead = Lookahead(storage.sequential())
    offset = 8 if ahead.take(0, min(6, storage.size)) == MAGIC else 0
    columns = []
    while offset + 8 <= storage.size:
        mark, length = struct.unpack("<4si", ahead.take(offset, 8))
        if mark != _MARK or not length:
            if mark != _MARK:
                raise SourceError(
                    f"{storage.name}, offset {offset}: no message of an Arrow file begins here"
                )
            break
        if not 0 < length <= min(_LARGEST_METADATA, storage.size - offset - 8):
            raise SourceError(f"{storage.name}, offset {offset}: a message of {length} bytes")
        metadata = ahead.take(offset + 8, length)
        try:
            kind, rows, body = _parsed(metadata)
        except (struct.error, IndexError):
            raise SourceError(f"{storage.name}, offset {offset}: a damaged message") from None
        end = offset + 8 + length + body
        if body < 0 or end > storage.size:
            raise SourceError(
                f"{storage.name}, offset {offset}: a message of {8 + length + body} bytes, but the "
                f"file has {storage.size}; it is cut off or damaged"
            )
        columns.append(_Message(kind, offset, end - offset, rows))
        offset = end
    return columns


def _parsed(metadata: bytes) -> tuple[int, int, int]:
    """Return type, rows and length of the body of a message.

    The tables are Message(version, header_type, header, bodyLength) and RecordBatch(length, ...).
    """
    table = _number("<I", metadata, 0)
    kind = _field(metadata, table, 1, "<B")
    body = _field(metadata, table, 3, "<q")
    rows = 0
    if kind == _BATCH:
        place = _place(metadata, table, 2)
        rows = _field(metadata, place + _number("<I", metadata, place), 0, "<q") if place else 0
    return kind, rows, body


def _field(data: bytes, table: int, number: int, form: str) -> int:
    place = _place(data, table, number)
    return _number(form, data, place) if place else 0


def _place(data: bytes, table: int, number: int) -> int:
    """Return where a field of a FlatBuffer's table lies; 0 if it has its default."""
    vtable = table - _number("<i", data, table)
    if 4 + 2 * number >= _number("<H", data, vtable):
        return 0
    offset = _number("<H", data, vtable + 4 + 2 * number)
    return table + offset if offset else 0


def _number(form: str, data: bytes, place: int) -> int:
    if place < 0:
        raise IndexError
    (number,) = struct.unpack_from(form, data, place)
    return int(number)
