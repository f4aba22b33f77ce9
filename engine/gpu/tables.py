"""Tables for kernels: one C struct a sample, declared once, in Python.

`struct_table("Sample", count, ...)` makes a NumPy structured array and the text of the C struct
with the same fields. A launch puts this text in front of the kernel's source. So names, types and
offsets agree on both sides; a field that the kernel names but the table lacks does not compile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .kernels import c_type

Array = NDArray[Any]


class Pointers(NamedTuple):
    """Addresses on the device, for a field that is a pointer in C.

    Attributes:
        addresses: of the data: (count,) or (count, k) uint64.
        type: C type of the pointer, such as "const In*"; it may name macros of the kernel.
    """

    addresses: Array
    type: str


@dataclass(frozen=True)
class Struct:
    """A C struct that is laid out as a NumPy dtype.

    Attributes:
        name: of the struct.
        dtype: the same fields, with the same offsets.
        declarations: C text of the nested structs, and then of the struct itself.
    """

    name: str
    dtype: np.dtype[np.void]
    declarations: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class StructTable:
    """Structs for a kernel, one a sample unless the kernel says otherwise.

    Attributes:
        struct: the declaration.
        array: the structs in host memory: a structured array of shape (count,) or (count, k).
        memory: a copy of the array on the device, or None.
    """

    struct: Struct
    array: Array
    memory: Any = None

    def __len__(self) -> int:
        return len(self.array)

    def with_columns(self, **columns: ArrayLike) -> StructTable:
        """Return a copy in host memory with other values of these fields."""
        array = self.array.copy()
        for name, values in columns.items():
            array[name] = values
        return replace(self, array=array, memory=None)


class _Field(NamedTuple):
    """A field of a struct: its name, its values' dtype and shape in a sample, and its C type."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    c_type: str
    declarations: tuple[str, ...]


def struct_table(
    name: str, count: int, **columns: ArrayLike | Pointers | StructTable
) -> StructTable:
    """Return a table of structs with these fields, in this order.

    Args:
        name: of the C struct.
        count: number of structs.
        columns: the fields' values: arrays of shape (count,) or (count, k), or one number for
            all structs. `Pointers` become C pointers, and tables become nested structs.
    """
    arrays = {field: _array_of(column) for field, column in columns.items()}
    struct = _struct(name, tuple(_field(f, columns[f], array) for f, array in arrays.items()))
    table = np.empty(count, struct.dtype)
    for field, array in arrays.items():
        table[field] = array
    return StructTable(struct, table)


def _array_of(column: ArrayLike | Pointers | StructTable) -> Array:
    if isinstance(column, StructTable):
        return column.array
    if isinstance(column, Pointers):
        return np.asarray(column.addresses, np.uint64)
    return np.asarray(column)


def _field(name: str, column: ArrayLike | Pointers | StructTable, array: Array) -> _Field:
    shape = array.shape[1:]
    if isinstance(column, StructTable):
        struct = column.struct
        return _Field(name, array.dtype, shape, struct.name, struct.declarations)
    type_name = column.type if isinstance(column, Pointers) else c_type(array.dtype)
    return _Field(name, array.dtype, shape, type_name, ())


@cache
def _struct(name: str, fields: tuple[_Field, ...]) -> Struct:
    dtype = np.dtype([(f.name, f.dtype, f.shape) for f in fields], align=True)
    lines = [f"    {f.c_type} {f.name}{''.join(f'[{n}]' for n in f.shape)};" for f in fields]
    size = f'static_assert(sizeof({name}) == {dtype.itemsize}, "the layout of the table");'
    own = "\n".join([f"struct {name} {{", *lines, "};", size])
    nested = [text for f in fields for text in f.declarations]
    return Struct(name, dtype, (*dict.fromkeys(nested), own))
