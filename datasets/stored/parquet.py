"""Parquet files, laid out as the Hugging Face hub stores images and audio.

An encoded component is a struct of `bytes` and `path`. Numbers and texts are columns. An array is a
list, of lists of a fixed size if it has several dimensions. The column "key" has the keys. The
entry "huggingface" of the file's metadata describes the columns as `datasets.Features`.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError, MissingDependencyError, SourceError, install_hint
from ...readers.storage.file_object import StorageFile
from ...readers.storage.opening import open_storage
from ...readers.storage.urls import shown
from ..media import extension_of
from ..sample import Encoded, Sample, Value
from .base import Location, StoredSamples, numbered_key

KEY, METADATA = "key", b"huggingface"
_CACHED_GROUPS = 4


def pyarrow() -> Any:
    """Import PyArrow.

    Raises:
        MissingDependencyError: PyArrow is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingDependencyError(
            f"Parquet files need pyarrow: {install_hint('parquet')}"
        ) from None
    return pyarrow


class ParquetSamples(StoredSamples):
    """The rows of Parquet files; the row groups that were read last stay in memory."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._arrow = pyarrow()
        self._lock = Lock()
        self._groups: OrderedDict[int, Any] = OrderedDict()
        self._files: dict[str, Any] = {}
        self._layout = [(path, group) for path in location.files for group in self._rows(path)]
        counts = [rows for _, (_, rows) in self._layout]
        self._firsts = np.cumsum([0, *counts], dtype=np.int64)
        if not self._firsts[-1]:
            raise SourceError(f"{location.root}: the Parquet files hold no row")
        self.learn(location.manifest)
        if location.manifest is None:
            self.classes = self._class_names()

    def _rows(self, path: str) -> list[tuple[int, int]]:
        """Return number and rows of each row group of a file."""
        metadata = self._file(path).metadata
        counts = (metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
        return list(enumerate(counts))

    def _file(self, path: str) -> Any:
        if path not in self._files:
            try:
                file = StorageFile(open_storage(path, self._location.options))
                self._files[path] = self._arrow.parquet.ParquetFile(file)
            except (self._arrow.ArrowException, UnicodeDecodeError) as error:
                raise SourceError(f"{shown(path)} is no sound Parquet file: {error}") from None
        return self._files[path]

    def _class_names(self) -> tuple[str, ...]:
        stored: Any = self._file(self._location.files[0]).schema_arrow.metadata or {}
        try:
            names = json.loads(stored[METADATA])["info"]["features"]["label"]["names"]
        except (TypeError, KeyError, ValueError):
            return ()
        return tuple(map(str, names))

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def read(self, indices: NDArray[np.int64]) -> list[Sample]:
        """See `StoredSamples.read`."""
        groups = np.searchsorted(self._firsts, indices, "right") - 1
        samples: list[Sample | None] = [None] * len(indices)
        for group in np.unique(groups).tolist():
            rows = np.flatnonzero(groups == group)
            table = self._group(group).take(indices[rows] - self._firsts[group])
            try:
                names, columns = table.column_names, [_values(column) for column in table.columns]
            except DecodeError as error:
                raise DecodeError(f"{self.where(int(indices[rows[0]]))}: {error}") from None
            for number, row in enumerate(rows.tolist()):
                stored = {n: c[number] for n, c in zip(names, columns, strict=True)}
                samples[row] = self._sample(int(indices[row]), stored)
        return [sample for sample in samples if sample is not None]

    def _sample(self, index: int, stored: dict[str, Value | None]) -> Sample:
        key = stored.pop(KEY, None)
        if not isinstance(key, str):
            path, (group, _) = self._layout[self._group_of(index)]
            key = numbered_key(path, index - int(self._firsts[self._group_of(index) - group]))
        return Sample(key, {name: value for name, value in stored.items() if value is not None})

    def _group_of(self, index: int) -> int:
        return int(np.searchsorted(self._firsts, index, "right")) - 1

    def _group(self, number: int) -> Any:
        with self._lock:
            if number not in self._groups:
                path, (group, _) = self._layout[number]
                try:
                    table = self._file(path).read_row_group(group)
                    table.validate(full=True)  # else a text that is no UTF-8 would raise later
                    self._groups[number] = table
                except (self._arrow.ArrowException, OSError) as error:
                    raise SourceError(f"{shown(path)}, row group {group}: {error}") from None
                if len(self._groups) > _CACHED_GROUPS:
                    self._groups.popitem(last=False)
            self._groups.move_to_end(number)
            return self._groups[number]

    def where(self, index: int) -> str:
        """Return file, row group, and row in the group."""
        number = self._group_of(index)
        path, (group, _) = self._layout[number]
        return f"{shown(path)}, row group {group}, row {index - int(self._firsts[number])}"

    def files(self) -> list[str]:
        """See `StoredSamples.files`."""
        return list(self._location.files)

    def close(self) -> None:
        """See `StoredSamples.close`."""
        with self._lock:
            for file in self._files.values():
                file.close()
            self._files.clear()
            self._groups.clear()


def _values(column: Any) -> list[Value | None]:
    """Return the values of a column; None for missing ones."""
    arrow, stored = pyarrow().types, column.type
    if arrow.is_struct(stored) and stored.get_field_index("bytes") >= 0:
        return [
            _encoded(item["bytes"], item.get("path")) if item else None
            for item in column.to_pylist()
        ]
    if arrow.is_binary(stored) or arrow.is_large_binary(stored):
        return [None if item is None else _encoded(item, None) for item in column.to_pylist()]
    if _is_list(stored):
        dtype = np.dtype(_element(stored).to_pandas_dtype())
        sizes = _fixed_sizes(stored)
        return [_array(item, dtype, sizes) for item in column]
    if arrow.is_boolean(stored):
        return [None if item is None else int(item) for item in column.to_pylist()]
    if arrow.is_integer(stored) or arrow.is_floating(stored) or arrow.is_string(stored):
        values: list[Value | None] = column.to_pylist()
        return values
    if arrow.is_large_string(stored):
        return list(column.to_pylist())
    raise SourceError(f"a column of type {stored} is no component of a sample")


def _encoded(content: bytes | None, path: str | None) -> Encoded | None:
    if content is None:
        return None
    extension = os.path.splitext(path or "")[1][1:]
    return Encoded(content, extension or extension_of(content))


def _is_list(stored: Any) -> bool:
    arrow = pyarrow().types
    tests = (arrow.is_list, arrow.is_large_list, arrow.is_fixed_size_list)
    return any(test(stored) for test in tests)


def _element(stored: Any) -> Any:
    while _is_list(stored):
        stored = stored.value_type
    return stored


def _fixed_sizes(stored: Any) -> list[int]:
    """Return the extents behind the first one; -1 for lists whose size varies."""
    sizes = []
    while _is_list(stored := stored.value_type):
        fixed = pyarrow().types.is_fixed_size_list(stored)
        sizes.append(stored.list_size if fixed else -1)
    return sizes


def _array(item: Any, dtype: np.dtype[Any], sizes: list[int]) -> NDArray[Any] | None:
    values = item.values
    if values is None:
        return None
    if any(size < 0 for size in sizes):
        try:
            return np.array(item.as_py(), dtype)
        except (ValueError, TypeError) as error:
            raise DecodeError(f"lists that differ in length are no array: {error}") from None
    count = len(values)
    for _ in sizes:
        values = values.flatten()
    flat: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return flat.astype(dtype, copy=False).reshape(count, *sizes)
