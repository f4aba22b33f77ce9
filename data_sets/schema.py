"""The names and the types of the components of a data set's samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.errors import DecodeError
from .sample import Encoded, Sample, Value

ENCODED, INT, FLOAT, TEXT, ARRAY = "encoded", "int", "float", "text", "array"

TYPES = (ENCODED, INT, FLOAT, TEXT, ARRAY)
"""The types of components: `Encoded`, int, float, str, and arrays."""

_LARGEST_EXTENT = (1 << 31) - 1  # of Parquet's lists


@dataclass(frozen=True)
class ComponentType:
    """The type of one component.

    Attributes:
        type: one of `TYPES`.
        extension: of encoded files, if all have the same one; else "".
        dtype: name of the elements' type, for arrays.
        shape: for arrays; None stands for an extent that varies.
    """

    type: str
    extension: str = ""
    dtype: str = ""
    shape: tuple[int | None, ...] = ()

    def __str__(self) -> str:
        """Return a text such as `encoded jpg` or `array float32 (n, 4)`."""
        if self.type != ARRAY:
            return f"{self.type} {self.extension}".rstrip()
        extents = ", ".join("n" if extent is None else str(extent) for extent in self.shape)
        return f"array {self.dtype} ({extents}{',' * (len(self.shape) == 1)})"

    def to_json(self) -> dict[str, object]:
        """Return the fields that are not empty, for JSON."""
        fields: dict[str, Any] = {"type": self.type}
        if self.extension:
            fields["extension"] = self.extension
        if self.type == ARRAY:
            fields |= {"dtype": self.dtype, "shape": list(self.shape)}
        return fields

    @classmethod
    def from_json(cls, fields: Any) -> ComponentType:
        """Return the type that `to_json` described.

        Raises:
            DecodeError: the fields have another form.
        """
        try:
            made = cls(
                fields["type"],
                str(fields.get("extension", "")),
                np.dtype(fields["dtype"]).name if fields["type"] == ARRAY else "",
                tuple(map(_extent, fields.get("shape", ()))),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DecodeError(f"{str(fields)[:100]} describes no component: {error}") from None
        if made.type not in TYPES:
            raise DecodeError(f"a component's type is one of {', '.join(TYPES)}, not {made.type!r}")
        return made


def _extent(number: object) -> int | None:
    if number is not None and (type(number) is not int or not 0 <= number <= _LARGEST_EXTENT):
        raise ValueError(f"the extent {number!r:.50} is none")
    return number


Schema = Mapping[str, ComponentType]
"""The type of each component, by name, in a stable order."""


def type_of(value: Value) -> ComponentType:
    """Return the type of one value.

    >>> str(type_of(np.zeros((2, 4), np.float32)))
    'array float32 (2, 4)'
    """
    if isinstance(value, Encoded):
        return ComponentType(ENCODED, value.extension)
    if isinstance(value, str):
        return ComponentType(TEXT)
    if isinstance(value, np.ndarray):
        return ComponentType(ARRAY, dtype=value.dtype.name, shape=value.shape)
    return ComponentType(FLOAT if isinstance(value, float) else INT)


def merged(first: ComponentType, second: ComponentType) -> ComponentType:
    """Return the type that both types are cases of.

    Extents that differ become None, and so do different extensions.

    Raises:
        DecodeError: the types differ in more than that.

    >>> a, b = type_of(np.zeros((2, 4))), type_of(np.zeros((3, 4)))
    >>> str(merged(a, b))
    'array float64 (n, 4)'
    """
    if first == second:
        return first
    if first.type == second.type == ENCODED:
        return ComponentType(ENCODED)
    if {first.type, second.type} == {INT, FLOAT}:
        return ComponentType(FLOAT)
    alike = first.type == second.type and first.dtype == second.dtype
    if not alike or len(first.shape) != len(second.shape):
        raise DecodeError(f"it is {first} in one sample and {second} in another")
    pairs = zip(first.shape, second.shape, strict=True)
    return ComponentType(ARRAY, "", first.dtype, tuple(a if a == b else None for a, b in pairs))


def schema_of(samples: Iterable[Sample]) -> Schema:
    """Return the schema that all of some samples fit.

    Raises:
        DecodeError: a component has several types.
    """
    return schema_of_types(
        (sample.key, name, type_of(value))
        for sample in samples
        for name, value in sample.components.items()
    )


def schema_of_types(types: Iterable[tuple[str, str, ComponentType]]) -> Schema:
    """Return the schema that types fit: each with a sample's key and a component's name.

    Raises:
        DecodeError: a component has several types.
    """
    schema: dict[str, ComponentType] = {}
    for key, name, own in types:
        try:
            schema[name] = merged(schema[name], own) if name in schema else own
        except DecodeError as error:
            raise DecodeError(f"component {name!r} of {key!r}: {error}") from None
    return schema
