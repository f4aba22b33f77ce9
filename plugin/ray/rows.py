"""Samples as blocks of Ray Data, and blocks as samples.

The component NAME is a column NAME; if it is encoded, its extension is in the column
"NAME.extension". The samples' keys are in the column "key".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as arrow
from ray.data.block import BlockAccessor
from ray.data.extensions import ArrowTensorArray, ArrowVariableShapedTensorArray

from ...datasets.media import extension_of
from ...datasets.sample import Encoded, Sample, Value
from ...datasets.schema import ARRAY, ENCODED, FLOAT, INT, ComponentType, Schema
from ...engine.errors import ArgumentError, DecodeError

KEY, EXTENSION = "key", ".extension"

_BYTES, _PATH = "bytes", "path"
"""Fields of an encoded file in data sets of Hugging Face."""

_TYPES = {ENCODED: arrow.binary, INT: arrow.int64, FLOAT: arrow.float64}


def block_of(samples: Sequence[Sample], schema: Schema) -> arrow.Table:
    """Return samples as a table with the columns of a schema.

    Raises:
        DecodeError: a component has another type than the schema says.
    """
    columns = {KEY: arrow.array([sample.key for sample in samples], arrow.string())}
    for name, component in schema.items():
        values: list[Any] = [sample.components.get(name) for sample in samples]
        if component.type == ENCODED:
            extensions = [None if value is None else value.extension for value in values]
            columns[name + EXTENSION] = arrow.array(extensions, arrow.string())
            values = [None if value is None else value.data for value in values]
        try:
            columns[name] = _column(values, component)
        except (arrow.ArrowException, TypeError, OverflowError, ValueError) as error:
            raise DecodeError(
                f"the component {name!r} of a sample from {samples[0].key!r} to "
                f"{samples[-1].key!r} is not {component}, as the first samples are: {error}"
            ) from None
    return arrow.table(columns)


def _column(values: list[Any], type: ComponentType) -> Any:
    if type.type != ARRAY:
        return arrow.array(values, _TYPES.get(type.type, arrow.string)())
    held = [value for value in values if value is not None]
    is_one_shape = None not in type.shape and len({value.shape for value in held}) == 1
    if is_one_shape and len(held) == len(values):
        return ArrowTensorArray.from_numpy(np.stack(held))
    filled: list[Any] = held or [np.zeros([0] * len(type.shape), type.dtype)]
    several = np.empty(len(filled), object)
    for row, value in enumerate(filled):  # an assignment of all joins arrays of one shape
        several[row] = value
    column = ArrowVariableShapedTensorArray.from_numpy(several)
    if len(held) == len(values):
        return column
    places = np.cumsum([value is not None for value in values]) - 1
    pairs = zip(places.tolist(), values, strict=True)
    rows = arrow.array([None if value is None else place for place, value in pairs], arrow.int64())
    return arrow.ExtensionArray.from_storage(column.type, column.storage.take(rows))


def samples_of(block: object, numbered: str) -> Iterator[Sample]:
    """Yield the rows of a block as samples.

    Args:
        block: a block of Ray Data, or a table of Arrow.
        numbered: what keys begin with where the block has no column "key".

    Raises:
        ArgumentError: no component can hold a value.
    """
    accessor: Any = BlockAccessor.for_block(block)
    dtypes = _dtypes_of_lists(accessor.to_arrow().schema)
    for number, row in enumerate(accessor.iter_rows(public_row_format=True)):
        yield _sample(row, f"{numbered}/{number:08d}", dtypes)


def _dtypes_of_lists(schema: Any) -> dict[str, object]:
    """Return the type of the elements of each column of lists, which rows no longer know."""
    dtypes = {}
    for field in schema:
        kind = field.type
        while arrow.types.is_list(kind) or arrow.types.is_fixed_size_list(kind):
            kind = kind.value_type
        if kind is not field.type and arrow.types.is_primitive(kind):
            dtypes[field.name] = np.dtype(kind.to_pandas_dtype())
    return dtypes


def _sample(row: Mapping[str, Any], numbered: str, dtypes: Mapping[str, Any]) -> Sample:
    key = row.get(KEY, numbered)
    components = {}
    for name, stored in row.items():
        base = name.removesuffix(EXTENSION)
        if name == KEY or stored is None or (base != name and base in row):
            continue
        value = _value(stored, row.get(name + EXTENSION), dtypes.get(name))
        if value is None:
            raise ArgumentError(
                f"row {key!r}: no component can hold the column {name!r}, a "
                f"{type(stored).__name__}; drop it, or make it bytes, a number, a text or an array"
            )
        components[name] = value
    return Sample(str(key), components)


def _value(stored: Any, extension: str | None, dtype: Any) -> Value | None:
    """Return a component; None for what is none."""
    if isinstance(stored, dict) and stored.keys() == {_BYTES, _PATH}:
        _, _, extension = (stored[_PATH] or "").rpartition(".")
        stored = stored[_BYTES]
    if isinstance(stored, list) and dtype is not None:
        stored = np.array(stored, dtype)
    if isinstance(stored, bytes):
        return Encoded(stored, extension_of(stored) if extension is None else extension)
    if isinstance(stored, np.ndarray) and stored.dtype.kind in "biufc":
        return stored
    if isinstance(stored, np.generic):
        stored = stored.item()
    if isinstance(stored, bool):
        return int(stored)
    return stored if isinstance(stored, int | float | str) else None
