"""Parquet files, laid out as the Hugging Face hub stores images and audio, and Arrow files.

An encoded component is a struct of `bytes` and `path`. Numbers and texts are columns. An array is a
list, of lists of a fixed size if it has several dimensions. The column "key" has the keys. The
entry "huggingface" of the schema's metadata describes the columns as `datasets.Features`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Bytes, DType
from ....engine.errors import DecodeError, SourceError
from ....readers.parquet.arrow_arrays import list_values
from ....readers.parquet.blocks import RowBlocks, open_tables
from ....readers.parquet.features import class_names, features_of
from ....readers.parquet.library import pyarrow
from ....readers.parquet.linked_files import read_linked
from ....readers.parquet.parquet_file import FOOTER
from ....readers.parquet.stored_types import is_list, natural_dtype
from ....readers.parquet.values import BadValueError
from ...component_files import LABEL
from ...media import extension_of, main_components, main_components_first
from ...sample import Encoded, Sample, Value
from ..base import Location, ReaderCall, StoredSamples, numbered_key

if TYPE_CHECKING:
    import pyarrow as pa

Linked = Callable[[Sequence[str]], list[Bytes]]
"""Reads files that a table names by path: see `read_linked`."""

KEY = "key"
_CACHE_BYTES = 256 << 20
_SHUFFLED_ROWS = 1000
"""Consecutive rows that are shuffled as one block, so that few row groups are decoded."""
ENDINGS = (".parquet", ".arrow")


class ParquetSamples(StoredSamples):
    """The rows of Parquet and Arrow files; the row groups that were read last stay in memory."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        opened = location.damages.open(self.files(), location.options, FOOTER)
        tables = open_tables([*opened.values()], location.damages)
        path_of = {id(storage): self.files()[number] for number, storage in opened.items()}
        self._paths = [path_of[id(table.storage)] for table in tables]
        self._blocks = RowBlocks["pa.Table"](tables, None, _table, _CACHE_BYTES)
        location.damages.require(len(self._blocks))
        if not len(self._blocks):
            raise SourceError(f"{location.root}: the Parquet files hold no row")
        fields: dict[str, pa.DataType] = {}
        for table in tables:
            if not len(table.schema):
                raise SourceError(f"{table.storage.name} is a table without columns")
            for column in _flattened(table.schema.empty_table()).schema:
                fields.setdefault(column.name, column.type)
        self.unread_fields = tuple(_unread(fields))
        if not any(map(_is_component, fields.values())):
            name, stored = next(iter(fields.items()))
            raise SourceError(
                f"the column {name!r} of type {stored} is no component of a sample, nor is any "
                "other column"
            )
        self.learn(location.manifest)
        if location.manifest is None:
            self.classes = class_names(features_of(tables[0].schema.metadata), LABEL)

    def __len__(self) -> int:
        return len(self._blocks)

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        samples: list[Sample | None] = [None] * len(indices)
        for number, block, places, rows in self._blocks.groups(indices):
            table = block.take(rows)
            path = self._paths[self._blocks.file_of(number)]
            linked = partial(read_linked, path, options=self.location.options, allocate=np.empty)
            try:
                names = table.column_names
                columns = [_values(table.column(name), linked) for name in names]
            except DecodeError as error:
                raise DecodeError(f"{self.where(int(indices[places[0]]))}: {error}") from None
            for number, place in enumerate(places.tolist()):
                stored = {n: c[number] for n, c in zip(names, columns, strict=True)}
                samples[place] = self._sample(int(indices[place]), stored)
        return [sample for sample in samples if sample is not None]

    def _sample(self, index: int, stored: dict[str, Value | None]) -> Sample:
        key = stored.pop(KEY, None)
        if not isinstance(key, str):
            file, row = self._blocks.row_of(index)
            key = numbered_key(file.storage.name, row)
        return Sample(key, {name: value for name, value in stored.items() if value is not None})

    def where(self, index: int) -> str:
        """Return file, row group, and row in the group."""
        return self._blocks.place_of(index)

    def reader_calls(self) -> Sequence[ReaderCall]:
        columns = main_components(self.schema)
        arguments = {"path": self.files(), "columns": columns, "shuffle_block": _SHUFFLED_ROWS}
        shown = {"columns": main_components_first(self.schema)}
        return [ReaderCall("parquet", arguments, is_own=True, shown=shown)]

    def close(self) -> None:
        self._blocks.close()


def _table(_: int, batches: list[pa.RecordBatch]) -> tuple[pa.Table, int]:
    table = _flattened(pyarrow().Table.from_batches(batches))
    table = table.select([field.name for field in table.schema if _is_component(field.type)])
    return table, table.nbytes


def _flattened(table: pa.Table) -> pa.Table:
    """Return a table with a column for each field of structs that hold lists, such as boxes."""
    columns: dict[str, pa.ChunkedArray] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        one = pyarrow().table({name: column})
        if _holds_lists(column.type):
            one = one.flatten()
        columns |= dict(zip(one.column_names, one.columns, strict=True))
    return pyarrow().table(columns)


def _holds_lists(stored: pa.DataType) -> bool:
    """Return whether a type is the struct with a list for each field of some objects."""
    if not pyarrow().types.is_struct(stored) or not stored.num_fields:
        return False
    return all(is_list(stored.field(number).type) for number in range(stored.num_fields))


def _is_file(stored: pa.DataType) -> bool:
    return bool(pyarrow().types.is_struct(stored)) and stored.get_field_index("bytes") >= 0


def _unread(columns: Mapping[str, pa.DataType]) -> Iterator[str]:
    """Yield the names of the columns, and of the fields of files, that no sample carries."""
    for name, stored in columns.items():
        if not _is_component(stored):
            yield name
        elif _is_file(stored):
            yield from (f"{name}.{f.name}" for f in stored if f.name not in ("bytes", "path"))


def _is_component(stored: pa.DataType) -> bool:
    """Return whether columns of a type become components of samples."""
    arrow = pyarrow().types
    if arrow.is_dictionary(stored):
        return _is_component(stored.value_type)
    if hasattr(stored, "storage_type"):  # of an extension, such as Array2D of `datasets`
        return _is_component(stored.storage_type)
    if is_list(stored):
        return natural_dtype(_element(stored), in_list=True) is not None
    plain = (
        arrow.is_binary,
        arrow.is_large_binary,
        arrow.is_boolean,
        arrow.is_integer,
        arrow.is_floating,
        arrow.is_string,
        arrow.is_large_string,
    )
    return _is_file(stored) or any(is_of(stored) for is_of in plain)


def _values(column: pa.ChunkedArray, linked: Linked) -> list[Value | None]:
    """Return the values of a column whose type is a component's; None for missing ones."""
    arrow, stored = pyarrow().types, column.type
    if arrow.is_dictionary(stored):
        return _values(column.cast(stored.value_type), linked)
    if hasattr(stored, "storage_type"):
        return _values(column.cast(stored.storage_type), linked)
    if _is_file(stored):
        return _files(column.to_pylist(), linked)
    if arrow.is_binary(stored) or arrow.is_large_binary(stored):
        return [None if item is None else _encoded(item, None) for item in column.to_pylist()]
    if is_list(stored):
        dtype = natural_dtype(_element(stored), in_list=True)
        assert dtype is not None
        return _arrays(column.combine_chunks(), dtype)
    if arrow.is_boolean(stored):
        return [None if item is None else int(item) for item in column.to_pylist()]
    values: list[Value | None] = column.to_pylist()
    return values


def _files(items: list[Any], linked: Linked) -> list[Value | None]:
    """Return files; those without bytes are read from their paths."""
    places = [
        n for n, item in enumerate(items) if item and item["bytes"] is None and item.get("path")
    ]
    files: list[Value | None] = [
        _encoded(item["bytes"], item.get("path")) if item else None for item in items
    ]
    if places:
        paths = [items[place]["path"] for place in places]
        for place, path, content in zip(places, paths, linked(paths), strict=True):
            files[place] = _encoded(content.data, path)
    return files


def _encoded(content: bytes | memoryview | None, path: str | None) -> Encoded | None:
    if content is None:
        return None
    extension = os.path.splitext(path or "")[1][1:].lower()
    return Encoded(content, extension or extension_of(content))


def _element(stored: pa.DataType) -> pa.DataType:
    while is_list(stored):
        stored = stored.value_type
    return stored


def _arrays(column: pa.ChunkedArray, dtype: DType) -> list[Value | None]:
    """Return lists as arrays; None for missing ones."""
    lists, there = list_values(column, dtype), column.is_valid().to_pylist()
    try:
        rows = np.flatnonzero(there)
        arrays = iter(lists.take(rows, np.empty))
    except BadValueError as error:
        reason = "lists that differ in length" if lists.ragged[error.row] else "missing numbers"
        raise DecodeError(f"{reason} are no array") from None
    return [next(arrays) if is_there else None for is_there in there]
