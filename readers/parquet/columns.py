"""Columns of Arrow as outputs: which types are read, and where their values lie in memory.

A `ColumnRule` knows the type of a column. It turns the column of a record batch into
`ColumnValues`, which give samples without a Python object for each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from ...engine.arrays import Array, DType
from ...engine.errors import ArgumentError
from ...engine.suggestions import not_among
from .arrow_arrays import (
    byte_values,
    field_array,
    file_lists,
    list_values,
    numbers_of,
    sound_mask,
    storage_array,
)
from .library import pyarrow
from .nested import JsonValues
from .stored_types import (
    FILE,
    PATH,
    fields_of,
    is_file,
    is_file_list,
    is_json,
    is_list,
    is_real,
    is_string,
    natural_dtype,
    storage_type,
)
from .values import BadValueError, ColumnValues, NumberValues

if TYPE_CHECKING:
    import pyarrow as pa


class Kind(Enum):
    """What a sample of a column is."""

    VALUE = "a number, an array of numbers, or bytes"
    FILES = "a list of files"
    JSON = "JSON"


@dataclass(frozen=True)
class ColumnRule:
    """The rule by which a column becomes an output.

    Attributes:
        name: name of the column, as the user wrote it.
        selection: what is read of the file.
        steps: names from the top-level column down to the values.
        type: type of the values.
        dtype: dtype of the output.
        is_text: whether texts are decimal numbers.
        ndim: number of dimensions of a sample.
        path: what is read of the file for the paths of files whose bytes are missing; "" for
            columns without paths, and for lists of files, which are read with their paths.
        kind: see `Kind`.
        fill: the sample that stands for missing values (null); None if they are bad samples.
    """

    name: str
    selection: str
    steps: tuple[str, ...]
    type: pa.DataType
    dtype: DType
    is_text: bool
    ndim: int
    path: str = ""
    kind: Kind = Kind.VALUE
    fill: Array | None = None

    def values(self, batch: pa.RecordBatch) -> ColumnValues:
        """Return the values of this column of a record batch."""
        return self._values(self.array(batch))

    def array(self, batch: pa.RecordBatch) -> pa.Array:
        """Return PyArrow's array of this column of a record batch."""
        array = storage_array(batch.column(self.steps[0]))
        for name in self.steps[1:]:
            array = field_array(array, name)
        return array

    def paths(self, batches: Sequence[pa.RecordBatch]) -> list[str | None]:
        """Return the paths of files in all record batches; they hold `self.path`."""
        texts: list[str | None] = []
        for batch in batches:
            array = storage_array(batch.column(self.steps[0]))
            for name in (*self.steps[1:-1], PATH):
                array = field_array(array, name)
            texts += array.to_pylist()
        return texts

    def _values(self, array: pa.Array) -> ColumnValues:
        if self.kind is Kind.FILES:
            return file_lists(array)
        if self.kind is Kind.JSON:
            return JsonValues(array, sound_mask(array))
        arrow = pyarrow()
        if arrow.types.is_dictionary(array.type):
            numbers = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
            return self._values(array.dictionary).at(numbers, sound_mask(array))
        if is_list(array.type):
            return list_values(array, self.dtype)
        if arrow.types.is_integer(array.type) or is_real(array.type):
            return NumberValues(numbers_of(array), self.dtype, sound_mask(array))
        return byte_values(array, self.dtype, self.is_text)

    def filled(self, value: object, where: str) -> ColumnRule:
        """Return the rule by which `value` stands for missing values.

        Raises:
            ArgumentError: the column could not hold the value.
        """
        arrow = pyarrow()
        try:
            array = arrow.array([value], storage_type(self.type))
            if array.null_count:
                raise BadValueError(0, "is missing (null)")
            (fill,) = self._values(array).take(np.zeros(1, np.int64), np.empty)
        except (arrow.ArrowException, BadValueError, OverflowError, TypeError) as error:
            raise ArgumentError(
                f"{where}: fill={{{self.name!r}: {value!r:.80}}} is no value of the column's type "
                f"{self.type} ({error})"
            ) from None
        return replace(self, fill=np.asarray(fill))


def rule_of(schema: object, name: str, dtype: DType | None, where: str) -> ColumnRule:
    """Return how the column `name` of a schema becomes an output.

    Args:
        schema: schema of a file.
        name: name of a column, or of a field in it: "objects.bbox".
        dtype: dtype that the user wants; None for the usual one.
        where: the file, for messages.

    Raises:
        ArgumentError: there is no such column, its type cannot be read, or cannot become `dtype`.
    """
    steps, selection = _steps(schema, name, where)
    stored, path = _descended(schema, steps), ""
    if is_file(stored):
        fields = fields_of(stored)
        if PATH in fields and is_string(fields[PATH]):
            path = f"{name}.{PATH}" if selection == name else selection
        selection = f"{name}.{FILE}" if selection == name else selection
        steps = (*steps, FILE)
        stored = _descended(schema, steps)
    leaf, ndim = storage_type(stored), 0
    if pyarrow().types.is_dictionary(leaf):
        leaf = storage_type(leaf.value_type)
    while is_list(leaf) and not pyarrow().types.is_dictionary(stored):
        leaf, ndim = storage_type(leaf.value_type), ndim + 1
    natural = natural_dtype(leaf, in_list=ndim > 0)
    if natural is None:
        kind = _nested_kind(stored, name, where)
        if dtype not in (None, np.uint8):
            raise ArgumentError(
                f"{where}: the column {name!r} of type {stored} becomes {kind.value}, uint8, and "
                f"not {dtype}"
            )
        return ColumnRule(name, selection, steps, stored, np.dtype(np.uint8), False, 1, kind=kind)
    wanted = natural if dtype is None else dtype
    is_bytes = ndim == 0 and natural == np.uint8 and not pyarrow().types.is_integer(leaf)
    if is_bytes and wanted == np.bool_:
        raise ArgumentError(f"{where}: the column {name!r} of type {stored} cannot become BOOL")
    is_text = is_bytes and is_string(leaf) and wanted.itemsize > 1
    ndim = 1 if is_bytes and not is_text else ndim
    return ColumnRule(name, selection, steps, stored, wanted, is_text, ndim, path)


def _nested_kind(stored: object, name: str, where: str) -> Kind:
    if is_file_list(stored):
        return Kind.FILES
    if is_json(stored) and (is_list(stored) or fields_of(stored)):
        return Kind.JSON
    raise ArgumentError(f"{where}: the column {name!r} has the type {stored}; {_hint(stored)}")


def _steps(schema: pa.Schema, name: str, where: str) -> tuple[tuple[str, ...], str]:
    """Return the names on the way to a column, and the part of it that can be read alone."""
    if name in schema.names:
        _refuse_twins(schema, name, where)
        return (name,), name
    steps = tuple(name.split("."))
    if steps[0] not in schema.names:
        raise ArgumentError(f"{where} has no column {not_among(name, schema.names)}")
    _refuse_twins(schema, steps[0], where)
    inner = schema.field(steps[0]).type
    selected = [steps[0]]
    whole = False
    for step in steps[1:]:
        whole = whole or is_list(storage_type(inner))
        fields = fields_of(inner)
        if step not in fields:
            known = ", ".join(fields) or "none"
            raise ArgumentError(f"{where}: {name!r} has no field {step!r}; its fields are {known}")
        inner = fields[step]
        if not whole:
            selected.append(step)
    return steps, ".".join(selected)


def _refuse_twins(schema: pa.Schema, name: str, where: str) -> None:
    if schema.names.count(name) > 1:
        raise ArgumentError(f"{where} has {schema.names.count(name)} columns named {name!r}")


def _descended(schema: pa.Schema, steps: tuple[str, ...]) -> pa.DataType:
    stored = storage_type(schema.field(steps[0]).type)
    for step in steps[1:]:
        inner = fields_of(stored)[step]
        stored = pyarrow().list_(inner) if is_list(stored) else storage_type(inner)
    return stored


def _hint(stored: object) -> str:
    fields = fields_of(stored)
    if fields:
        return f"name one of its fields, such as {min(fields)!r} behind a dot"
    return (
        "numbers, bool, texts, bytes, files (struct of bytes and path), lists of files, and lists "
        "and structs of numbers and texts are read; let PyArrow cast the column to one of them"
    )
