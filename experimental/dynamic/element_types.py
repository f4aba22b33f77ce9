"""`DType`: the element types of tensors, named as in `ndd.float32`."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar

from ...engine.errors import ArgumentError
from ...engine.tensors.dtypes import DALIDataType, to_dali_type, to_numpy_type


class TypeKind(Enum):
    """What the elements of a type are."""

    signed = 1
    unsigned = 2
    float = 3
    bool = 4
    enum = 5


_LETTERS = {
    TypeKind.signed: "i",
    TypeKind.unsigned: "u",
    TypeKind.float: "f",
    TypeKind.bool: "b",
    TypeKind.enum: "e",
}
_EXPONENT_BITS = {8: 4, 16: 5, 32: 8, 64: 11}  # of IEEE 754, and of its extension to 8 bits


class DType:
    """An element type. The types are attributes of the module, such as `ndd.float32`.

    Two types are equal if they have the same kind and the same numbers of bits. A call makes a
    tensor of the type: `ndd.float32([1, 2])`.

    Args:
        kind: what the elements are.
        bits: of an element.
        exponent_bits, significand_bits: of a floating point number; by default those of IEEE 754.
        type_id: the type in `types`; None for a type that tensors cannot have.
        name: by default the letter i, u or f, and the number of bits.

    Attributes:
        bytes: size of an element.
    """

    Kind = TypeKind
    make_tensor: ClassVar[Callable[..., Any]]  # `ndd.tensor`, which needs this module

    def __init__(
        self,
        kind: TypeKind,
        bits: int,
        exponent_bits: int | None = None,
        significand_bits: int | None = None,
        type_id: DALIDataType | None = None,
        name: str | None = None,
    ) -> None:
        if kind is TypeKind.float:
            exponent_bits = exponent_bits or _EXPONENT_BITS.get(bits)
            if exponent_bits is None:
                raise ValueError(f"a floating point number of {bits} bits needs exponent_bits")
            significand_bits = significand_bits or bits - exponent_bits - 1
        self.kind = kind
        self.bits = bits
        self.bytes = (bits + 7) // 8
        self.exponent_bits = exponent_bits
        self.significand_bits = significand_bits
        self.type_id = type_id
        self.name = name or f"{_LETTERS[kind]}{bits}"

    def __call__(self, data: object, **options: object) -> Any:
        """Return `ndd.tensor(data, dtype=self, **options)`."""
        if "dtype" in options:
            raise ValueError(f"{self.name}(...) makes a tensor of this type; leave dtype out")
        return self.make_tensor(data, dtype=self, **options)

    def _key(self) -> tuple[object, ...]:
        return (
            self.kind,
            self.bits,
            self.exponent_bits,
            self.significand_bits,
            self.name if self.kind is TypeKind.enum else "",
        )

    def __eq__(self, other: object) -> builtins.bool:
        return self._key() == other._key() if isinstance(other, DType) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"ndd.dtype({self.name!r})"

    @staticmethod
    def from_type_id(type_id: DALIDataType) -> DType:
        """Return the type that has another name in `types`, such as `types.FLOAT`."""
        return _BY_ID[type_id]

    @staticmethod
    def from_fw_type(numpy_type: object) -> DType:
        """Return the type of a dtype of NumPy or PyTorch."""
        return _BY_ID[to_dali_type(numpy_type)]

    @staticmethod
    def parse(name: str) -> DType:
        """Return the type with this name, such as "f32", "float32" or "f16e8m7"."""
        if name in _BY_NAME:
            return _BY_NAME[name]
        parts = re.fullmatch(r"f(\d+)e(\d+)m(\d+)", name)
        if parts is None:
            raise ValueError(f"there is no element type {name!r}; there are {', '.join(_BY_NAME)}")
        bits, exponent_bits, significand_bits = map(int, parts.groups())
        made = DType(TypeKind.float, bits, exponent_bits, significand_bits)
        return next((known for known in _BY_NAME.values() if known == made), made)


def _of(type_id: DALIDataType) -> DType:
    stored = to_numpy_type(type_id)
    kind = next(kind for kind, letter in _LETTERS.items() if letter == stored.kind)
    name = "bool" if kind is TypeKind.bool else None
    return DType(kind, 8 * stored.itemsize, type_id=type_id, name=name)


int8 = _of(DALIDataType.INT8)
int16 = _of(DALIDataType.INT16)
int32 = _of(DALIDataType.INT32)
int64 = _of(DALIDataType.INT64)
uint8 = _of(DALIDataType.UINT8)
uint16 = _of(DALIDataType.UINT16)
uint32 = _of(DALIDataType.UINT32)
uint64 = _of(DALIDataType.UINT64)
float16 = _of(DALIDataType.FLOAT16)
float32 = _of(DALIDataType.FLOAT)
float64 = _of(DALIDataType.FLOAT64)
bool = _of(DALIDataType.BOOL)
bfloat16 = DType(TypeKind.float, 16, 8, 7, name="bfloat16")
DataType = DType(TypeKind.enum, 32, name="DataType")
ImageType = DType(TypeKind.enum, 32, name="ImageType")
InterpType = DType(TypeKind.enum, 32, name="InterpType")

NAMES = (
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16"),
    *("float32", "float64", "bool", "bfloat16", "DataType", "ImageType", "InterpType"),
)
"""The names of all types in the public module."""

_TYPES: dict[str, DType] = {name: globals()[name] for name in NAMES}
_BY_ID = {
    element_type.type_id: element_type
    for element_type in _TYPES.values()
    if element_type.type_id is not None
}
_BY_NAME = {**{element_type.name: element_type for element_type in _TYPES.values()}, **_TYPES}


def dtype(value: Any, *details: Any) -> DType:
    """Return a `DType`: of a name, a value of `types`, or a dtype of NumPy or PyTorch.

    Args:
        value: what the type is made of; or a kind, with the arguments of `DType` in `details`.

    >>> from penstock import types
    >>> dtype("f16"), dtype(types.UINT8)
    (ndd.dtype('f16'), ndd.dtype('u8'))
    """
    if details:
        return DType(value, *details)
    if isinstance(value, DType):
        return value
    return DType.parse(value) if isinstance(value, str) else DType.from_fw_type(value)


def type_id(dtype: object) -> DALIDataType:
    """Return the value of `types` for a type, or for the value itself."""
    if isinstance(dtype, DALIDataType):
        return dtype
    if isinstance(dtype, DType) and dtype.type_id is not None:
        return dtype.type_id
    raise ValueError(f"{dtype!r} is no element type that tensors can have")


def stored_type(value: object) -> Any:
    """Return the NumPy dtype of whatever `dtype` takes."""
    wanted = dtype(value)
    if wanted.type_id is None:
        if wanted.kind is TypeKind.enum:
            return to_numpy_type(DALIDataType.INT32)
        raise ArgumentError(f"tensors cannot have elements of type {wanted.name}")
    return to_numpy_type(wanted.type_id)
