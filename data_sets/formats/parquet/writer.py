"""Writes Parquet files by PyArrow; see `stored.parquet`."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....engine.errors import ArgumentError
from ....readers.parquet.features import METADATA
from ....readers.parquet.library import pyarrow
from ...component_files import LABEL
from ...manifest import ShardInfo
from ...media import AUDIO, IMAGE, medium_of
from ...reading import size_of
from ...sample import Encoded, Sample, Value
from ...schema import ARRAY, ENCODED, FLOAT, INT, ComponentType, Schema
from ..arrays.writer import synced
from ..hashed_file import hash_of
from ..writer import Target, Writer
from .reader import KEY

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

GROUP_ROWS = 100
"""Rows of a row group at most, as the Hugging Face hub does for images: a reader decodes a row
group to get one row."""

GROUP_BYTES = 16 << 20
"""About the bytes of a row group."""

_FEATURES = {IMAGE: "Image", AUDIO: "Audio"}


class ParquetWriter(Writer):
    """Writes `.parquet` files."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._arrow = pyarrow()
        self._writer: pq.ParquetWriter | None = None

    @classmethod
    def refusal(cls, schema: Schema) -> str:
        for name, component in schema.items():
            if name == KEY:
                return f"Parquet files have another use for the name {KEY!r}"
            if component.type == ARRAY and (
                None in component.shape[1:] or not _is_number(component.dtype)
            ):
                return (
                    "Parquet files hold arrays of real numbers whose first extent alone varies, "
                    f"but the component {name!r} is {component}"
                )
            if 0 in component.shape[1:]:
                return (
                    "Parquet files hold no arrays with an extent of 0 behind the first, but the "
                    f"component {name!r} is {component}"
                )
        return ""

    def start(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".parquet")
        self._rows: list[Sample] = []
        self._bytes = self._samples = 0
        fields = [(KEY, self._arrow.string())]
        fields += [(name, self._type(component)) for name, component in self.target.schema.items()]
        features = {
            KEY: {"dtype": "string", "_type": "Value"},
            **{
                n: _feature(n, component, self.target)
                for n, component in self.target.schema.items()
            },
        }
        metadata = {METADATA: json.dumps({"info": {"features": features}})}
        self._schema = self._arrow.schema(fields, metadata=metadata)
        self._file = self._path.open("xb")
        self._writer = self._arrow.parquet.ParquetWriter(self._file, self._schema)

    def _type(self, type: ComponentType) -> object:
        arrow = self._arrow
        if type.type == ENCODED:
            return arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
        if type.type != ARRAY:
            return {INT: arrow.int64, FLOAT: arrow.float64}.get(type.type, arrow.string)()
        made = arrow.from_numpy_dtype(np.dtype(type.dtype))
        for extent in reversed(type.shape[1:]):
            made = arrow.list_(made, extent)
        return arrow.list_(made)

    def write(self, sample: Sample) -> None:
        if unknown := sample.components.keys() - self.target.schema.keys():
            raise ArgumentError(f"the component {min(unknown)!r} is not in the schema")
        for name, value in sample.components.items():
            self._check(name, value)
        self._rows.append(sample)
        self._samples += 1
        self._bytes += size_of(sample)
        if len(self._rows) >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._flush()

    def _check(self, name: str, value: Value) -> None:
        declared = self.target.schema[name]
        if declared.type != ARRAY:
            return
        array = np.asarray(value)
        fits = array.dtype == declared.dtype and array.ndim == len(declared.shape)
        if not fits or array.shape[1:] != declared.shape[1:]:
            raise ArgumentError(
                f"the component {name!r} is {array.dtype} {array.shape}, not {declared}"
            )

    def _flush(self) -> None:
        if self._rows:
            arrays = [self._arrow.array([row.key for row in self._rows], self._arrow.string())]
            for name, component in self.target.schema.items():
                values = [row.components.get(name) for row in self._rows]
                arrays.append(self._column(name, component, values))
            assert self._writer is not None
            self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._rows, self._bytes = [], 0

    def _column(self, name: str, type: ComponentType, values: list[Value | None]) -> object:
        stored = self._schema.field(name).type
        if type.type == ENCODED:
            items = [self._struct(row.key, v) for row, v in zip(self._rows, values, strict=True)]
            return self._arrow.array(items, stored)
        if type.type == ARRAY:
            return self._lists(stored, values)
        try:
            return self._arrow.array(values, stored)
        except (self._arrow.ArrowException, OverflowError) as error:
            raise ArgumentError(f"the component {name!r} does not fit {stored}: {error}") from None

    @staticmethod
    def _struct(key: str, value: Value | None) -> dict[str, object] | None:
        if not isinstance(value, Encoded):
            return None
        return {"bytes": bytes(value.data), "path": f"{key}.{value.extension}"}

    def _lists(self, stored: pa.DataType, values: list[Value | None]) -> pa.Array:
        """Return the column of arrays; `stored` is the type of its lists."""
        arrays = [np.zeros(0) if value is None else np.asarray(value) for value in values]
        offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int32)
        element, sizes = stored.value_type, []
        while self._arrow.types.is_fixed_size_list(element):
            sizes.append(element.list_size)
            element = element.value_type
        flat = [array.reshape(-1) for array in arrays if array.size]
        joined = np.concatenate(flat) if flat else np.zeros(0)
        inner = self._arrow.array(joined, element)
        for size in reversed(sizes):
            inner = self._arrow.FixedSizeListArray.from_arrays(inner, size)
        missing = [value is None for value in values]
        mask = self._arrow.array(missing) if any(missing) else None
        return self._arrow.ListArray.from_arrays(offsets, inner, mask=mask)

    def finish(self) -> ShardInfo:
        self._flush()
        assert self._writer is not None
        self._writer.close()
        self._writer = None
        synced(self._file)
        return ShardInfo((hash_of(self._path, self._path.parent),), self._samples)

    def abandon(self) -> None:
        if self._writer is not None:
            with suppress(OSError, self._arrow.ArrowException):  # the error before counts
                self._writer.close()
            with suppress(OSError):
                self._file.close()
            self._writer = None


def _is_number(dtype: str) -> bool:
    return np.dtype(dtype).kind in "biuf"


def _feature(name: str, type: ComponentType, target: Target) -> dict[str, object]:
    """Return the feature, as the library `datasets` describes it, of a component."""
    if type.type == ENCODED:
        medium = _FEATURES.get(medium_of(type.extension)) or _FEATURES.get(name)
        if medium is not None:
            return {"_type": medium}
        value = {"dtype": "binary", "_type": "Value"}
        return {"bytes": value, "path": value | {"dtype": "string"}}
    if type.type == INT and name == LABEL and target.classes:
        return {"names": list(target.classes), "_type": "ClassLabel"}
    if type.type != ARRAY:
        dtype = {INT: "int64", FLOAT: "float64"}.get(type.type, "string")
        return {"dtype": dtype, "_type": "Value"}
    feature: dict[str, object] = {"dtype": type.dtype, "_type": "Value"}
    for extent in reversed(type.shape[1:]):
        feature = {"feature": feature, "length": extent, "_type": "Sequence"}
    return {"feature": feature, "_type": "Sequence"}
