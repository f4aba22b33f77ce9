"""Columns of Arrow as outputs: which types are read, and where their values lie in memory.

A `ColumnRule` knows the type of a column. It turns the column of a record batch into
`ColumnValues`, which give samples without a Python object for each value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.suggestions import not_among
from .library import pyarrow
from .values import ByteValues, ColumnValues, ListValues, NumberValues

_FILE = "bytes"  # the field with the content, in structs that stand for a file
_PATH = "path"  # the field with the name of a file, whose content may be missing


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
            columns without paths.
    """

    name: str
    selection: str
    steps: tuple[str, ...]
    type: Any
    dtype: np.dtype[Any]
    is_text: bool
    ndim: int
    path: str = ""

    def values(self, batch: Any) -> ColumnValues:
        """Return the values of this column of a record batch."""
        array = _storage_of(batch.column(self.steps[0]))
        for name in self.steps[1:]:
            array = _field(array, name)
        return self._values(array)

    def paths(self, batches: Sequence[Any]) -> list[str | None]:
        """Return the paths of files in all record batches; they hold `self.path`."""
        texts: list[str | None] = []
        for batch in batches:
            array = _storage_of(batch.column(self.steps[0]))
            for name in (*self.steps[1:-1], _PATH):
                array = _field(array, name)
            texts += array.to_pylist()
        return texts

    def _values(self, array: Any) -> ColumnValues:
        arrow = pyarrow()
        if arrow.types.is_dictionary(array.type):
            numbers = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
            return self._values(array.dictionary).at(numbers, _sound(array))
        if is_list(array.type):
            return list_values(array, self.dtype)
        if arrow.types.is_integer(array.type) or _is_real(array.type):
            return NumberValues(_numbers(array), self.dtype, _sound(array))
        array = array.cast(arrow.large_binary())
        _, offsets, content = array.buffers()
        bounds = np.frombuffer(offsets, np.int64)[array.offset :][: len(array) + 1]
        block = np.frombuffer(content or b"", np.uint8)
        starts, ends = bounds[:-1], bounds[1:]
        return ByteValues(block, starts, ends - starts, self.dtype, self.is_text, _sound(array))


def rule_of(schema: Any, name: str, dtype: np.dtype[Any] | None, where: str) -> ColumnRule:
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
    if _is_file(stored):
        if _is_text(_fields(stored).get(_PATH)):
            path = f"{name}.{_PATH}" if selection == name else selection
        selection = f"{name}.{_FILE}" if selection == name else selection
        steps = (*steps, _FILE)
        stored = _descended(schema, steps)
    leaf, ndim = _storage(stored), 0
    if pyarrow().types.is_dictionary(leaf):
        leaf = _storage(leaf.value_type)
    while is_list(leaf) and not pyarrow().types.is_dictionary(stored):
        leaf, ndim = _storage(leaf.value_type), ndim + 1
    natural = natural_dtype(leaf, in_list=ndim > 0)
    if natural is None:
        raise ArgumentError(f"{where}: the column {name!r} has the type {stored}; {_hint(stored)}")
    wanted = natural if dtype is None else dtype
    is_bytes = ndim == 0 and natural == np.uint8 and not pyarrow().types.is_integer(leaf)
    if is_bytes and wanted == np.bool_:
        raise ArgumentError(f"{where}: the column {name!r} of type {stored} cannot become BOOL")
    is_text = is_bytes and _is_text(leaf) and wanted.itemsize > 1
    ndim = 1 if is_bytes and not is_text else ndim
    return ColumnRule(name, selection, steps, stored, wanted, is_text, ndim, path)


def _steps(schema: Any, name: str, where: str) -> tuple[tuple[str, ...], str]:
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
        whole = whole or is_list(_storage(inner))
        fields = _fields(inner)
        if step not in fields:
            known = ", ".join(fields) or "none"
            raise ArgumentError(f"{where}: {name!r} has no field {step!r}; its fields are {known}")
        inner = fields[step]
        if not whole:
            selected.append(step)
    return steps, ".".join(selected)


def _refuse_twins(schema: Any, name: str, where: str) -> None:
    if schema.names.count(name) > 1:
        raise ArgumentError(f"{where} has {schema.names.count(name)} columns named {name!r}")


def _fields(stored: Any) -> dict[str, Any]:
    """Return the types of the fields of a struct, or of lists of structs."""
    stored = _storage(stored)
    if is_list(stored):
        stored = _storage(stored.value_type)
    if not pyarrow().types.is_struct(stored):
        return {}
    return {stored.field(i).name: stored.field(i).type for i in range(stored.num_fields)}


def _descended(schema: Any, steps: tuple[str, ...]) -> Any:
    stored = _storage(schema.field(steps[0]).type)
    for step in steps[1:]:
        inner = _fields(stored)[step]
        stored = pyarrow().list_(inner) if is_list(stored) else _storage(inner)
    return stored


def _is_file(stored: Any) -> bool:
    """Return whether a type is the struct that stands for a file: `bytes` and `path`."""
    arrow = pyarrow().types
    if not arrow.is_struct(stored):
        return False
    content = _fields(stored).get(_FILE)
    return content is not None and (arrow.is_binary(content) or arrow.is_large_binary(content))


def natural_dtype(leaf: Any, *, in_list: bool) -> np.dtype[Any] | None:
    """Return the dtype of an output with values of a type; None if none is right."""
    arrow = pyarrow().types
    if arrow.is_boolean(leaf):
        return np.dtype(np.bool_)
    if arrow.is_integer(leaf) or arrow.is_floating(leaf):
        kind = "f" if arrow.is_floating(leaf) else "i" if arrow.is_signed_integer(leaf) else "u"
        return np.dtype(f"{kind}{leaf.bit_width // 8}")
    return np.dtype(np.uint8) if not in_list and _is_bytes(leaf) else None


def _is_real(stored: Any) -> bool:
    arrow = pyarrow().types
    return bool(arrow.is_floating(stored) or arrow.is_boolean(stored))


def _is_bytes(stored: Any) -> bool:
    tests = ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
    return _is_text(stored) or _any(tests, stored)


def _is_text(stored: Any) -> bool:
    return _any(("is_string", "is_large_string", "is_string_view"), stored)


def is_list(stored: Any) -> bool:
    """Return whether values of a type are lists."""
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return _any(tests, stored)


def _any(tests: tuple[str, ...], stored: Any) -> bool:
    functions: list[Callable[[Any], bool] | None] = [
        getattr(pyarrow().types, name, None) for name in tests
    ]
    return any(function is not None and function(stored) for function in functions)


def _hint(stored: Any) -> str:
    fields = _fields(stored)
    if fields:
        return f"name one of its fields, such as {min(fields)!r} behind a dot"
    return (
        "numbers, bool, texts, bytes, files (struct of bytes and path) and lists of numbers are "
        "read; let PyArrow cast the column to one of them"
    )


def _storage(stored: Any) -> Any:
    """Return the stored type of an extension's type, such as Array2D of `datasets`."""
    return getattr(stored, "storage_type", stored)


def _storage_of(array: Any) -> Any:
    return array.storage if hasattr(array.type, "storage_type") else array


def _field(array: Any, name: str) -> Any:
    """Return a field of structs, or the lists of a field of lists of structs."""
    arrow = pyarrow()
    if not is_list(array.type):
        return _storage_of(arrow.compute.struct_field(array, [name]))
    lists = _plain_lists(array)
    values = arrow.compute.struct_field(_storage_of(lists.values), [name])
    missing = lists.is_null() if lists.null_count else None
    return arrow.LargeListArray.from_arrays(lists.offsets, values, mask=missing)


def _plain_lists(array: Any) -> Any:
    """Return lists as a LargeListArray."""
    arrow = pyarrow()
    return array.cast(arrow.large_list(array.type.value_type))


def _sound(array: Any) -> NDArray[np.bool_] | None:
    """Return which values are there; None if all are."""
    if not array.null_count:
        return None
    valid: NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return valid


def _numbers(array: Any) -> NDArray[Any]:
    if array.null_count:
        array = array.fill_null(False if pyarrow().types.is_boolean(array.type) else 0)
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def list_values(array: Any, dtype: np.dtype[Any]) -> ListValues:
    """Return lists as arrays. Step by step `bounds` cut the next level's elements into rows."""
    count = len(array)
    bounds = np.arange(count + 1)
    extents: list[NDArray[np.int64]] = []
    missing, ragged = np.zeros((2, count), np.bool_)
    while is_list(array.type):
        missing |= _rows_with(~_present(array), bounds)
        if pyarrow().types.is_fixed_size_list(array.type):
            size = array.type.list_size
            inner = array.values.slice(array.offset * size, len(array) * size)
            extents.append(np.full(count, size, np.int64))
            bounds = bounds * size
        else:
            lists = _plain_lists(array)
            inner, offsets = lists.values, lists.offsets.to_numpy()
            lengths = np.append(np.diff(offsets), 0)
            filled = bounds[1:] > bounds[:-1]
            # A row without lists takes the length of the others': no boxes have the shape (0, 4).
            usual = lengths[bounds[np.argmax(filled)]] if count else 0
            extents.append(np.where(filled, lengths[bounds[:-1]], usual))
            other = lengths[bounds[0] : bounds[-1]] != np.repeat(extents[-1], np.diff(bounds))
            ragged |= _rows_with(other, bounds - bounds[0])
            bounds = offsets[bounds]
        array = _storage_of(inner)
    missing |= _rows_with(~_present(array), bounds)
    shapes = np.stack(extents, axis=1)
    return ListValues(_numbers(array), bounds, shapes, dtype, ~missing, ragged)


def _present(array: Any) -> NDArray[np.bool_]:
    sound = _sound(array)
    return np.ones(len(array), np.bool_) if sound is None else sound


def _rows_with(marks: NDArray[np.bool_], bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows hold a marked element."""
    if not marks.any():
        return np.zeros(len(bounds) - 1, np.bool_)
    before = np.append(0, np.cumsum(marks))
    falls: NDArray[np.bool_] = before[bounds[1:]] > before[bounds[:-1]]
    return falls
