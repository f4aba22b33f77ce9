"""Tables for kernels: one C struct a sample, declared once, in Python.

`struct_table("Sample", count, ...)` makes a NumPy structured array and the text of the C struct
with the same fields. A launch puts this text in front of the kernel's source. So names, types and
offsets agree on both sides; a field that the kernel names but the table lacks does not compile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, DType
from .kernels import c_type


class Pointers(NamedTuple):
    """Addresses on the device, for a field that is a pointer in C.

    Attributes:
        addresses: addresses of the data: (count,) or (count, k) uint64.
        type: C type of the pointer, such as "const In*"; it may name macros of the kernel.
    """

    addresses: Array
    type: str


@dataclass(frozen=True, eq=False)
class Struct:
    """A C struct that is laid out as a NumPy dtype; the same fields give the same object.

    Attributes:
        name: name of the struct.
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

    def part(self, start: int, stop: int) -> StructTable:
        """Return consecutive structs, without a copy."""
        memory, nbytes = self.memory, self.array.itemsize
        if memory is not None:
            memory = memory[start * nbytes : stop * nbytes]
        return StructTable(self.struct, self.array[start:stop], memory)

    def with_columns(self, **columns: ArrayLike) -> StructTable:
        """Return a copy in host memory with other values of these fields."""
        array = self.array.copy()
        for name, values in columns.items():
            array[name] = values
        return StructTable(self.struct, array)


_Field = tuple[str, DType, tuple[int, ...], Struct | str | None]
"""A field of a struct: its name, its values' dtype and shape in a sample; and its struct, or the C
type of its pointers, or None for numbers."""


def struct_table(
    name: str, count: int, **columns: ArrayLike | Pointers | StructTable
) -> StructTable:
    """Return a table of structs with these fields, in this order.

    Args:
        name: name of the C struct.
        count: number of structs.
        columns: the fields' values: arrays of shape (count,) or (count, k), or one number for
            all structs. `Pointers` become C pointers, and tables become nested structs.
    """
    fields: list[_Field] = []
    arrays: list[Array] = []
    kind: Struct | str | None
    for field, column in columns.items():
        if isinstance(column, StructTable):
            array, kind = column.array, column.struct
        elif isinstance(column, Pointers):
            array, kind = np.asarray(column.addresses, np.uint64), column.type
        else:
            array, kind = np.asarray(column), None
        arrays.append(array)
        fields.append((field, array.dtype, array.shape[1:], kind))
    struct = _struct(name, tuple(fields))
    table = np.empty(count, struct.dtype)
    for (field, of, _, kind), array in zip(fields, arrays, strict=True):
        if isinstance(kind, Struct):  # as bytes, because NumPy would copy field by field
            table[field].view(f"V{of.itemsize}")[...] = array.view(f"V{of.itemsize}")
        else:
            table[field] = array
    return StructTable(struct, table)


def struct_of(name: str, dtype: np.dtype[np.void]) -> Struct:
    """Return the C struct with the fields of an aligned dtype, which are numbers."""
    return _struct(name, tuple((field, dtype[field], (), None) for field in dtype.names or ()))


@cache
def _struct(name: str, fields: tuple[_Field, ...]) -> Struct:
    dtype = np.dtype([field[:3] for field in fields], align=True)
    lines: list[str] = []
    nested: list[str] = []
    for field, of, shape, kind in fields:
        if isinstance(kind, Struct):
            nested += kind.declarations
            kind = kind.name
        lines.append(f"    {kind or c_type(of)} {field}{''.join(f'[{n}]' for n in shape)};")
    size = f'static_assert(sizeof({name}) == {dtype.itemsize}, "the layout of the table");'
    own = "\n".join([f"struct {name} {{", *lines, "};", size])
    return Struct(name, dtype, (*dict.fromkeys(nested), own))
