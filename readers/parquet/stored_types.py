"""The types of Arrow's columns: what they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...engine.arrays import DType
from .library import pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "bytes"
"""The field with the content, in structs that stand for a file."""

PATH = "path"
"""The field with the name of a file, whose content may be missing."""


def natural_dtype(leaf: pa.DataType, *, in_list: bool) -> DType | None:
    """Return the dtype of an output with values of a type; None if none is right."""
    arrow = pyarrow().types
    if arrow.is_boolean(leaf):
        return np.dtype(np.bool_)
    if arrow.is_integer(leaf) or arrow.is_floating(leaf):
        kind = "f" if arrow.is_floating(leaf) else "i" if arrow.is_signed_integer(leaf) else "u"
        return np.dtype(f"{kind}{leaf.bit_width // 8}")
    return np.dtype(np.uint8) if not in_list and is_bytes(leaf) else None


def fields_of(stored: pa.DataType) -> dict[str, pa.DataType]:
    """Return the types of the fields of a struct, or of lists of structs."""
    stored = storage_type(stored)
    if is_list(stored):
        stored = storage_type(stored.value_type)
    if not pyarrow().types.is_struct(stored):
        return {}
    return {stored.field(i).name: stored.field(i).type for i in range(stored.num_fields)}


def is_file(stored: pa.DataType) -> bool:
    """Return whether a type is the struct that stands for a file: `bytes` and `path`."""
    arrow = pyarrow().types
    if not arrow.is_struct(stored):
        return False
    content = fields_of(stored).get(FILE)
    return content is not None and (arrow.is_binary(content) or arrow.is_large_binary(content))


def is_real(stored: pa.DataType) -> bool:
    """Return whether values of a type are real numbers or truth values."""
    arrow = pyarrow().types
    return bool(arrow.is_floating(stored) or arrow.is_boolean(stored))


def is_bytes(stored: pa.DataType) -> bool:
    tests = ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
    return is_string(stored) or _any(tests, stored)


def is_string(stored: pa.DataType) -> bool:
    """Return whether values of a type are texts."""
    return _any(("is_string", "is_large_string", "is_string_view"), stored)


def is_list(stored: pa.DataType) -> bool:
    """Return whether values of a type are lists."""
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return _any(tests, stored)


def _any(tests: tuple[str, ...], stored: pa.DataType) -> bool:
    functions: list[Callable[[pa.DataType], bool] | None] = [
        getattr(pyarrow().types, name, None) for name in tests
    ]
    return any(function is not None and function(stored) for function in functions)


def storage_type(stored: pa.DataType) -> pa.DataType:
    """Return the stored type of an extension's type, such as Array2D of `datasets`."""
    return getattr(stored, "storage_type", stored)


def is_file_list(stored: pa.DataType) -> bool:
    """Return whether a type is a list of files, or of bytes that may be files."""
    stored = storage_type(stored)
    if not is_list(stored):
        return False
    element = storage_type(stored.value_type)
    return is_file(element) or (is_bytes(element) and not is_string(element))


def is_json(stored: pa.DataType) -> bool:
    """Return whether JSON can hold the values of a type."""
    stored, arrow = storage_type(stored), pyarrow().types
    if is_list(stored) or arrow.is_dictionary(stored):
        return is_json(stored.value_type)
    if arrow.is_struct(stored):
        fields = fields_of(stored)
        names_a_file = FILE in fields and arrow.is_null(fields[FILE])
        if len(fields) < stored.num_fields or names_a_file:
            return False
        return all(map(is_json, fields.values()))
    plain = arrow.is_null(stored) or natural_dtype(stored, in_list=True) is not None
    return bool(plain or is_string(stored))
