"""The arguments of an operator: their kinds, defaults, and the conversion of what users pass.

An operator declares `size = param(FLOATS, None, "...", per_sample=True)` as a class attribute.
From such declarations come the signatures and docstrings of `fn.*` and `ops.*`, the checks
of what is passed, and the values that the operator finds on `self`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import ArgumentError
from .types import DALIImageType, DALIInterpType, to_dali_type


class Required:
    """Marks an argument without a default."""

    def __repr__(self) -> str:
        return "<required>"


REQUIRED = Required()


@dataclass(frozen=True)
class Kind:
    """What an argument may be.

    Attributes:
        annotation: the type as it stands in signatures.
        convert: turns what the user passed into what the operator reads; raises TypeError
            or ValueError for anything else.
    """

    annotation: str
    convert: Callable[[Any], Any]


@dataclass(frozen=True)
class Param:
    """One declared argument."""

    kind: Kind
    default: Any
    doc: str
    per_sample: bool = False


NO_EFFECT = "Accepted for compatibility, without effect."
"""The `doc` of arguments that exist because DALI has them; docstrings list them together."""


def param(kind: Kind, default: Any, doc: str, *, per_sample: bool = False) -> Any:
    """Declare an argument of an operator.

    Args:
        kind: one of the constants of this module.
        default: value where the user passes nothing or None; `REQUIRED` where he must.
        doc: meaning and unit, a sentence or two.
        per_sample: whether a `DataNode` may be passed, to give each sample its own value.
    """
    return Param(kind, default, doc, per_sample)


def _int(value: Any) -> int:
    if type(value) is int:
        return value
    if isinstance(value, float | np.floating) and not float(value).is_integer():
        raise ValueError("not a whole number")
    return int(value)


def _bool(value: Any) -> bool:
    if isinstance(value, str):
        raise TypeError("not a truth value")
    return bool(value)


def _str(value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def _many(one: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def convert(value: Any) -> tuple[Any, ...]:
        if isinstance(value, np.ndarray):
            value = value.reshape(-1).tolist()
        if isinstance(value, str) or not isinstance(value, Sequence):
            return (one(value),)
        return tuple(one(item) for item in value)

    return convert


def _callable(value: Any) -> Any:
    if not callable(value):
        raise TypeError("not callable")
    return value


def _array(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError("not an array of numbers")
    return array


def _options(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError("not a dict of names and values")
    return dict(value)


BOOL = Kind("bool", _bool)
INT = Kind("int", _int)
FLOAT = Kind("float", float)
STR = Kind("str", _str)
INTS = Kind("int | Sequence[int]", _many(_int))
FLOATS = Kind("float | Sequence[float]", _many(float))
STRS = Kind("str | Sequence[str]", _many(_str))
ARRAY = Kind("ArrayLike", _array)
DTYPE = Kind("DALIDataType | DTypeLike", to_dali_type)
DTYPES = Kind("DALIDataType | DTypeLike | Sequence[DALIDataType | DTypeLike]", _many(to_dali_type))
IMAGE_TYPE = Kind("DALIImageType", DALIImageType)
INTERP = Kind("DALIInterpType", DALIInterpType)
CALLABLE = Kind("Callable[..., Any]", _callable)
OPTIONS = Kind("Mapping[str, Any]", _options)
ANY = Kind("Any", lambda value: value)


def convert(owner: str, name: str, declared: Param, value: Any) -> Any:
    """Convert a constant that the user passed; None means the default."""
    if value is None:
        if isinstance(declared.default, Required):
            raise ArgumentError(f"{owner}: the argument {name!r} must be given: {declared.doc}")
        return declared.default
    try:
        return declared.kind.convert(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"{owner}: the argument {name!r} must be {declared.kind.annotation}, "
            f"but is {value!r} ({error})"
        ) from error


def from_row(declared: Param, row: Any) -> Any:
    """Convert one sample's value of an argument that was passed as a `DataNode`."""
    return declared.kind.convert(row.item() if row.size == 1 else row)
